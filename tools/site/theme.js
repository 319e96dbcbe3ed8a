import { h } from "vue";
import DefaultTheme from "vitepress/theme";
import LiveChat from "./live-chat.vue";
import "./theme.css";

const install = () => h("pre", { class: "install", tabindex: 0, "aria-label": "How to install" }, h("code", "npm install ag-ui-wasm"));

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "home-hero-image": () => h(LiveChat), "home-hero-actions-after": install }),
};

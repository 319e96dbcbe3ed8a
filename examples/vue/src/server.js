import { createSSRApp } from "vue";
import { renderToString } from "vue/server-renderer";
import Chat from "./Chat.vue";

/** The page's HTML, as the server renders it. */
export const render = () => renderToString(createSSRApp(Chat));

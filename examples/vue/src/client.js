import { createSSRApp } from "vue";
import Chat from "./Chat.vue";

createSSRApp(Chat).mount("#root");

// A page of Vue.

import { useChat } from "@ai-sdk/vue";
import { createApp, h, onMounted, ref } from "vue";
import { actions, chatOptions, current, lineOf } from "./chat.js";

const options = await chatOptions();

const Page = {
  setup() {
    const { messages, status, error, ...chat } = useChat(options);
    const now = (current.chat = {
      ...chat,
      get messages() {
        return messages.value;
      },
    });
    const text = ref("");
    onMounted(() => chat.resumeStream());
    const send = (event) => {
      event.preventDefault();
      void chat.sendMessage({ text: text.value });
      text.value = "";
    };
    const part = (part) => (part.type === "text" ? h("span", part.text) : h("code", lineOf(part)));
    return () =>
      h("form", { onSubmit: send }, [
        ...messages.value.map(({ id, role, parts }) => h("section", { key: id, "data-role": role }, parts.map(part))),
        h("p", { id: "status" }, status.value),
        h("p", { id: "error" }, error.value?.message),
        h("input", { id: "say", value: text.value, onInput: ({ target }) => (text.value = target.value) }),
        h("button", { id: "stop", type: "button", onClick: chat.stop }, "stop"),
        ...Object.entries(actions).map(([name, act]) => h("button", { id: name, type: "button", onClick: () => act(now) }, name)),
      ]);
  },
};

createApp(Page).mount("#page");

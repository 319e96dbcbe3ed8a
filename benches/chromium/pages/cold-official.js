// The least page with the official client.

import { HttpAgent } from "@ag-ui/client";

/** @param {string} url @param {(text: string) => void} show */
export function start(url, show) {
  const agent = new HttpAgent({ url });
  agent.addMessage({ id: "go", role: "user", content: "go" });
  return agent.runAgent({}, {
    onMessagesChanged({ messages }) {
      const message = messages.at(-1);
      if (message?.role === "assistant") show(/** @type {string} */ (message.content));
    },
  });
}

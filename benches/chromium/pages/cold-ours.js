// The least page with the package: a message is sent, and its answer shown.

import { createAgent } from "ag-ui-wasm";

/** @param {string} url @param {(text: string) => void} show */
export function start(url, show) {
  const agent = createAgent({ url });
  agent.subscribe(() => {
    const message = agent.getSnapshot().messages.at(-1);
    if (message?.role === "assistant") show(/** @type {string} */ (message.content));
  });
  return agent.submit("go");
}

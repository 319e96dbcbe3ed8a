/**
 * Tells screen readers what was said, once it has been said. A live region around the conversation would read every
 * token; so the conversation is silent, and a hidden log gets each message whole.
 */
import type { Agent } from "ag-ui-wasm";
import { textOf } from "./rows.js";

const KEPT = 20;

export function announce(agent: Agent, log: HTMLElement): () => void {
  const said = new Set(agent.getSnapshot().messages.map(({ id }) => id));
  return agent.subscribe(() => {
    const { messages } = agent.getSnapshot();
    const speaking = new Set<string>();
    for (let index = messages.length - 1; index >= 0; index -= 1) {
      const message = messages[index]!;
      if (said.has(message.id)) break;
      if (message.role === "assistant" && message.delivery === "streaming") speaking.add(message.id);
    }
    if (speaking.size > 0) return;
    const fresh = messages.filter(({ id }) => !said.has(id));
    for (const { id } of fresh) said.add(id);
    for (const message of fresh.slice(-KEPT)) {
      const text = message.role === "assistant" ? textOf(message) : "";
      if (text === "") continue;
      const line = document.createElement("p");
      line.dir = "auto";
      line.textContent = text;
      log.append(line);
    }
    while (log.childElementCount > KEPT) log.firstElementChild?.remove();
  });
}

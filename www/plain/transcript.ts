/** The messages, which follow their own end until the reader scrolls up. */
import type { Agent, AgentSnapshot } from "ag-ui-wasm";
import type { Scenario } from "../shared/endpoint.js";
import { RowList, type Row } from "../shared/rows.js";
import { followTail, type Tail } from "../shared/tail.js";
import { welcome } from "../shared/welcome.js";
import { h, icon, list, maybe, slot } from "./dom.js";
import { rowView, waitingView } from "./row.js";

/** @param after stands after the last message */
export function transcript(agent: Agent, after: Element) {
  const rowList = new RowList();
  let tail: Tail | undefined;
  const suggestions = h("div", { class: "suggestions" });
  const greeting = h("div", { class: "welcome" }, h("h2", {}, welcome.title), h("p", {}, welcome.text), suggestions);
  const older = h(
    "button",
    { type: "button", class: "button older", "data-testid": "older", hidden: true, onclick: () => void agent.loadOlder() },
    "Earlier messages",
  );
  const messages = h("div", { role: "log", "aria-live": "off", "aria-label": "Messages", "data-testid": "messages" });
  const rows = list<Row>(messages, ({ key }) => key, (row) => rowView(agent, row));
  const waitingSlot = slot();
  const waiting = maybe<true>(waitingSlot, () => waitingView("waiting"));

  const content = h("div", { class: "content" }, greeting, older, messages, waitingSlot, after);
  const viewport = h(
    "div",
    { class: "viewport", tabindex: 0, role: "region", "aria-label": "Conversation", "data-testid": "viewport" },
    content,
  );
  const jump = h(
    "button",
    { type: "button", class: "button jump", "data-testid": "jump", hidden: true, onclick: () => tail?.jump() },
    icon("down"),
    " Jump to latest",
  );

  return {
    viewport,
    /** The button that goes to the end. */
    jump,
    /** Begins to follow the end, once the nodes are in the page. Returns what ends that. */
    follow() {
      const followed = (tail = followTail(viewport, content, (following) => (jump.hidden = following)));
      return () => followed.stop();
    },
    suggest(scenarios: readonly Scenario[], start: (scenario: Scenario) => void): void {
      suggestions.replaceChildren(
        ...scenarios.map((scenario) =>
          h(
            "button",
            { type: "button", "data-testid": "suggestion", onclick: () => start(scenario) },
            h("b", {}, scenario.title),
            h("span", {}, scenario.about),
          )
        ),
      );
    },
    update({ messages: all, toolCalls, subagents, state, status, thread }: AgentSnapshot): void {
      const shown = rowList.read(all, toolCalls, subagents, state);
      greeting.hidden = shown.length > 0 || thread.status === "loading";
      older.hidden = !thread.hasOlder;
      rows(shown);
      waiting(status === "running" && shown.at(-1)?.message.role === "user" ? true : undefined);
    },
  };
}

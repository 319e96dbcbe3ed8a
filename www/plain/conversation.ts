/** A conversation with one agent: `subscribe`, `getSnapshot`, and elements that are kept up to date. */
import type { Agent } from "ag-ui-wasm";
import { announcer } from "ag-ui-wasm/announcer";
import { contract } from "../shared/contract.js";
import { listenForEscape } from "../shared/composer.js";
import { featured, type Scenario } from "../shared/endpoint.js";
import { HeldQuestions } from "../shared/held.js";
import { Notices } from "../shared/notices.js";
import { toggleInspector } from "../shared/inspect.js";
import { byId } from "../shared/page.js";
import { listen, protocols, type Protocol } from "../shared/protocols.js";
import { RowList, type Row, textOf } from "../shared/rows.js";
import { followTail, type Tail } from "../shared/tail.js";
import { welcome } from "../shared/welcome.js";
import { cards } from "./cards.js";
import { composer, type Choice } from "./composer.js";
import { h, icon, list, maybe, say, set, slot } from "./dom.js";
import { panel } from "./panel.js";
import { rowView, waitingView } from "./row.js";
import { toasts } from "./toasts.js";

/** The settings that outlive a conversation. */
export interface Settings extends Choice {
  panel: boolean;
}

export interface Conversation {
  readonly nodes: readonly Element[];
  /** The address to ask next. */
  url(): string;
  offer(scenarios: readonly Scenario[]): void;
  /** Begins to listen, once the nodes are in the page. */
  start(): void;
  /** Ends the agent too. */
  dispose(): void;
}

/** A thread that the server keeps: where it is asked, and how another one is begun. */
export interface StoredThread {
  readonly url: string;
  next(): void;
}

/** @param onProtocol told the name of another protocol that the user wants */
export function conversation(agent: Agent, protocol: Protocol, settings: Settings, onProtocol: (name: string) => void, stored?: StoredThread): Conversation {
  const notices = new Notices();
  const held = new HeldQuestions();
  const rowList = new RowList();
  const offs: (() => void)[] = [];

  const address = h("code", { "data-testid": "address" });
  const foot = composer(agent, settings, (url) => say(address, stored?.url ?? url));
  const after = cards(agent);
  const side = panel(agent);
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

  const content = h("div", { class: "content" }, greeting, older, messages, waitingSlot, after.node);
  const viewport = h(
    "div",
    { class: "viewport", tabindex: 0, role: "region", "aria-label": "Conversation", "data-testid": "viewport" },
    content,
  );
  let tail: Tail | undefined;
  const jump = h(
    "button",
    { type: "button", class: "button jump", "data-testid": "jump", hidden: true, onclick: () => tail?.jump() },
    icon("down"),
    " Jump to latest",
  );
  const picker = h(
    "select",
    { id: "protocol", "aria-label": "Protocol", "data-testid": "protocol", onchange: () => onProtocol(picker.value) },
    ...protocols.map(({ name, title }) => h("option", { value: name, selected: name === protocol.name }, title)),
  );
  const restart = h(
    "button",
    { type: "button", class: "button", "data-testid": "new", onclick: clear },
    icon("plus"),
    h("span", { class: "words" }, "New chat"),
  );
  const inspect = h("button", { type: "button", class: "button", "data-testid": "inspect", onclick: () => void toggleInspector(agent) }, "Inspect");
  const toggle = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "data-testid": "panel-toggle",
      "aria-label": "Details of the run",
      "aria-controls": "panel",
      onclick: () => openPanel(side.node.hasAttribute("hidden")),
    },
    icon("panel"),
  );
  const chat = h(
    "main",
    { class: "chat", "data-testid": "chat", "data-framework": "plain" },
    h(
      "div",
      { class: "toolbar" },
      h("h1", { class: "unseen" }, "Chat"),
      h("p", { class: "where" }, h("span", { class: "dot" }), picker, address),
      inspect,
      restart,
      toggle,
    ),
    viewport,
    h("div", { class: "foot" }, jump, foot.node),
  );

  function update(): void {
    const snapshot = agent.getSnapshot();
    const shown = rowList.read(snapshot.messages, snapshot.toolCalls, snapshot.subagents, snapshot.state);
    set(chat, "data-status", snapshot.status);
    greeting.hidden = shown.length > 0 || snapshot.thread.status === "loading";
    older.hidden = !snapshot.thread.hasOlder;
    rows(shown);
    waiting(snapshot.status === "running" && shown.at(-1)?.message.role === "user" ? true : undefined);
    after.update();
    side.update();
    foot.update();
  }

  function openPanel(open: boolean): void {
    settings.panel = open;
    side.node.hidden = !open;
    set(toggle, "aria-expanded", String(open));
  }

  function clear(): void {
    if (stored) stored.next();
    else agent.reset();
    notices.clear();
    byId("input").focus();
  }

  openPanel(settings.panel);
  update();

  return {
    nodes: [chat, side.node, toasts(notices)],
    url: () => address.textContent,
    start() {
      tail = followTail(viewport, content, (following) => (jump.hidden = following));
      offs.push(
        () => tail?.stop(),
        agent.subscribe(update),
        notices.subscribe(side.log),
        notices.listen(agent),
        contract.listen(agent, protocol),
        held.subscribe(after.hold),
        held.listen(agent, () => address.textContent),
        announcer(agent, byId("announcer"), { words: { answer: textOf } }),
        foot.takeFiles(chat),
        listenForEscape(() => void agent.stop()),
      );
    },
    offer(scenarios) {
      foot.offer(scenarios);
      if (scenarios.length > 0) listen(agent, protocol);
      suggestions.replaceChildren(
        ...featured(scenarios).map(({ name, title, about, prompt }) => {
          const start = (): void => {
            foot.choose(name);
            void agent.submit(prompt);
          };
          return h("button", { type: "button", "data-testid": "suggestion", onclick: start }, h("b", {}, title), h("span", {}, about));
        }),
      );
    },
    dispose() {
      for (const off of offs) off();
      side.dispose();
      if (!stored) agent.dispose();
    },
  };
}

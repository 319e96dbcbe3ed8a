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
import { listen, type Protocol } from "../shared/protocols.js";
import { textOf } from "../shared/rows.js";
import { cards } from "./cards.js";
import { composer } from "./composer.js";
import { h, say, set } from "./dom.js";
import { panel } from "./panel.js";
import type { Choice } from "./picker.js";
import { toasts } from "./toasts.js";
import { toolbar } from "./toolbar.js";
import { transcript } from "./transcript.js";

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
  const offs: (() => void)[] = [];

  const address = h("code", { "data-testid": "address" });
  const foot = composer(agent, settings, (url) => say(address, stored?.url ?? url));
  const after = cards(agent);
  const side = panel(agent);
  const talk = transcript(agent, after.node);
  const bar = toolbar(protocol.name, address, {
    speak: onProtocol,
    inspect: () => void toggleInspector(agent),
    restart,
    toggle: () => openPanel(side.node.hasAttribute("hidden")),
  });
  const chat = h(
    "main",
    { class: "chat", "data-testid": "chat", "data-framework": "plain" },
    bar.node,
    talk.viewport,
    h("div", { class: "foot" }, talk.jump, foot.node),
  );

  function update(): void {
    const snapshot = agent.getSnapshot();
    set(chat, "data-status", snapshot.status);
    talk.update(snapshot);
    after.update();
    side.update();
    foot.update();
  }

  function openPanel(open: boolean): void {
    settings.panel = open;
    side.node.hidden = !open;
    bar.expanded(open);
  }

  function restart(): void {
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
      offs.push(
        talk.follow(),
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
      talk.suggest(featured(scenarios), ({ name, prompt }) => {
        foot.choose(name);
        void agent.submit(prompt);
      });
    },
    dispose() {
      for (const off of offs) off();
      side.dispose();
      if (!stored) agent.dispose();
    },
  };
}

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
import { composer, type Composer } from "./composer.js";
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

/** A thread that the server keeps: where it is asked, and how another one is begun. */
export interface StoredThread {
  readonly url: string;
  next(): void;
}

export class Conversation {
  readonly nodes: readonly Element[];
  readonly #agent: Agent;
  readonly #protocol: Protocol;
  readonly #stored: StoredThread | undefined;
  readonly #notices = new Notices();
  readonly #held = new HeldQuestions();
  readonly #offs: (() => void)[] = [];
  readonly #address = h("code", { "data-testid": "address" });
  readonly #chat: HTMLElement;
  readonly #talk: ReturnType<typeof transcript>;
  readonly #cards: ReturnType<typeof cards>;
  readonly #panel: ReturnType<typeof panel>;
  readonly #composer: Composer;

  /** @param onProtocol called with the name of another protocol that the user wants */
  constructor(agent: Agent, protocol: Protocol, settings: Settings, onProtocol: (name: string) => void, stored?: StoredThread) {
    this.#agent = agent;
    this.#protocol = protocol;
    this.#stored = stored;
    this.#composer = composer(agent, settings, (url) => say(this.#address, stored?.url ?? url));
    this.#cards = cards(agent);
    this.#panel = panel(agent);
    this.#talk = transcript(agent, this.#cards.node);
    const bar = toolbar(protocol.name, this.#address, {
      speak: onProtocol,
      inspect: () => void toggleInspector(agent),
      restart: () => this.#restart(),
      toggle: () => openPanel(this.#panel.node.hasAttribute("hidden")),
    });
    const openPanel = (open: boolean): void => {
      settings.panel = open;
      this.#panel.node.hidden = !open;
      bar.expanded(open);
    };
    this.#chat = h(
      "main",
      { class: "chat", "data-testid": "chat", "data-framework": "plain" },
      bar.node,
      this.#talk.viewport,
      h("div", { class: "foot" }, this.#talk.jump, this.#composer.node),
    );
    this.nodes = [this.#chat, this.#panel.node, toasts(this.#notices)];
    openPanel(settings.panel);
    this.#update();
  }

  /** The address to ask next. */
  url(): string {
    return this.#address.textContent;
  }

  offer(scenarios: readonly Scenario[]): void {
    this.#composer.offer(scenarios);
    if (scenarios.length > 0) listen(this.#agent, this.#protocol);
    this.#talk.suggest(featured(scenarios), ({ name, prompt }) => {
      this.#composer.choose(name);
      void this.#agent.submit(prompt);
    });
  }

  /** Begins to listen, once the nodes are in the page. */
  start(): void {
    const agent = this.#agent;
    this.#offs.push(
      this.#talk.follow(),
      agent.subscribe(() => this.#update()),
      this.#notices.subscribe(this.#panel.log),
      this.#notices.listen(agent),
      contract.listen(agent, this.#protocol),
      this.#held.subscribe(this.#cards.hold),
      this.#held.listen(agent, () => this.url()),
      announcer(agent, byId("announcer"), { words: { answer: textOf } }),
      this.#composer.takeFiles(this.#chat),
      listenForEscape(() => void agent.stop()),
    );
  }

  /** Ends the agent too, unless its thread is stored. */
  dispose(): void {
    for (const off of this.#offs) off();
    this.#panel.dispose();
    if (!this.#stored) this.#agent.dispose();
  }

  #update(): void {
    const snapshot = this.#agent.getSnapshot();
    set(this.#chat, "data-status", snapshot.status);
    this.#talk.update(snapshot);
    for (const part of [this.#cards, this.#panel, this.#composer]) part.update();
  }

  #restart(): void {
    if (this.#stored) this.#stored.next();
    else this.#agent.reset();
    this.#notices.clear();
    byId("input").focus();
  }
}

// The custom element. Its class is made when it is first asked for: on a server there is none to extend.

import type { Agent } from "../../api/types.js";
import type { LogLimits } from "../model/log.js";
import { grip, moveTo, type Dock } from "./dock.js";
import { openInspector, type ExportOptions, type Inspector } from "./inspector.js";
import { makeRoom } from "./room.js";
import { dress } from "./styles.js";

/** `<ag-ui-inspector>`: shows what its `agent` does while it is in a document. */
export interface AgUiInspectorElement extends HTMLElement {
  /** The agent that is looked at. */
  agent: Agent | undefined;
  /** The limits of the log. Read when the element is put into a document. */
  limits: LogLimits;
  /** The rows as a recording: JSON Lines. Empty while the element is in no document. */
  export(options?: ExportOptions): string;
  /**
   * Shows a recording in place of the agent.
   *
   * @throws {SyntaxError} where it is none
   */
  import(recording: string): void;
  /** Takes the element out of its document. */
  close(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "ag-ui-inspector": AgUiInspectorElement;
  }
}

const name = "ag-ui-inspector";

/** Registers `<ag-ui-inspector>`, unless that has been done. */
export function define(): void {
  if (!customElements.get(name)) customElements.define(name, elementClass());
}

function elementClass(): new() => AgUiInspectorElement {
  return class extends HTMLElement implements AgUiInspectorElement {
    static readonly observedAttributes = [];
    limits: LogLimits = {};
    #agent: Agent | undefined;
    #inspector: Inspector | undefined;
    #home: Document | undefined;
    #moving = false;
    #giveBack: (() => void) | undefined;
    readonly #root = this.attachShadow({ mode: "open" });

    get agent(): Agent | undefined {
      return this.#agent;
    }

    set agent(agent: Agent | undefined) {
      this.#agent = agent;
      this.#inspector?.look(agent);
    }

    connectedCallback(): void {
      // A framework, or the parser, may have set it before the element was defined.
      if (Object.hasOwn(this, "agent")) {
        const { agent } = this;
        delete (this as { agent?: unknown }).agent;
        this.agent = agent;
      }
      dress(this.#root);
      if (this.#inspector) return;
      this.#home = this.ownerDocument;
      const docked = this.hasAttribute("dock");
      this.#inspector = openInspector(this.limits, {
        dock: docked ? (dock) => this.#move(dock) : undefined,
        close: docked ? () => this.close() : undefined,
      });
      if (!this.hasAttribute("role")) this.setAttribute("role", "region");
      if (!this.hasAttribute("aria-label")) this.setAttribute("aria-label", "Inspector");
      this.#root.replaceChildren(grip(this), this.#inspector.node);
      this.#inspector.look(this.#agent);
      if (docked) this.#giveBack = makeRoom(this, this.ownerDocument);
      if (this.getAttribute("dock") === "window") this.#move("window");
    }

    disconnectedCallback(): void {
      if (this.#moving || this.isConnected) return;
      this.#inspector?.close();
      this.#inspector = undefined;
      this.#giveBack?.();
      this.#giveBack = undefined;
      this.#root.replaceChildren();
      this.dispatchEvent(new Event("close"));
    }

    #move(dock: Dock): void {
      const home = this.#home ?? document;
      this.#moving = true;
      const moved = moveTo(this, dock, home, () => this.getAttribute("dock") === "window" && this.#moved("bottom"));
      this.#moving = false;
      if (!moved) this.setAttribute("dock", "bottom");
      this.#giveBack?.();
      this.#giveBack = makeRoom(this, home);
      this.#inspector?.focus();
    }

    /** The window is closed: back to the page. */
    #moved(dock: Dock): void {
      if (this.isConnected) this.#move(dock);
    }

    export(options?: ExportOptions): string {
      return this.#inspector?.export(options) ?? "";
    }

    import(recording: string): void {
      this.#inspector?.import(recording);
    }

    override focus(): void {
      this.#inspector?.focus();
    }

    close(): void {
      const view = this.ownerDocument.defaultView;
      const inOwnWindow = this.getAttribute("dock") === "window" && this.ownerDocument !== this.#home;
      this.remove();
      if (inOwnWindow) view?.close();
    }
  };
}

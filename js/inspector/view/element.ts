// The custom element. Its class is made when it is first asked for: on a server there is none to extend.

import type { Agent } from "../../api/types.js";
import type { LogLimits } from "../model/log.js";
import type { ExportOptions } from "../model/subject.js";
import { grip } from "./dock.js";
import { openInspector, type Inspector } from "./inspector.js";
import { Placement } from "./placement.js";
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
    limits: LogLimits = {};
    #agent: Agent | undefined;
    #inspector: Inspector | undefined;
    #place: Placement | undefined;
    readonly #root = this.attachShadow({ mode: "open" });

    get agent(): Agent | undefined {
      return this.#agent;
    }

    set agent(agent: Agent | undefined) {
      this.#agent = agent;
      this.#inspector?.look(agent);
    }

    connectedCallback(): void {
      takeEarly(this, "agent");
      dress(this.#root);
      if (this.#inspector) return;
      const docked = this.hasAttribute("dock");
      const place = this.#place = new Placement(this);
      this.#inspector = openInspector(this.limits, docked ? { dock: (dock) => place.move(dock), close: () => this.close() } : {});
      if (!this.hasAttribute("role")) this.setAttribute("role", "region");
      if (!this.hasAttribute("aria-label")) this.setAttribute("aria-label", "Inspector");
      this.#root.replaceChildren(grip(this), this.#inspector.node);
      this.#inspector.look(this.#agent);
      if (docked) place.makeRoom();
      if (this.getAttribute("dock") === "window") place.move("window");
    }

    disconnectedCallback(): void {
      if (this.#place?.moving || this.isConnected) return;
      this.#inspector?.close();
      this.#inspector = undefined;
      this.#place?.releaseRoom();
      this.#root.replaceChildren();
      this.dispatchEvent(new Event("close"));
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
      const own = this.#place?.ownWindow;
      this.remove();
      own?.close();
    }
  };
}

/** Sets a property once more: a framework, or the parser, may have set it before the element was defined. */
function takeEarly<Key extends keyof AgUiInspectorElement>(element: AgUiInspectorElement, key: Key): void {
  if (!Object.hasOwn(element, key)) return;
  const value = element[key];
  delete (element as Partial<AgUiInspectorElement>)[key];
  element[key] = value;
}

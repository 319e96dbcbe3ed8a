// Where the inspector stands: at an edge of the page, or in a window of its own.

import type { Dock } from "./dock.js";
import { makeRoom } from "./room.js";

/** The place of an inspector, which comes from the page that it is in now. */
export class Placement {
  #moving = false;
  #release: (() => void) | undefined;
  readonly #host: HTMLElement;
  readonly #page: Document;

  constructor(host: HTMLElement) {
    this.#host = host;
    this.#page = host.ownerDocument;
  }

  /** Whether it is between two documents. */
  get moving(): boolean {
    return this.#moving;
  }

  /** The window of its own. */
  get ownWindow(): Window | undefined {
    const { ownerDocument } = this.#host;
    return this.#host.getAttribute("dock") === "window" && ownerDocument !== this.#page ? ownerDocument.defaultView ?? undefined : undefined;
  }

  /** Moves it, and the focus, to an edge of its page or into a window; to the lower edge where the browser opens none. */
  move(dock: Dock): void {
    this.#moving = true;
    const moved = dock === "window" ? this.#intoWindow() : this.#toEdge(dock);
    this.#moving = false;
    if (!moved) this.#host.setAttribute("dock", "bottom");
    this.makeRoom();
    this.#host.focus();
  }

  /** Makes room in the page for where it stands now. */
  makeRoom(): void {
    this.releaseRoom();
    this.#release = makeRoom(this.#host, this.#page);
  }

  /** Gives the room back to the page. */
  releaseRoom(): void {
    this.#release?.();
    this.#release = undefined;
  }

  #intoWindow(): boolean {
    const page = this.#page.defaultView;
    const opened = page?.open("", "", "popup,width=1100,height=700");
    if (!opened) return false;
    opened.document.title = "Inspector";
    opened.document.documentElement.lang = "en";
    opened.addEventListener("pagehide", () => {
      if (this.#host.isConnected && this.#host.getAttribute("dock") === "window") this.move("bottom");
    }, { once: true });
    page?.addEventListener("pagehide", () => opened.close(), { once: true });
    this.#host.setAttribute("dock", "window");
    opened.document.body.append(this.#host);
    return true;
  }

  #toEdge(dock: Dock): boolean {
    const old = this.#host.ownerDocument.defaultView;
    this.#host.style.removeProperty("--size");
    this.#host.setAttribute("dock", dock);
    if (old === this.#page.defaultView) return true;
    this.#page.body.append(this.#host);
    old?.close();
    return true;
  }
}

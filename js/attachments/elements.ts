// Without a framework: the elements of a page, given to the handlers.

import type { Attachments } from "./attachments.js";
import { createFileHandlers } from "./handlers.js";

/** Where a page takes files from. Each may be missing. */
export interface FileElements {
  /** An `<input>`. It becomes one for several files, of the types that `accept` names. */
  readonly input?: HTMLInputElement | null | undefined;
  /** Takes what is dropped on it. */
  readonly drop?: HTMLElement | null | undefined;
  /** Takes files that are pasted into it, and leaves text to the browser. */
  readonly paste?: HTMLElement | null | undefined;
  /** Called when files begin and cease to hover over `drop`. */
  onDragging?(dragging: boolean): void;
}

/**
 * Adds the files that are picked, dropped and pasted in a page without a framework. Returns a function that stops listening.
 *
 * @example
 * const files = createAttachments({ accept: "image/*" });
 * listenForFiles(files, {
 *   input: document.querySelector("input"),
 *   drop: document.body,
 *   paste: document.querySelector("textarea"),
 *   onDragging: (dragging) => document.body.classList.toggle("dragging", dragging),
 * });
 */
export function listenForFiles(files: Pick<Attachments, "add" | "accept">, { input, drop, paste, onDragging = () => {} }: FileElements): () => void {
  if (input) Object.assign(input, { type: "file", multiple: true, accept: files.accept });
  const { change, paste: pasted, ...dragged } = createFileHandlers(files, onDragging);
  const ends: (() => void)[] = [];
  const on = (element: HTMLElement | null | undefined, handlers: object): void => {
    for (const [type, handler] of Object.entries(handlers)) {
      element?.addEventListener(type, handler);
      ends.push(() => element?.removeEventListener(type, handler));
    }
  };
  on(input, { change });
  on(drop, dragged);
  on(paste, { paste: pasted });
  return () => ends.forEach((end) => end());
}

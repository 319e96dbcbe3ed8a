// Announcements to screen readers. They are few: the last one of each second.

import { h } from "./dom.js";

const quietMs = 1000;

/** A live region. */
export function createAnnouncer(): { readonly node: HTMLElement; announce(text: string): void; close(): void } {
  const node = h("div", { class: "unseen", role: "status" });
  let waiting: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = (): void => {
    timer = undefined;
    if (waiting === undefined) return;
    node.textContent = waiting;
    waiting = undefined;
    timer = setTimeout(next, quietMs);
  };
  return {
    node,
    announce: (text) => {
      waiting = text;
      if (timer === undefined) next();
    },
    close: () => clearTimeout(timer),
  };
}

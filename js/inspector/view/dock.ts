// The edges where an inspector is docked, and the grip by which it is made larger.

import { h } from "./dom.js";

/** Where an inspector that `inspect` opens stands. */
export type Dock = "bottom" | "right" | "window";

/** Whether it stands at the lower edge: also where a narrow window has no room beside the page. */
export function atBottom(host: HTMLElement): boolean {
  const { innerWidth } = host.ownerDocument.defaultView ?? window;
  return host.getAttribute("dock") === "bottom" || innerWidth < narrow;
}

// As in the styles: 44rem.
const narrow = 704;

/** The edge between the inspector and the page, by which it is made larger: with the pointer, or with arrow keys. */
export function grip(host: HTMLElement): HTMLElement {
  const node = h("div", { class: "grip", role: "separator", tabindex: 0, "aria-label": "Size of the inspector" });
  const bottom = (): boolean => atBottom(host);
  const turn = (): void => node.setAttribute("aria-orientation", bottom() ? "horizontal" : "vertical");
  const resize = (size: number): void => {
    const { innerHeight, innerWidth } = node.ownerDocument.defaultView ?? window;
    const most = bottom() ? innerHeight : innerWidth;
    // The page stays in sight, and its field.
    const within = Math.round(Math.max(120, Math.min(most * 0.8, size)));
    host.style.setProperty("--size", `${within}px`);
    node.setAttribute("aria-valuenow", String(Math.round((within / most) * 100)));
  };
  node.setAttribute("aria-valuenow", "50");
  node.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => {
    if (!node.hasPointerCapture(event.pointerId)) return;
    const { innerHeight, innerWidth } = node.ownerDocument.defaultView ?? window;
    resize(bottom() ? innerHeight - event.clientY : innerWidth - event.clientX);
  });
  node.addEventListener("focus", turn);
  turn();
  node.addEventListener("keydown", ({ key }) => {
    const { offsetHeight, offsetWidth } = host;
    const step = { ArrowUp: 24, ArrowLeft: 24, ArrowDown: -24, ArrowRight: -24 }[key];
    if (step) resize((bottom() ? offsetHeight : offsetWidth) + step);
  });
  return node;
}

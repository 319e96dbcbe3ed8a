// The page makes room for an inspector that is docked: padding at that edge of the document, and the two custom properties for pages
// that take the whole window.

import { atBottom, type Dock } from "./dock.js";

const bottom = "--ag-ui-inspector-bottom";
const right = "--ag-ui-inspector-right";

/** Keeps the room as large as the inspector until what it returns is called. */
export function makeRoom(host: HTMLElement, home: Document): () => void {
  const { style } = home.documentElement;
  const [paddingBottom, paddingRight] = [style.paddingBottom, style.paddingRight];
  const fit = (): void => {
    const dock = host.ownerDocument === home ? (host.getAttribute("dock") as Dock | null) : null;
    const height = dock && dock !== "window" && atBottom(host) ? host.offsetHeight : 0;
    const width = dock && dock !== "window" && !atBottom(host) ? host.offsetWidth : 0;
    style.setProperty(bottom, `${height}px`);
    style.setProperty(right, `${width}px`);
    style.paddingBottom = height ? `${height}px` : paddingBottom;
    style.paddingRight = width ? `${width}px` : paddingRight;
  };
  fit();
  const view = home.defaultView;
  // Its size follows the window, the grip and the edge. A document that nobody sees has no observer.
  const observer = view && "ResizeObserver" in view ? new (view as Window & typeof globalThis).ResizeObserver(fit) : undefined;
  observer?.observe(host);
  view?.addEventListener("resize", fit);
  return () => {
    observer?.disconnect();
    view?.removeEventListener("resize", fit);
    style.removeProperty(bottom);
    style.removeProperty(right);
    [style.paddingBottom, style.paddingRight] = [paddingBottom, paddingRight];
  };
}

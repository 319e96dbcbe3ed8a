import { JSDOM } from "jsdom";

/** Gives this process a page: what React and Svelte take from the global object. Returns what lets the process end. */
export function openPage() {
  // React's ports would keep the process alive for ever.
  const ports = [];
  globalThis.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      ports.push(new WeakRef(this.port1));
    }
  };

  const { window } = new JSDOM("", { url: "http://localhost/" });
  globalThis.window = window;
  globalThis.document = window.document;
  // A getter in newer Nodes, absent in older ones.
  Object.defineProperty(globalThis, "navigator", { value: window.navigator, configurable: true });
  for (const name of ["Node", "Element", "Text", "Comment", "HTMLElement", "Event"]) globalThis[name] = window[name];
  return () => ports.forEach((port) => port.deref()?.close());
}

// The buttons at the top: clear, import, export, where the inspector stands.

import { cut } from "../model/text.js";
import { button, h } from "./dom.js";
import type { Dock } from "./dock.js";

/** The actions of the buttons. */
export interface ActionTargets {
  clear(): void;
  export(options: { readonly redact: boolean }): string;
  import(recording: string): void;
  /** A file could not be imported. */
  failed(error: unknown): void;
  announce(text: string): void;
  /** The thread that is shown; files are named after it. */
  thread(): string;
  /** Moves the inspector; absent: it stands where the page has put it. */
  readonly dock: ((dock: Dock) => void) | undefined;
}

/** The element with the buttons. */
export function actions(targets: ActionTargets): HTMLElement {
  const redact = h("input", { type: "checkbox" });
  const node = h("div", { class: "actions" });
  const save = (): void => {
    const text = targets.export({ redact: redact.checked });
    download(text, `recording-${cut(targets.thread(), 40).replace(/[^\w-]/g, "_")}.jsonl`, node.ownerDocument.defaultView ?? window);
    targets.announce(redact.checked ? "Exported, redacted" : "Exported");
  };
  const load = async (): Promise<void> => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    try {
      targets.import(await chosen.text());
    } catch (error) {
      targets.failed(error);
    }
    file.value = "";
  };
  const file = h("input", {
    type: "file",
    accept: ".jsonl,.ndjson,.json,.txt",
    hidden: true,
    "aria-label": "A recording to import",
    change: () => void load(),
  });
  const places = targets.dock ? ([["Bottom", "bottom"], ["Right", "right"], ["Window", "window"]] as const) : [];
  node.append(
    button("Clear", targets.clear),
    button("Import", () => file.click()),
    file,
    button("Export", save),
    h("label", { title: "Masks what people and servers have written; lengths and structure stay" }, redact, "redact"),
    ...places.map(([label, dock]) =>
      button(label, () => targets.dock?.(dock), { "data-dock": dock, title: dock === "window" ? "In a window of its own" : `Docked at the ${dock}` })
    ),
  );
  return node;
}

/** Saves a text as a file. */
function download(text: string, name: string, view: Window): void {
  const { URL, Blob } = view as Window & typeof globalThis;
  const url = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  h("a", { href: url, download: name }).click();
  view.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

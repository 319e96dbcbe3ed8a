// `ag-ui-wasm/inspector`: shows what an agent does. Importing it does nothing: `define()` registers the element, and `inspect`
// calls it.

import type { Agent } from "../api/types.js";
import type { LogLimits } from "./model/log.js";
import type { Dock } from "./view/dock.js";
import { define, type AgUiInspectorElement } from "./view/element.js";
import type { ExportOptions } from "./model/subject.js";

export { define, type AgUiInspectorElement } from "./view/element.js";
export { redactRecording } from "./model/redact.js";
export type { LogLimits } from "./model/log.js";
export type { Dock } from "./view/dock.js";
export type { ExportOptions } from "./model/subject.js";

/** How an inspector is opened. */
export interface InspectOptions extends LogLimits {
  /** Where it stands. Default: `bottom`. */
  readonly dock?: Dock | undefined;
  /** Default: what the person prefers. */
  readonly theme?: "light" | "dark" | undefined;
  /** Called once it is closed, by whomever. */
  readonly onClose?: (() => void) | undefined;
}

/** An inspector that is open. */
export interface InspectorHandle {
  readonly element: AgUiInspectorElement;
  /** The rows as a recording: JSON Lines, to be imported again or played by `scriptedAgent` of `ag-ui-wasm/testing`. */
  export(options?: ExportOptions): string;
  /** Closes it. Idempotent. */
  close(): void;
}

/**
 * Opens an inspector in the page. The focus moves to it, and back when it is closed.
 *
 * @example
 * const { inspect } = await import("ag-ui-wasm/inspector");
 * const inspector = inspect(agent, { dock: "right" });
 * inspector.close();
 */
export function inspect<State = unknown>(agent: Agent<State>, { dock = "bottom", theme, onClose, ...limits }: InspectOptions = {}): InspectorHandle {
  define();
  const before = document.activeElement;
  const element = document.createElement("ag-ui-inspector");
  element.limits = limits;
  element.agent = agent as unknown as Agent;
  element.setAttribute("dock", dock);
  if (theme) element.setAttribute("theme", theme);
  element.addEventListener("close", () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus();
    onClose?.();
  }, { once: true });
  document.body.append(element);
  element.focus();
  return {
    element,
    export: (options) => element.export(options),
    close: () => {
      if (element.isConnected) element.close();
    },
  };
}

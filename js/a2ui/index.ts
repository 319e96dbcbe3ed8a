// A2UI surfaces of a thread, over a processor of @a2ui/web_core. Imports nothing of it, and loads no WebAssembly.

import { AgentError } from "../api/error.js";
import type { Agent, Message } from "../api/types.js";
import { createSurfaces, type SurfaceProcessor } from "./surfaces.js";

export type { SurfaceProcessor } from "./surfaces.js";

/** The options of `connectSurfaces`. */
export interface SurfaceOptions {
  /** Which activities have surfaces. Default: `a2ui-surface`. */
  readonly activityType?: string | undefined;
  /** Sent beside the action. Default: nothing. */
  readonly forwardedProps?: Readonly<Record<string, unknown>> | undefined;
  /**
   * An operation that the processor refuses (code `a2ui-operation`): the others are applied all the same. Or a run for an action that could not be
   * made. Default: the console.
   */
  onError?(error: AgentError): void;
}

/**
 * Shows the A2UI surfaces of a thread: applies the operations of its activities to a `MessageProcessor` of `@a2ui/web_core`, and sends what a person does
 * in a surface to the agent, as `forwardedProps.a2uiAction`. Returns a function that ends both; the surfaces stay.
 *
 * Only operations that are new are applied, so what a person has typed stays while a surface grows. A surface that was changed in another way is
 * made anew, and one whose activity is gone is deleted.
 *
 * @example
 * const processor = new MessageProcessor([basicCatalog]);
 * processor.onSurfaceCreated((surface) => show(surface));
 * const off = connectSurfaces(agent, processor);
 */
export function connectSurfaces<State>(agent: Agent<State>, processor: SurfaceProcessor, options: SurfaceOptions = {}): () => void {
  if (typeof processor?.processMessages !== "function" || typeof processor.model?.getSurface !== "function") {
    const message = 'connectSurfaces() expects a MessageProcessor of "@a2ui/web_core/v0_9", version 0.9 to 0.11';
    throw new AgentError({ kind: "unsupported", code: "peer", message });
  }
  const { activityType = "a2ui-surface", forwardedProps, onError = (error) => console.error(error) } = options;
  const surfaces = createSurfaces(processor, onError);
  let shown: readonly Message[] | undefined;
  const look = (): void => {
    const { messages } = agent.getSnapshot();
    if (messages === shown) return;
    shown = messages;
    surfaces.show(messages.flatMap((message) => (message.role === "activity" && message.activityType === activityType ? [message] : [])));
  };
  const failed = (cause: unknown): void => onError(AgentError.is(cause) ? cause : new AgentError({ kind: "internal", message: String(cause), cause }));
  const act = (userAction: unknown): void => {
    agent.submit({ forwardedProps: { ...forwardedProps, a2uiAction: { userAction } } }).catch(failed);
  };
  const off = agent.subscribe(look);
  const actions = processor.model.onAction.subscribe(act);
  look();
  return () => {
    off();
    actions.unsubscribe();
  };
}

import { call } from "./call.js";
import { expect, expectList } from "./failure.js";
import type { AgentEvents, AgentListeners, AgentOptions, AgUiEvent, CustomEventData, EventFilter } from "../api/types.js";

type Name = keyof AgentListeners;
type Detail<N extends Name> = Parameters<AgentListeners[N]>[0];

/** Calls the options' callbacks and what was registered with `agent.on`. */
export type Emitter = ReturnType<typeof createEmitter>;

// So many events wait for a reader of `events` that is slower than they come, or has stopped reading.
const maxWaiting = 1000;

/** The options that are called with what happens. */
export const callbacks = { decision: "onDecision", event: "onEvent", warning: "onWarning", error: "onError", finish: "onFinish" } as const;

/** An emitter that reads the callbacks at the time of the call. */
export function createEmitter(options: () => AgentOptions) {
  // One set for all: a listener registered twice is two registrations.
  const listeners = new Set<{ name: Name; listener: (detail: never) => void; types: readonly string[] | undefined }>();
  const readers = new Set<() => void>();
  let closed = false;

  const callback = (name: Name): ((detail: never) => void) | undefined => options()[callbacks[name as keyof typeof callbacks]];

  const on = <N extends Name>(name: N, listener: AgentListeners[N], filter?: EventFilter): () => void => {
    expect(`on(${String(name)})`, "function", listener);
    if (filter?.types) expectList("filter.types", "string", filter.types);
    // A copy: what the core is given has been looked at.
    const entry = { name, listener, types: filter?.types && [...filter.types] };
    if (!closed) listeners.add(entry);
    return () => void listeners.delete(entry);
  };

  /** `skipCallback`: the callback of the options is not called, because that of another agent is. */
  const emit = <N extends Name>(name: N, detail: Detail<N>, skipCallback?: boolean): void => {
    const wants = (types: readonly string[] | undefined) => name !== "event" || !types || types.includes((detail as AgUiEvent).type);
    if (!skipCallback && wants(options().eventTypes)) call(callback(name), detail as never);
    for (const entry of [...listeners]) {
      if (entry.name === name && wants(entry.types) && listeners.has(entry)) call(entry.listener, detail as never);
    }
  };

  return {
    on,
    emit,
    /** Whether anybody listens. */
    has: (name: Name): boolean => !!callback(name) || [...listeners].some((entry) => entry.name === name),
    /** For each listener to events the types that it listens to; `undefined`: all. */
    filters: (): readonly (readonly string[] | undefined)[] => {
      const filters = [...listeners].filter(({ name }) => name === "event").map(({ types }) => types);
      return callback("event") ? [...filters, options().eventTypes] : filters;
    },
    events: {
      subscribe: (listener) => on("custom", listener),
      [Symbol.asyncIterator]: () => createReader({ on, emit }, readers, closed),
    } as AgentEvents,
    /** Ends the streams of events, and all listening. */
    close: (): void => {
      closed = true;
      for (const end of readers) end();
      listeners.clear();
    },
  };
}

/** A reader of the custom events. Its end is in `readers` until it is called; `done`: that was before. */
function createReader({ on, emit }: Pick<Emitter, "on" | "emit">, readers: Set<() => void>, done: boolean): AsyncIterator<CustomEventData> {
  const waiting: CustomEventData[] = [];
  let wake: (() => void) | undefined;
  let lossy = false;
  const off = on("custom", (event) => {
    waiting.push(event);
    wake?.();
    if (waiting.length <= maxWaiting) return;
    waiting.shift();
    if (lossy) return;
    lossy = true;
    const message = `agent.events: the last ${maxWaiting} wait for a slow reader`;
    emit("warning", { code: "events-dropped", message });
  });
  const end = (): void => {
    done = true;
    off();
    readers.delete(end);
    wake?.();
  };
  if (!done) readers.add(end);
  return {
    async next() {
      while (!waiting.length && !done) await new Promise<void>((resolve) => (wake = resolve));
      const value = waiting.shift();
      lossy &&= waiting.length > 0;
      return { value, done: !value } as IteratorResult<CustomEventData>;
    },
    async return() {
      waiting.length = 0;
      end();
      return { value: undefined, done: true };
    },
  };
}

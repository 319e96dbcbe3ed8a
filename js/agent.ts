import { AgentError } from "./error.js";
import { call, createEmitter } from "./emitter.js";
import { misuse } from "./failure.js";
import { initialSnapshot } from "./initial.js";
import { toCoreInput, toRunInput, toTarget, uuid } from "./input.js";
import { createLink, type Run } from "./link.js";
import type { Core } from "./loader.js";
import type { Agent, AgentOptions, AgentSnapshot, Message, RunResult, SubmitInput } from "./types.js";

/**
 * An agent over a core that is loaded when it is first needed. The entries of the package differ in the source only.
 *
 * @internal
 */
export function createAgentWith<State>(source: () => Promise<Core>, given: AgentOptions<State>): Agent<State> {
  const { threadId = uuid(), initialMessages = [], initialState, notify, limits = {} } = given;
  const { rules = "tolerant", protocol = "1.0" } = given;
  // As the core reads it, which comes too late to tell of a mistake where it was made.
  if (!/^(1\.0|0\.0\.(0|[1-9]\d{0,2}))$/.test(protocol)) {
    throw misuse(new TypeError(`expected "1.0" or "0.0.x" as protocol, not ${JSON.stringify(protocol)}`));
  }
  const first = initialSnapshot(threadId, initialMessages, initialState);
  const listeners = new Set<{ listener: () => void }>();
  // Read at the time of every call, so that a binding can keep callbacks and headers fresh.
  let options = given;
  let snapshot: AgentSnapshot<State> = first;
  let disposed = false;

  const emitter = createEmitter(() => options);
  const link = createLink<State>({
    source,
    notify,
    settings: {
      threadId,
      rules,
      protocol,
      events: false,
      maxFrameBytes: limits.frameBytes ?? 10 * 2 ** 20,
      maxErrorBodyBytes: limits.errorBodyBytes ?? 64 * 2 ** 10,
      maxQueue: limits.queue ?? 32,
      maxDepth: limits.depth ?? 512,
      graceMs: limits.graceMs ?? 1000,
    },
    emitter,
    request: () => toTarget(options),
    read: () => snapshot,
    publish: (next) => {
      if (next === snapshot) return;
      snapshot = next;
      for (const entry of [...listeners]) if (listeners.has(entry)) call(entry.listener);
    },
  });

  const alive = (): void => {
    if (disposed) {
      throw new AgentError({ kind: "unsupported", code: "disposed", message: "The agent has been disposed of" });
    }
  };

  /** JSON text, or the application's mistake. */
  const toJson = (value: unknown): string => {
    try {
      return JSON.stringify(value) ?? "null";
    } catch (cause) {
      throw misuse(cause);
    }
  };

  /** Starts a run and waits for its end. */
  const run = (
    parts: Pick<Run<State>, "id" | "start"> & Partial<Run<State>>,
    signal?: AbortSignal,
  ): Promise<RunResult> =>
    new Promise((resolve, reject) => {
      const stop = (): void => link.cancel(job);
      const end = (): void => signal?.removeEventListener("abort", stop);
      const job: Run<State> = {
        ifBusy: "queue",
        again: parts.start,
        fold: (at) => at,
        ...parts,
        resolve: (result) => (end(), resolve(result)),
        reject: (error) => (end(), reject(error)),
      };
      signal?.addEventListener("abort", stop);
      link.run(job);
      // Aborted by a listener, before there was something to cancel.
      if (signal?.aborted) stop();
    });

  const submit = async (input: string | SubmitInput<State>): Promise<RunResult> => {
    alive();
    const long = typeof input === "string" ? { message: input } : input;
    if (typeof long !== "object" || !long) throw misuse(new TypeError("submit takes a text or an object"));
    const { state, signal } = long;
    const core = toCoreInput(options, long, snapshot.interrupts);
    const { runId: id, messages } = core;
    if (signal?.aborted) return { runId: id, outcome: "aborted" };
    const json = toJson(core);
    return run(
      {
        id,
        ifBusy: core.ifBusy,
        start: (session) => session.submit(json),
        again: (session) =>
          core.resume ? session.submit(toJson({ ...core, messages: [], state: undefined })) : session.retry(json),
        fold: (at) => ({
          ...at,
          messages: [...at.messages, ...messages.filter(({ id }) => !at.messages.some((old) => old.id === id))],
          state: merge(at.state, state),
        }),
      },
      signal,
    );
  };

  /** As the core does it: members of an object are merged, anything else replaces. */
  const merge = (old: State, state: State | Partial<State> | undefined): State => {
    if (state === undefined) return old;
    const mergeable = [old, state].every((value) => typeof value === "object" && value && !Array.isArray(value));
    return mergeable ? { ...old, ...state } : (state as State);
  };

  const setMessages: Agent<State>["setMessages"] = (next) => {
    alive();
    const messages: readonly Message[] = typeof next === "function" ? next(snapshot.messages) : next;
    const json = toJson(messages);
    const shown = initialSnapshot(threadId, messages);
    link.edit({
      fold: (at) => ({ ...at, messages: shown.messages, toolCalls: shown.toolCalls }),
      apply: (session) => session.setMessages(json),
    });
  };

  const setState: Agent<State>["setState"] = (next) => {
    alive();
    const state = typeof next === "function" ? (next as (state: State) => State)(snapshot.state) : next;
    const json = toJson(state);
    link.edit({ fold: (at) => ({ ...at, state }), apply: (session) => session.setState(json) });
  };

  const dispose = (): void => {
    if (disposed) return;
    disposed = true;
    link.dispose();
    emitter.close();
  };

  const agent: Omit<Agent<State>, typeof Symbol.dispose> = {
    subscribe: (listener) => {
      const entry = { listener };
      listeners.add(entry);
      // Somebody looks: have the core there when the first message goes out. Not on a server, which never asks it.
      if (typeof document === "object") void link.load();
      return () => void listeners.delete(entry);
    },
    getSnapshot: () => snapshot,
    getServerSnapshot: () => first,
    submit,
    stop: async () => link.stop(),
    retry: async () => {
      alive();
      const lost = link.lost();
      const input = toRunInput(options);
      if (lost) return run({ id: lost.id, start: lost.again });
      if (snapshot.error?.code === "load") {
        // Nothing has run yet: only the core has to come.
        await link.load();
        const { error } = snapshot;
        return error ? { runId: input.runId, outcome: "error", error } : { runId: input.runId, outcome: "dropped" };
      }
      const json = toJson(input);
      return run({ id: input.runId, start: (session) => session.retry(json) });
    },
    regenerate: async (messageId) => {
      alive();
      const input = toRunInput(options);
      const json = toJson(input);
      return run({ id: input.runId, start: (session) => session.regenerate(messageId, json) });
    },
    resume: (resume) => submit({ resume }),
    setMessages,
    setState,
    reset: () => {
      alive();
      const { messages, state } = first;
      const json = [toJson(messages), toJson(state)] as const;
      link.reset({
        fold: () => first,
        apply: (session) => {
          session.reset();
          session.setMessages(json[0]);
          session.setState(json[1]);
        },
      });
    },
    dispose,
    on: (name, listener) => {
      const off = emitter.on(name, listener);
      link.listen();
      return () => {
        off();
        link.listen();
      };
    },
    events: emitter.events,
    setOptions: (next) => {
      options = next;
      link.listen();
    },
  };
  // Older engines have no such symbol.
  return (Symbol.dispose ? { ...agent, [Symbol.dispose]: dispose } : agent) as Agent<State>;
}

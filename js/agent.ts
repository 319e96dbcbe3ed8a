import { AgentError } from "./error.js";
import { call, createEmitter } from "./emitter.js";
import { misuse } from "./failure.js";
import type { SessionOptions } from "./glue/core.js";
import { createGuard, toPolicy } from "./guard.js";
import { createHistory } from "./history.js";
import { initialSnapshot } from "./initial.js";
import { findTool, isAnswer, toAnswer, toCoreInput, toRunInput } from "./input.js";
import { createLink, type Client, type Link, type Run } from "./link.js";
import type { Core } from "./loader.js";
import { createKeeper, readSaved, refusal, type SavedAgent } from "./persist.js";
import { stopRemote, toNetwork, toTarget } from "./request.js";
import { createCalls, isPromise } from "./tools.js";
import type { Agent, AgentOptions, AgentSnapshot, Checkpoint, Message, PageTool, QueuedSubmit, RunResult, SubmitInput } from "./types.js";
import { uuid } from "./uuid.js";
import { createWaker } from "./wake.js";

/**
 * An agent over a core that is loaded when it is first needed. The entries of the package differ in the source only.
 * `full`: it is the one with the dialects. `linked` makes the link to it.
 *
 * @internal
 */
export function createAgentWith<State>(
  source: () => Promise<Core>,
  given: AgentOptions<State>,
  full = false,
  linked: (client: Client<State>) => Link<State> = createLink,
): Agent<State> {
  const { initialMessages = [], initialState, notify, limits = {} } = given;
  const { rules = "tolerant", protocol = "1.0" } = given;
  // As the core reads it, which comes too late to tell of a mistake where it was made.
  if (!/^(1\.0|0\.0\.(0|[1-9]\d{0,2}))$/.test(protocol)) {
    throw misuse(new TypeError(`expected "1.0" or "0.0.x" as protocol, not ${JSON.stringify(protocol)}`));
  }
  const { name: dialect, ...ownSettings } = typeof given.dialect === "string" ? { name: given.dialect } : (given.dialect ?? {});
  const missing = full ? undefined : dialect ? "dialect" : given.guard ? "guard" : undefined;
  if (missing) {
    const message = `"${missing}" is an option of createAgent() from "ag-ui-wasm/full"`;
    throw new AgentError({ kind: "unsupported", code: missing, message });
  }
  const { persist } = given;
  const first = initialSnapshot(given.threadId ?? uuid(), initialMessages, initialState);
  const listeners = new Set<{ listener: () => void }>();
  // Read at the time of every call, so that a binding can keep callbacks and headers fresh.
  let options = given;
  let snapshot: AgentSnapshot<State> = first;
  let disposed = false;
  let restoring: Promise<void> | undefined;
  // Nothing has changed yet that would have to be saved.
  let quiet = true;
  // Tools that a submit has brought with it. The results of their calls may come long after.
  const brought = new Map<string, PageTool>();

  const emitter = createEmitter(() => options);
  const calls = createCalls({
    find: (name) => brought.get(name) ?? findTool(options, name),
    agent: () => agent as unknown as Agent,
    settle: (json) => void link.now((session) => session.settleCall(json)),
    hold: (json) => void link.now((session) => session.hold(json)),
  });
  const settings: SessionOptions = {
    threadId: first.threadId,
    rules,
    protocol,
    dialect,
    // The address may tell a dialect how it is spoken there.
    dialectSettings: JSON.stringify(dialect ? { url: typeof given.url === "function" ? undefined : given.url, ...ownSettings } : {}),
    events: false,
    guard: given.guard && toPolicy(given.guard),
    decisions: false,
    maxFrameBytes: limits.frameBytes ?? 10 * 2 ** 20,
    maxErrorBodyBytes: limits.errorBodyBytes ?? 64 * 2 ** 10,
    maxQueue: limits.queue ?? 32,
    maxDepth: limits.depth ?? 512,
    maxHistory: limits.history ?? 100,
    graceMs: limits.graceMs ?? 1000,
    network: toNetwork(given),
  };
  const history = createHistory<State>(settings.maxHistory);
  const wait = createWaker(() => link.now((session) => session.online()));
  const link = linked({
    source: async () => {
      const core = source();
      // Whether it comes or not, the save comes first.
      core.catch(() => {});
      await restoring;
      return core;
    },
    notify,
    settings,
    emitter,
    calls,
    empty: () => ({ ...first, threadId: settings.threadId }),
    refused: (error) => emitter.emit("error", refusal(error)),
    request: (resume, runId, cursor) => toTarget(options, { resume, threadId: snapshot.threadId, runId, cursor }),
    stopRemote: (runId) => {
      stopRemote(options, { threadId: snapshot.threadId, runId }).catch((cause: unknown) => {
        const message = `The server could not be told of the stop: ${cause instanceof Error ? cause.message : String(cause)}`;
        emitter.emit("warning", { code: "stop-failed", message });
      });
    },
    read: () => snapshot,
    mark: history.add,
    publish: (next) => {
      history.published();
      if (next === snapshot) return;
      snapshot = next;
      wait(next.connection.phase === "reconnecting");
      if (!quiet) keeper?.touch();
      for (const entry of [...listeners]) if (listeners.has(entry)) call(entry.listener);
    },
  });

  const keeper =
    persist &&
    createKeeper(
      persist,
      () => (link.latest ? link.latest().then(toSaved) : save()),
      (cause) => {
        const message = `The agent could not be saved: ${cause instanceof Error ? cause.message : String(cause)}`;
        emitter.emit("warning", { code: "not-saved", message });
      },
    );
  if (keeper) emitter.on("finish", keeper.save);

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
    const { state, signal, replaces } = long;
    const core = toCoreInput(options, long, snapshot.interrupts);
    const { runId: id, messages } = core;
    bring(long.tools);
    if (signal?.aborted) return { runId: id, outcome: "aborted" };
    const json = toJson(core);
    return run(
      {
        id,
        ifBusy: core.ifBusy,
        start: (session) => session.submit(json),
        again: (session) => {
          const rest = { ...core, messages: [], replaces: undefined };
          return core.resume ? session.submit(toJson({ ...rest, state: undefined })) : session.retry(toJson(rest));
        },
        fold: (at) => {
          const cut = at.messages.findIndex((old) => old.id === replaces);
          const kept = cut < 0 ? at.messages : at.messages.slice(0, cut);
          const added = messages.filter(({ id }) => !kept.some((old) => old.id === id));
          return { ...at, messages: [...kept, ...added], state: merge(at.state, state) };
        },
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

  /** Tools that came with a submit, in place of the options'; without any, the options' stand again. */
  const bring = (tools: SubmitInput["tools"]): void => {
    for (const tool of tools ?? []) brought.set(tool.name, tool as PageTool);
    if (!tools) for (const name of brought.keys()) if (findTool(options, name)) brought.delete(name);
  };

  const resume: Agent<State>["resume"] = async (answers) => {
    if (!isAnswer(answers)) return submit({ resume: answers });
    alive();
    const answer = toAnswer(options, answers);
    const json = toJson(answer);
    return run({ id: answer.run.runId, start: (session) => session.answer(json), part: true });
  };

  /** What a person decides about a call. The core may have to come first. */
  const decide = (method: "settleCall" | "deny", json: string): void => {
    alive();
    link.act((session) => session[method](json));
  };

  /** The submit that waits under that id, if it still does. */
  const queued = (id: string): QueuedSubmit | undefined => {
    alive();
    link.flush();
    return snapshot.queue.find((waiting) => waiting.id === id);
  };

  const editQueued: Agent<State>["editQueued"] = (id, input) => {
    const waiting = queued(id);
    if (!waiting) return false;
    const { runId } = waiting;
    const core = toCoreInput(options, { ...(typeof input === "string" ? { message: input } : input), runId }, snapshot.interrupts);
    // It stays the same row of the page.
    const [message] = waiting.messages;
    const own = typeof input === "object" && typeof input.message === "object" && input.message.id;
    const messages = message && !own ? core.messages.map((edited) => ({ ...edited, id: message.id })) : core.messages;
    const json = toJson({ ...core, messages });
    return link.now((session) => session.editQueued(Number(id), json)) ?? false;
  };

  const cancelQueued: Agent<State>["cancelQueued"] = (id) => {
    const waits = !!queued(id);
    if (waits) link.now((session) => session.cancel(Number(id)));
    return waits;
  };

  const save = (): SavedAgent => toSaved(link.save());

  /** What the core has saved, or what the snapshot tells. */
  const toSaved = (json: string | undefined): SavedAgent => {
    if (json) return JSON.parse(json);
    const { threadId, messages, state } = snapshot;
    // As the core writes one of a thread in which nothing waits.
    const rest = { interrupts: [], handled: [], unsent: [], queue: [] };
    return { v: 1, threadId, messages, state, ...rest };
  };

  const setMessages: Agent<State>["setMessages"] = (next) => {
    alive();
    const messages: readonly Message[] = typeof next === "function" ? next(snapshot.messages) : next;
    const json = toJson(messages);
    const shown = initialSnapshot("", messages);
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

  const idOf = (checkpoint: Checkpoint | string): string => (typeof checkpoint === "string" ? checkpoint : checkpoint.id);

  const fork = (checkpoint: Checkpoint | string): void => {
    alive();
    const then = history.at(idOf(checkpoint));
    if (!then) {
      const message = `There is no checkpoint ${idOf(checkpoint)} any more, or there never was`;
      throw misuse(Object.assign(new Error(message), { code: "checkpoint-unknown" }));
    }
    const { threadId } = snapshot;
    const { messages, toolCalls } = initialSnapshot("", then.messages);
    const interrupts = then.interrupts.map((interrupt) => ({ ...interrupt, answered: undefined }));
    const { state } = then;
    // As a save of that time: its calls have been executed, or shall not be any more.
    const handled = then.toolCalls.map(({ id }) => id);
    const json = toJson({ v: 1, threadId, messages, state, interrupts, handled, unsent: [], queue: [] });
    link.reset({
      fold: () => ({ ...initialSnapshot<State>(threadId), messages, toolCalls, state, interrupts: then.interrupts }),
      apply: (session) => {
        session.reset();
        session.restore(json);
      },
    });
    keeper?.save();
  };

  const dispose = (): void => {
    if (disposed) return;
    keeper?.save();
    keeper?.dispose();
    disposed = true;
    link.dispose();
    history.clear();
    wait(false);
    emitter.close();
  };

  const guard = createGuard({
    count: () => link.now((session) => session.guardCounters?.()),
    present: (json) => {
      alive();
      const capabilities = JSON.parse(json);
      // A session that begins later has them too.
      if (settings.guard) settings.guard = toPolicy({ ...JSON.parse(settings.guard), capabilities });
      link.now((session) => session.present?.(json));
    },
  });

  const send: Agent<State>["send"] = (event) => {
    alive();
    const json = typeof event === "string" ? event : toJson(event);
    const judged = link.now((session) => session.judgeInbound?.(json));
    const unjudged = { allowed: true, eventType: "", direction: "inbound", at: Date.now() } as const;
    const decision = judged ? JSON.parse(judged) : unjudged;
    if (!decision.allowed) return decision;
    const { threadId, runId = "" } = snapshot;
    // A guard that is not there yet has not been asked.
    if (!!settings.guard > !!judged || !options.transport?.send?.(json, { threadId, runId })) {
      const message = "Nothing is open over which an event could be sent";
      throw new AgentError({ kind: "unsupported", code: "not-sent", message });
    }
    return decision;
  };

  const methods: Omit<Agent<State>, typeof Symbol.dispose> = {
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
    disconnect: async () => {
      alive();
      await link.now((session) => session.disconnect());
    },
    attach: async (runId) => {
      alive();
      const input = { ...toRunInput(options), runId };
      const json = toJson(input);
      return run({ id: runId ?? snapshot.runId ?? "", start: (session) => session.attach(json) });
    },
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
    resume,
    addToolResult: ({ toolCallId, result, error }) => decide("settleCall", toJson({ toolCallId, result, error })),
    approve: (toolCallId, args) => {
      alive();
      const json = toJson({ toolCallId, args });
      link.act((session) => calls.approve(toolCallId, () => session.approve(json)));
    },
    deny: (toolCallId, reason) => decide("deny", toJson({ toolCallId, reason })),
    editQueued,
    cancelQueued,
    setMessages,
    setState,
    get history() {
      return history.list;
    },
    at: (checkpoint) => history.at(idOf(checkpoint)),
    fork,
    save,
    reset: () => {
      alive();
      history.clear();
      const { messages, state } = first;
      const json = [toJson(messages), toJson(state)] as const;
      link.reset({
        fold: ({ threadId }) => (threadId === first.threadId ? first : { ...first, threadId }),
        apply: (session) => {
          session.reset();
          session.setMessages(json[0]);
          session.setState(json[1]);
        },
      });
      history.published();
      keeper?.save();
    },
    dispose,
    guard,
    send,
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
  const agent = methods as Agent<State>;
  // Older engines have no such symbol.
  if (Symbol.dispose) agent[Symbol.dispose] = dispose;

  const begin = (value: unknown): void => {
    if (value === undefined || value === null) return link.restore();
    const saved = readSaved(value, given.threadId);
    const { threadId, messages, state } = saved;
    settings.threadId = threadId;
    quiet = true;
    link.restore(initialSnapshot(threadId, messages, state as State), JSON.stringify(saved));
    quiet = false;
  };
  const refuse = (cause: unknown): void => {
    link.restore();
    const error = AgentError.is(cause) ? cause : refusal(cause);
    // The application has no agent to listen to before.
    queueMicrotask(() => disposed || emitter.emit("error", error));
  };
  try {
    const value = given.restore ?? persist?.load();
    if (value) link.await();
    if (isPromise(value)) restoring = value.then(begin).catch(refuse);
    else begin(value);
  } catch (cause) {
    refuse(cause);
  }
  quiet = false;

  return agent;
}

import { createApprove } from "./approve.js";
import { AgentError } from "../api/error.js";
import { createEdits, idOf } from "./edits.js";
import { createEmitter } from "../base/emitter.js";
import { call } from "../base/call.js";
import { misuse, toJson } from "../base/failure.js";
import { lazily } from "../base/lazy.js";
import { createGuard } from "./guard.js";
import { toPolicy } from "../core/policy.js";
import { createHistory } from "./history.js";
import { initialSnapshot } from "../snapshot/initial.js";
import { submitted } from "../snapshot/project.js";
import { findTool, isAnswer, toAgainInput, toAnswer, toCoreInput, toRunInput } from "./input.js";
import type { Line } from "../api/line.js";
import { createLink } from "../core/link.js";
import type { Client, Edit, Link, Parts, Run } from "../core/client.js";
import type { Core } from "../core/loader.js";
import { beside, loadBeside, type Beside } from "./beside.js";
import { needsFull } from "../core/modules.js";
import { portTo } from "../core/port.js";
import { readSaved, refusal, type Queued } from "../snapshot/save.js";
import type { SavedAgent } from "../api/saving.js";
import { createSaving, type Saving } from "./saving.js";
import { toSettings } from "./settings.js";
import { checkTools } from "./tools.js";
import { isPromise } from "../base/promise.js";
import type { AgainOptions, Agent, AgentOptions, AgentSnapshot, PageTool, RunResult, SubmitInput, TransportTarget } from "../api/types.js";
import { uuid } from "../base/uuid.js";
import { createWaker } from "../base/wake.js";

/**
 * An agent over a core in this page that is loaded when it is first needed. The entries of the package differ in the source only.
 *
 * @internal
 */
export function createAgentWith<State>(load: () => Promise<Core>, given: AgentOptions<State>): Agent<State> {
  return createAgentOver(() => load().then(portTo), given, createLink);
}

/**
 * An agent whose core is at a place that `source` gives. `linked` makes the link to it.
 *
 * @internal
 */
export function createAgentOver<State, Place>(
  source: () => Promise<Place>,
  given: AgentOptions<State>,
  linked: (client: Client<State, Place>) => Link<State>,
): Agent<State> {
  const { initialMessages = [], initialState, notify } = given;
  if (given.worker) {
    const message = '"worker" is an option of createAgent() from "ag-ui-wasm/worker": make the agent with that, and pass it to useAgent()';
    throw new AgentError({ kind: "unsupported", code: "worker", message });
  }
  const { persist } = given;
  const full = needsFull(given);
  // Mistakes are reported where they are made.
  if (Array.isArray(given.tools)) checkTools(given.tools);
  // Ids and randomness are drawn when they are first needed: an agent may be made in a prerender, which must be the same
  // every time.
  let threadId = given.threadId;
  const ownThreadId = (): string => (threadId ??= uuid());
  // A server and the page that hydrates have the same one only if the application gives it.
  const first = initialSnapshot(threadId ?? "", initialMessages, initialState);
  const listeners = new Set<{ listener: () => void }>();
  // Read at the time of every call, so that a binding can keep callbacks and headers fresh.
  let options = given;
  let snapshot: AgentSnapshot<State> = threadId === undefined ? lazily({ ...first }, "threadId", ownThreadId) : first;
  // The snapshot without a run that could not be asked for, which is shown until something else is called.
  let bare = snapshot;
  let refused: AgentError | undefined;
  let disposed = false;
  // A save of the application's, on its way.
  let restoring: Promise<void> | undefined;
  // Another agent owns the save; the run in progress ends without one.
  let stranded = false;
  let saving: Saving | undefined;
  // The run that was in progress when the page was left is joined.
  let rejoining: Promise<RunResult> | undefined;
  // Nothing has changed yet that would have to be saved.
  let quiet = true;
  // The load that began with the agent, until something needs it.
  let early: Promise<Place> | undefined;
  // Tools that a submit has brought with it. The results of their calls may come long after.
  const brought = new Map<string, PageTool>();

  const emitter = createEmitter(() => options);
  // What comes beside the core.
  let parts: (Parts & Beside) | undefined;
  const take = (live: Beside): void => {
    const calls = live.createCalls({
      find: (name) => brought.get(name) ?? findTool(options, name),
      agent: () => agent as unknown as Agent,
      settle: (json) => void link.now((session) => session.settleCall(json)),
      hold: (json) => void link.now((session) => session.hold(json)),
    });
    parts = { ...live, calls };
  };
  /** The core with what comes beside it. */
  const load = (): Promise<Place> => {
    const core = source();
    const live = beside();
    if (live && !parts) take(live);
    if (parts) return core;
    return Promise.all([core, loadBeside()]).then(([core, live]) => {
      if (!parts) take(live);
      return core;
    });
  };
  const settings = toSettings(given as AgentOptions, ownThreadId, () => parts!.toNetwork(given));
  const history = createHistory<State>(settings.maxHistory);
  const wait = createWaker(() => {
    link.now((session) => session.online());
    line?.online();
  });
  // A connection that outlives its runs, once the transport has made one.
  let line: Line | undefined;
  // Somebody has asked to listen.
  let listening = false;
  // Submits that are sent at once, whatever answer comes: it is over then.
  const hasty = new Set<string>();
  const link = linked({
    source: async () => {
      const core = early ?? load();
      early = undefined;
      // Whether it comes or not, the save comes first.
      core.catch(() => {});
      await restoring;
      for (let wait; (wait = saving?.ready()); ) await wait;
      return core;
    },
    notify,
    settings,
    emitter,
    parts: () => parts,
    empty: () => ({ ...first, threadId: ownThreadId() }),
    refused: (error) => emitter.emit("error", refusal(error)),
    save: (json, holds, done) => {
      if (saving?.owns()) return saving.save(json, done);
      // It would begin something, which whoever owns the save does.
      if (holds) queueMicrotask(retire);
    },
    request: (resume, runId, cursor) => {
      const request = { resume, threadId: snapshot.threadId, runId, cursor };
      const target = options.transport?.keep ? ownLine().target(request) : parts!.toTarget(options, request);
      const seen = emitter.has("request");
      if (full && !seen) return target;
      const change = (target: TransportTarget): TransportTarget => {
        // The small module cannot read it, whatever the options say by now.
        const plain = full ? target : { ...target, binary: false };
        return seen ? parts!.observed(plain, request, (request) => emitter.emit("request", request)) : plain;
      };
      return isPromise(target) ? target.then(change) : change(target);
    },
    stopRemote: (runId) => {
      parts!.stopRemote(options, { threadId: snapshot.threadId, runId }).catch((cause: unknown) => {
        const message = `The server could not be notified of the stop: ${cause instanceof Error ? cause.message : String(cause)}`;
        emitter.emit("warning", { code: "stop-failed", message });
      });
    },
    resumes: () => !!options.resume,
    // A run over a connection that is kept has ended when it says so.
    ending: () => !line && !bare.isLoading && bare.connection.phase !== "closed",
    read: () => bare,
    checkpoint: history.add,
    publish: (next) => publish(next),
  });

  const publish = (core: AgentSnapshot<State>): void => {
    const next = withLine(core);
    // Not before everything that has come with this is reported.
    if (saving && !next.isLoading) queueMicrotask(saving.rest);
    if (line && !next.isLoading) queueMicrotask(listen);
    if (next === bare) return;
    bare = next;
    wait(next.connection.phase === "reconnecting");
    if (!quiet && !stranded) saving?.touch();
    if (stranded && !link.busy()) queueMicrotask(retire);
    show();
  };

  /** Shows what is published, with the call that was refused. */
  const show = (): void => {
    const status = bare.isLoading ? bare.status : "error";
    snapshot = refused ? { ...bare, status, error: refused } : bare;
    for (const entry of [...listeners]) if (listeners.has(entry)) call(entry.listener);
  };

  /** The snapshot with the connection as the line has it, which stays open where the core's is closed. */
  const withLine = (next: AgentSnapshot<State>): AgentSnapshot<State> => {
    if (!line) return next;
    const { lastEventId } = next.connection;
    const connection = { ...line.state(), ...(lastEventId !== undefined && { lastEventId }) };
    return JSON.stringify(connection) === JSON.stringify(next.connection) ? next : { ...next, connection };
  };

  const ownLine = (): Line => {
    const { keep } = options.transport ?? {};
    return (line ??= keep!.create({
      source: () => options.transport?.keep,
      options: () => options as AgentOptions,
      run: () => ({ threadId: snapshot.threadId, runId: snapshot.runId ?? "" }),
      unread: () => listen(),
      overtaken: () => snapshot.queue.some(({ runId }) => hasty.has(runId)),
      changed: () => disposed || publish(bare),
      failed: (error) => disposed || emitter.emit("error", error),
    }));
  };

  /** Takes what has come over the line without being asked for, as a run that says nothing to the server. */
  const listen = (): void => {
    if (!line || disposed || stranded || snapshot.isLoading || link.busy()) return;
    line.rest();
    const unread = line.unread();
    if (!unread) return;
    const input = toRunInput(options);
    const json = toJson({ ...input, messages: [], ifBusy: "drop", unasked: unread.continues ? "continues" : "begins" });
    run({ id: input.runId, ifBusy: "drop", quiet: !unread.talks, start: (session) => session.submit(json) }).catch(() => {});
  };

  /** The run of an agent that does not own its save has ended, or is to. */
  const retire = (): void => {
    if (!stranded || disposed) return;
    stranded = false;
    suspend();
  };

  /** Leaves the work to whoever owns the save: nothing that comes would be kept. */
  const suspend = (): string => {
    const json = link.suspend();
    line?.close();
    return json;
  };

  /** Before anything that changes something. */
  const act = (): void => {
    alive();
    if (refused) {
      refused = undefined;
      show();
    }
    saving?.use(true);
  };

  /** Shows the error of a call of the method that could not be made: the promise may be one that nobody looks at. */
  const shown =
    <Args extends readonly unknown[]>(method: (...args: Args) => Promise<RunResult>) =>
    async (...args: Args): Promise<RunResult> => {
      try {
        return await method(...args);
      } catch (error) {
        // These were asked for by whoever called.
        if (AgentError.is(error) && !disposed && !["busy", "calls-open"].includes(error.code ?? "")) {
          refused = error;
          show();
        }
        throw error;
      }
    };

  const alive = (): void => {
    if (disposed) {
      throw new AgentError({ kind: "unsupported", code: "disposed", message: "The agent has been disposed of" });
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
      // Where the core is not there to say when, or hears of it later.
      if (link.late || !link.open()) saving?.save();
      // Aborted by a listener, before there was something to cancel.
      if (signal?.aborted) stop();
    });

  /** A submit as a save has it. */
  const toQueued = (start: Queued["start"], json: string, of?: string): Queued => ({ ...JSON.parse(json), start, of });

  const submit = async (input: string | SubmitInput<State>): Promise<RunResult> => {
    act();
    const long = typeof input === "string" ? { message: input } : input;
    if (typeof long !== "object" || !long) throw misuse(new TypeError("submit() expects a string or an object"));
    const { state, signal, replaces } = long;
    const core = toCoreInput(options, long, snapshot.interrupts);
    const { runId: id, messages } = core;
    bring(long.tools);
    if (signal?.aborted) return { runId: id, outcome: "aborted" };
    const json = toJson(core);
    const atOnce = long.ifBusy === undefined && !!options.transport?.keep;
    if (atOnce) hasty.add(id);
    const done = run(
      {
        id,
        ifBusy: core.ifBusy,
        waits: core.ifAwaiting === "wait" && snapshot.toolCalls.some(({ phase }) => phase === "awaiting-approval"),
        queued: () => toQueued("submit", json),
        start: (session) => session.submit(json),
        again: (session) => {
          const rest = { ...core, messages: [], replaces: undefined };
          return core.resume ? session.submit(toJson({ ...rest, state: undefined })) : session.retry(toJson(rest));
        },
        fold: (at) => submitted(at, messages, state, replaces),
      },
      signal,
    );
    if (!atOnce) return done;
    // What the agent was saying is over, for the user has said something else.
    line?.endAnswer();
    return done.finally(() => hasty.delete(id));
  };

  /** Tools that came with a submit, in place of the options'; without any, the options' stand again. */
  const bring = (tools: SubmitInput["tools"]): void => {
    for (const tool of tools ?? []) brought.set(tool.name, tool as PageTool);
    if (!tools) for (const name of brought.keys()) if (findTool(options, name)) brought.delete(name);
  };

  const resume: Agent<State>["resume"] = async (answers) => {
    if (!isAnswer(answers)) return submit({ resume: answers });
    act();
    const answer = toAnswer(options, answers);
    const json = toJson(answer);
    return run({ id: answer.run.runId, start: (session) => session.answer(json), part: true });
  };

  /** What a person decides about a call. The core may have to come first. */
  const decide = (method: "settleCall" | "deny", json: string): void => {
    act();
    link.act((session) => session[method](json));
  };

  const save = (): SavedAgent => JSON.parse(link.save());

  const edits = createEdits<State>({
    link,
    history,
    act,
    read: () => snapshot,
    options: () => options,
    forked: () => {
      saving?.forget();
      saving?.save();
    },
  });

  const dispose = (): void => {
    if (disposed) return;
    // Before the session ends, which knows more than what is left of it.
    saving?.dispose();
    disposed = true;
    link.dispose();
    line?.close();
    history.clear();
    wait(false);
    emitter.close();
    listeners.clear();
    brought.clear();
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

  const unsent = (why: string): void => {
    if (!disposed) emitter.emit("warning", { code: "send-failed", message: `The server did not take an event that was sent: ${why}` });
  };

  const send: Agent<State>["send"] = (event) => {
    alive();
    const json = typeof event === "string" ? event : toJson(event);
    if (settings.guard && link.now((session) => !session.judgeInbound)) {
      const message = "send() of an agent with a guard needs the core in the page: in worker mode the guard cannot answer at once";
      throw new AgentError({ kind: "unsupported", code: "worker", message });
    }
    const judged = link.now((session) => session.judgeInbound?.(json));
    const unjudged = { allowed: true, eventType: "", direction: "inbound", at: Date.now() } as const;
    const decision = judged ? JSON.parse(judged) : unjudged;
    if (!decision.allowed) return decision;
    const { threadId, runId = "" } = snapshot;
    // A guard that is not there yet has not been asked.
    const asked = !settings.guard || !!judged;
    const sent = asked && (line ? line.send(json) : options.transport?.send?.(json, { threadId, runId }));
    if (!sent) {
      const message = "send() needs an open connection";
      throw new AgentError({ kind: "unsupported", code: "not-sent", message });
    }
    if (sent !== true) sent.then(({ ok, status }) => ok || unsent(`HTTP ${status}`), (cause: unknown) => unsent(String(cause)));
    return decision;
  };

  /** Joins a run that continues at the server; without an id the last one, which is known as `last`. */
  const join = async (runId: string | undefined, last = snapshot.runId ?? ""): Promise<RunResult> => {
    const input = { ...toRunInput(options), runId };
    const json = toJson(input);
    return run({ id: runId ?? last, start: (session) => session.attach(json) });
  };

  const methods: Omit<Agent<State>, typeof Symbol.dispose> = {
    subscribe: (listener) => {
      if (disposed) return () => {};
      const entry = { listener };
      listeners.add(entry);
      saving?.use(false);
      // Somebody looks: have the core there when the first message goes out. Not on a server, which never asks it.
      if (inPage()) void link.load();
      return () => void listeners.delete(entry);
    },
    getSnapshot: () => snapshot,
    flush: () => link.flush(),
    getServerSnapshot: () => first,
    submit: shown(submit),
    stop: async () => link.stop(),
    connect: async () => {
      act();
      if (!options.transport?.keep) {
        const message = "connect() needs a transport whose connection is kept open: webSocket or eventSource with keepOpen";
        throw new AgentError({ kind: "unsupported", code: "keep-open", message });
      }
      await restoring;
      for (let wait; (wait = saving?.ready()); ) await wait;
      alive();
      listening = true;
      await ownLine().connect(true);
    },
    disconnect: async () => {
      alive();
      listening = false;
      await link.now((session) => session.disconnect());
      line?.close();
    },
    attach: shown(async (runId?: string) => {
      act();
      const same = runId === undefined || runId === snapshot.runId;
      return (same && rejoining) || join(runId);
    }),
    retry: shown(async (again?: AgainOptions) => {
      act();
      const lost = link.lost();
      const input = toAgainInput(options, again);
      if (lost) return run({ id: lost.id, start: lost.again });
      if (snapshot.error?.code === "load") {
        // Nothing has run yet: only the core has to come.
        await link.load();
        const { error } = snapshot;
        return error ? { runId: input.runId, outcome: "error", error } : { runId: input.runId, outcome: "dropped" };
      }
      const json = toJson(input);
      return run({
        id: input.runId,
        queued: () => toQueued("retry", json),
        start: (session) => session.retry(json),
      });
    }),
    regenerate: shown(async (messageId?: string, again?: AgainOptions) => {
      act();
      const input = toAgainInput(options, again);
      const json = toJson(input);
      return run({
        id: input.runId,
        queued: () => toQueued("regenerate", json, messageId),
        start: (session) => session.regenerate(messageId, json),
      });
    }),
    resume: shown(resume),
    addToolResult: ({ toolCallId, result, error }) => decide("settleCall", toJson({ toolCallId, result, error })),
    approve: createApprove<State>({
      act,
      ready: (action) => (parts ? action(parts.calls) : link.act(() => action(parts!.calls))),
      toJson,
      read: () => snapshot,
      approve: (toolCallId, json) => disposed || link.act((session) => parts!.calls.approve(toolCallId, () => session.approve(json))),
      warn: (message) => emitter.emit("warning", { code: "approval-invalid", message }),
    }),
    deny: (toolCallId, reason) => decide("deny", toJson({ toolCallId, reason })),
    ...edits,
    get history() {
      return history.list;
    },
    at: (checkpoint) => history.at(idOf(checkpoint)),
    save,
    reset: () => {
      act();
      const hear = history.clear();
      const { messages, state } = first;
      const json = [toJson(messages), toJson(state)] as const;
      const edit: Edit<State> = {
        fold: ({ threadId }) => (threadId === first.threadId ? first : { ...first, threadId }),
        apply: (session) => {
          session.reset();
          session.setMessages(json[0]);
          session.setState(json[1]);
        },
      };
      // Until the core has heard of it, checkpoints of the runs that it has ended may come.
      link.reset(edit, hear);
      saving?.forget();
      saving?.save();
    },
    dispose,
    guard,
    send,
    on: (name, listener, filter) => {
      const off = emitter.on(name, listener, filter);
      link.listen();
      return () => {
        off();
        link.listen();
      };
    },
    events: emitter.events,
    setOptions: (next) => {
      if (disposed) return;
      options = next;
      link.listen();
    },
  };
  const agent = methods as Agent<State>;
  // Older engines have no such symbol.
  if (Symbol.dispose) agent[Symbol.dispose] = dispose;

  /** Shows a save, and continues from it. */
  const begin = (value: unknown, text?: string): void => {
    if (value === undefined || value === null) return link.restore(undefined, text);
    const saved = readSaved(value, given.threadId);
    const { messages, state } = saved;
    ({ threadId } = saved);
    link.restore(initialSnapshot(ownThreadId(), messages, state as State), text ?? JSON.stringify(saved));
  };
  const refuse = (cause: unknown): void => {
    link.restore();
    const error = AgentError.is(cause) ? cause : refusal(cause);
    // The application has no agent to listen to before.
    queueMicrotask(() => disposed || emitter.emit("error", error));
  };
  /** The run that was in progress when the page was left, if it is to be joined. */
  const interrupted = (text: string | undefined): string | undefined => {
    if (text === undefined || !options.resume || options.autoAttach === false) return undefined;
    const { running, runId } = JSON.parse(text);
    return running ? runId : undefined;
  };

  saving =
    persist &&
    createSaving(persist, given.restore, given.saving ?? {}, {
      busy: link.busy,
      mounted: () => listeners.size > 0,
      read: link.save,
      begin: (value, text) => {
        if (link.open()) link.suspend();
        stranded = false;
        quiet = true;
        try {
          begin(value, text);
        } finally {
          quiet = false;
        }
      },
      began: (text) => {
        // A run that the application has started itself comes first.
        const runId = link.busy() ? undefined : interrupted(text);
        if (runId !== undefined) {
          rejoining = join(undefined, runId).finally(() => (rejoining = undefined));
          rejoining.catch(() => {});
        } else if (listeners.size) void link.load();
        if (listening) ownLine().connect(true).catch(() => {});
      },
      refuse,
      awaitSave: link.awaitSave,
      surrender: () => {
        const json = link.strand();
        stranded = json !== undefined;
        return json ?? suspend();
      },
      warn: (code, message) => queueMicrotask(() => disposed || emitter.emit("warning", { code, message })),
    });
  // The core says when there is something to save; without it, the end of a run does.
  if (saving) emitter.on("finish", () => link.open() || saving?.save());
  else {
    try {
      if (given.restore) link.awaitSave();
      if (isPromise(given.restore)) restoring = given.restore.then((value) => begin(value)).catch(refuse);
      else begin(given.restore);
    } catch (cause) {
      refuse(cause);
    }
  }
  quiet = false;

  if (inPage()) {
    const begun = load();
    early = begun;
    // Nobody has asked for anything yet: whoever does tries again.
    begun.catch(() => early === begun && (early = undefined));
  }
  return agent;
}

/** Whether somebody looks: a server that renders never asks the core, and loads none. */
const inPage = (): boolean => typeof document === "object";

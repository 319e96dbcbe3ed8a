// The ngaf Agent contract (`@ngaf/ag-ui`, now `@threadplane/ag-ui`) over an agent of this package. Loads no WebAssembly.
//
//   agent.on("event") ──► reduce ──► fields ──► subscribers
//   submit, … ──► agent.submit, …       agent.on("finish") ──► how a run ended that did not say so

import type { JsonObject } from "../../api/protocol.js";
import type { Agent, Message, ResumeAnswers, RunResult, SubmitInput } from "../../api/types.js";
import { isObject } from "./json.js";
import { createReducer, type Fields } from "./reduce.js";
import { followThread } from "./thread.js";
import type {
  ClientCapabilities,
  ClientTool,
  ClientTools,
  Field,
  NgafAgent,
  NgafCheckpoint,
  NgafEvent,
  NgafOptions,
  NgafSnapshot,
  NgafSubmitInput,
  NgafToolCall,
} from "./types.js";

export { citationsOf } from "./citations.js";
export { classifyError, NgafError } from "./errors.js";
export type { NgafErrorKind } from "./errors.js";
export type * from "./types.js";

type Run = Omit<SubmitInput<JsonObject>, "signal"> & { readonly signal?: AbortSignal | undefined };

/**
 * An agent that keeps the ngaf Agent contract. `version: 1` is the contract that the documents of `@ngaf/ag-ui` describe; `version: 2`,
 * the default, is that of its successor `@threadplane/ag-ui`. It is made over an agent of `ag-ui-wasm` or, for servers that write as the product's documents
 * do, with the dialect `ngaf`. It is a view: both can be used side by side.
 *
 * Give it the agent before its first run: it reduces events, and of what was before it knows what the snapshot shows.
 *
 * @example
 * const agent = toNgafAgent(createAgent({ url: "/agent", dialect: "ngaf" }));
 * agent.messages.subscribe((messages) => render(messages));
 * await agent.submit({ message: "Refund order 7" });
 * if (agent.interrupt.get()) await agent.submit({ resume: "yes" });
 */
export function toNgafAgent<State>(given: Agent<State>, options: NgafOptions = {}): NgafAgent {
  const agent = given as unknown as Agent<JsonObject>;
  const { version = 2, telemetry, now = () => performance.now() } = options;
  const events = new Set<{ listener: (event: NgafEvent) => void }>();
  const watchers = new Set<{ tell(): void }>();
  let scheduled = false;
  let disposed = false;
  // Telemetry.
  const measure = (name: string, properties: JsonObject = {}): void => telemetry?.(`${version === 1 ? "ngaf" : "tplane"}:${name}`, properties);

  const notify = (): void => {
    scheduled = false;
    if (!disposed) for (const watcher of [...watchers]) if (watchers.has(watcher)) watcher.tell();
  };
  // Listeners are notified once for all that one read brings.
  const changed = (): void => {
    if (scheduled || !watchers.size) return;
    scheduled = true;
    queueMicrotask(notify);
  };

  const reducer = createReducer({
    version,
    now,
    changed,
    tell: (event) => {
      for (const entry of [...events]) if (events.has(entry)) entry.listener(event);
    },
  });
  const { fields } = reducer;

  const field = <Value>(get: () => Value): Field<Value> => ({
    get,
    subscribe: (listener) => {
      let last = get();
      const tell = (): void => {
        const value = get();
        if (Object.is(value, last)) return;
        last = value;
        listener(value);
      };
      const watcher = { tell };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  });
  const read = <Name extends keyof Fields>(name: Name): Field<Fields[Name]> =>
    field(() => {
      if (name === "messages") reducer.handOut();
      return fields[name];
    });

  // The thread of the agent may be changed beside us.
  const follow = followThread(reducer, changed);
  follow(agent.getSnapshot());

  // One run at a time is open; a run that another one takes the place of ends as interrupted.
  let superseding = false;
  let submitted = false;
  let startedAt = 0;
  const finished = ({ outcome, error }: RunResult): void => {
    const durationMs = Math.round(now() - startedAt);
    if (error) measure("stream_errored", { durationMs, errorClass: error.kind });
    else measure("stream_ended", { durationMs });
    // The next one has begun already.
    if (superseding) return;
    // Begun at the agent itself, it failed before RUN_STARTED; or after RUN_FINISHED, under strict rules.
    if (error && !reducer.open && fields.status !== "error") reducer.begin();
    if (outcome === "aborted") reducer.end("aborted");
    // The server has closed the stream, which is no error of the contract's.
    else if (outcome === "truncated" && error?.code === "truncated" && !error.lost) reducer.end(reducer.produced ? "interrupted" : "success");
    else if (error) reducer.end(undefined, error);
    else reducer.end("success");
    // What RFC 6902 refuses the agent has refused too. What is sent next shall be what is shown.
    if (reducer.lenient) {
      reducer.lenient = false;
      agent.setState(fields.state);
    } else if (isObject(agent.getSnapshot().state)) {
      fields.state = agent.getSnapshot().state;
    }
    changed();
  };
  const offs = [
    agent.on("event", (event) => {
      if (event.type === "RUN_STARTED") measure("stream_started");
      reducer.reduce(event);
    }),
    agent.on("finish", finished),
    agent.subscribe(() => {
      follow(agent.getSnapshot());
      changed();
    }),
  ];
  measure("runtime_instance_created");

  let tools: readonly ClientTool[] | undefined;
  let capabilities: ClientCapabilities | undefined;

  const run = async (start: () => Promise<RunResult>): Promise<void> => {
    submitted = true;
    startedAt = now();
    measure("runtime_request_created");
    const { status } = agent.getSnapshot();
    superseding = version === 2 && status === "running";
    reducer.begin();
    let promise: Promise<RunResult>;
    try {
      promise = start();
    } finally {
      superseding = false;
    }
    try {
      await promise;
    } catch (cause) {
      // The call made no sense to the agent.
      reducer.end(undefined, cause);
    }
  };

  const submitRun = (input: Run): Promise<void> => {
    const shared = capabilities && { a2ui_client_capabilities: capabilities };
    const state = input.state || shared ? { ...input.state, ...shared } : undefined;
    if (state) fields.state = { ...fields.state, ...state };
    return run(() =>
      agent.submit({
        ...input,
        ...(state && { state }),
        ...(tools && { tools: tools as never }),
        ifBusy: version === 2 ? "replace" : "queue",
      } as SubmitInput<JsonObject>),
    );
  };

  /** The reply to the agent's open questions: the answer, or that nobody answers. */
  const answers = (input: NgafSubmitInput): Partial<Run> => {
    const { interrupts } = agent.getSnapshot();
    const resumes = input.resume !== undefined;
    if (!interrupts.length) return resumes ? { forwardedProps: { command: { resume: input.resume } } } : {};
    const answer = resumes ? ({ status: "resolved", payload: input.resume } as const) : ({ status: "cancelled" } as const);
    const resume: ResumeAnswers = interrupts.map(({ id }) => ({ interruptId: id, ...answer }));
    return { resume };
  };

  const submit: NgafAgent["submit"] = (input, { signal } = {}) => {
    const { state, resume } = input;
    const content = resume === undefined ? toContent(input.message) : undefined;
    const id = Math.random().toString(36).slice(2);
    if (content !== undefined) {
      const delivery = { generation: reducer.generation + 1, phase: "complete", outcome: "success" } as const;
      reducer.named.add(id);
      reducer.add({ id, role: "user", content, ...(version === 2 && { delivery }) });
    }
    return submitRun({
      ...answers(input),
      ...(content !== undefined && { message: { id, content } }),
      ...(state && { state }),
      signal,
    });
  };

  const regenerate: NgafAgent["regenerate"] = async (assistantIndex) => {
    const { messages } = fields;
    if (fields.isLoading) throw new Error("A run is in progress: nothing can be regenerated");
    if (messages[assistantIndex]?.role !== "assistant") throw new Error(`Message ${assistantIndex} is not the assistant's`);
    let last = assistantIndex;
    while (last >= 0 && messages[last]!.role !== "user") last--;
    const user = messages[last];
    if (!user) throw new Error(`No user message stands before message ${assistantIndex}`);
    const cut = (list: readonly Message[]): readonly Message[] => list.slice(0, list.findIndex(({ id }) => id === user.id) + 1);
    agent.setMessages(cut);
    fields.messages = messages.slice(0, last + 1);
    await submitRun(answers({}));
  };

  const setCall = (toolCallId: string, outcome: Parameters<ClientTools["settle"]>[1]): boolean => {
    const call = fields.toolCalls.find(({ id }) => id === toolCallId);
    if (!call || settled.has(toolCallId)) return false;
    settled.add(toolCallId);
    const error = outcome.ok ? undefined : outcome.error;
    const result = outcome.ok ? outcome.value : { error };
    reducer.setCall(toolCallId, (call) => ({ ...call, result, ...(!outcome.ok && { error, status: "error" }) }));
    const content = outcome.ok ? (typeof result === "string" ? result : (JSON.stringify(result) ?? "null")) : `Error: ${messageOf(error)}`;
    const message = { id: `tool-${toolCallId}`, role: "tool", toolCallId, content } as const;
    reducer.named.add(message.id);
    agent.setMessages((messages) => [...messages, message]);
    return true;
  };
  const settled = new Set<string>();
  let pending: readonly NgafToolCall[] = [];
  const clientTools: ClientTools = {
    setCatalog: (catalog, given) => {
      tools = catalog;
      capabilities = given;
      changed();
    },
    pending: field(() => {
      const waits = ({ id, name, result }: NgafToolCall): boolean =>
        result === undefined && !settled.has(id) && !!tools?.some((tool) => tool.name === name);
      const next = fields.isLoading ? [] : fields.toolCalls.filter(waits);
      const same = next.length === pending.length && next.every((call, at) => call === pending[at]);
      return same ? pending : (pending = next);
    }),
    settle: (toolCallId, outcome) => void setCall(toolCallId, outcome),
    resolve: async (toolCallId, outcome) => {
      if (setCall(toolCallId, outcome)) await submitRun({});
    },
    flush: () => {},
  };

  const past = pastOf(agent);
  return {
    version,
    messages: read("messages"),
    status: read("status"),
    isLoading: read("isLoading"),
    error: read("error"),
    toolCalls: read("toolCalls"),
    state: read("state"),
    interrupt: read("interrupt"),
    subagents: read("subagents"),
    customEvents: read("customEvents"),
    history: field(() => past().history),
    messageCheckpoints: field(() => past().messageCheckpoints),
    events$: {
      subscribe: (listener) => {
        const entry = { listener };
        events.add(entry);
        return () => void events.delete(entry);
      },
    },
    getSnapshot: (): NgafSnapshot => {
      reducer.handOut();
      return { ...fields };
    },
    subscribe: (listener) => {
      const watcher = { tell: listener };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    submit,
    stop: () => agent.stop(),
    regenerate,
    retry: async () => {
      if (submitted && !fields.isLoading) await run(() => agent.retry());
    },
    clientTools,
    dispose: () => {
      disposed = true;
      for (const off of offs) off();
      watchers.clear();
      events.clear();
    },
  };
}

/** The text of blocks: what is no text goes as JSON. */
function toContent(message: NgafSubmitInput["message"]): string | undefined {
  if (typeof message !== "object") return message;
  return message.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === "string" ? error : (JSON.stringify(error) ?? String(error));
}

/** The history as the contract has it. Made when somebody asks, once for each state of the history. */
function pastOf(agent: Agent<JsonObject>) {
  let from: unknown;
  let made: { history: readonly NgafCheckpoint[]; messageCheckpoints: ReadonlyMap<string, string> } = {
    history: [],
    messageCheckpoints: new Map(),
  };
  return () => {
    const { history } = agent;
    if (history === from) return made;
    from = history;
    const messageCheckpoints = new Map<string, string>();
    for (const { id } of history) {
      for (const message of agent.at(id)?.messages ?? []) if (!messageCheckpoints.has(message.id)) messageCheckpoints.set(message.id, id);
    }
    const label = (kind: string, step?: string): string => (step === undefined ? kind : `${kind} ${step}`);
    made = {
      history: history.map(({ id, kind, stepName }) => ({ id, label: label(kind, stepName), values: agent.at(id)?.state })),
      messageCheckpoints,
    };
    return made;
  };
}


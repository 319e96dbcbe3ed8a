// Events → the fields of the contract. What an application does stands in `../ngaf.ts`, which calls the methods.
//
// The contract folds reasoning into the message of the same id, knows no reasoning messages, and in version 1 reads each
// piece of a call's arguments alone: none of that can be had from AG-UI messages, so it is computed from the events.

import { AgentError } from "../../api/error.js";
import type { AgUiEvent } from "../../api/events.js";
import type { JsonObject } from "../../api/protocol.js";
import { uuid } from "../../base/uuid.js";
import { citationsOf } from "./citations.js";
import { classifyError } from "./errors.js";
import { isObject, own, parsed, scan, type ObjectScan } from "./json.js";
import { applyOperations, type Operation } from "../../base/json-patch.js";
import { toSubagent } from "./subagents.js";
import type { DeliveryOutcome, NgafEvent, NgafMessage, NgafSnapshot, NgafSubagent, NgafToolCall } from "./types.js";

/** The mutable side of a snapshot. */
export type Fields = { -readonly [Name in keyof NgafSnapshot]: NgafSnapshot[Name] };

/** What a reducer works for. */
export interface Client {
  readonly version: 1 | 2;
  now(): number;
  /** Something of the fields has changed. */
  changed(): void;
  tell(event: NgafEvent): void;
}

/** The fields, and what changes them. */
export interface Reducer {
  readonly version: 1 | 2;
  readonly fields: Fields;
  /** Ids that events have named: of messages and of calls. */
  readonly named: Set<string>;
  /** Whether RFC 6902 would have refused a patch that was applied. */
  lenient: boolean;
  readonly generation: number;
  /** Whether a run is in progress that has not told its end. */
  readonly open: boolean;
  reduce(event: AgUiEvent): void;
  /** A run is asked for. */
  begin(): void;
  /** It has ended without an event that says so. */
  end(outcome: DeliveryOutcome | undefined, cause?: unknown): void;
  /** Whether this run has produced messages. */
  readonly produced: boolean;
  add(message: NgafMessage): void;
  setCall(id: string, change: (call: NgafToolCall) => NgafToolCall): void;
  bridge(): void;
  /** Somebody gets the messages: they do not change. */
  handOut(): void;
}

type Loose = Readonly<Record<string, unknown>>;
const text = (event: Loose, name: string, otherwise = ""): string => {
  const value = event[name];
  return typeof value === "string" ? value : otherwise;
};

export function createReducer(client: Client): Reducer {
  const { version } = client;
  const fields: Fields = {
    messages: [],
    status: "idle",
    isLoading: false,
    error: version === 1 ? null : undefined,
    toolCalls: [],
    state: {},
    interrupt: undefined,
    subagents: {},
    customEvents: [],
  };
  const named = new Set<string>();
  let places = new Map<string, number>();
  let counted: readonly NgafMessage[] = fields.messages;
  // The list, if nobody has got it yet: it may change in place.
  let fresh: NgafMessage[] | undefined;
  // The lists that citations were made of, by message.
  const bridged = new Map<string, unknown>();
  const buffers = new Map<string, ObjectScan>();
  const reasoned = new Map<string, number>();
  const activities = new Map<string, { type: string; content: JsonObject }>();
  /** Messages of this run that stream. */
  let streaming = new Set<string>();
  /** The assistant's messages from before the run. */
  let earlier = new Set<string>();
  let speaking: string | undefined;
  let generation = 0;
  let open = false;
  let produced = false;
  let paused = false;
  /** What chunks continue. */
  let chunk: { readonly id: string; readonly key: string; close?(): void } | undefined;

  const place = (id: string): number | undefined => {
    if (counted !== fields.messages) {
      places = new Map(fields.messages.map((message, at) => [message.id, at]));
      counted = fields.messages;
    }
    return places.get(id);
  };
  const setList = (messages: readonly NgafMessage[]): void => {
    fields.messages = messages;
    client.changed();
  };
  /** The list as it may be changed, with the same messages in the same places. */
  const draft = (): NgafMessage[] => {
    const valid = counted === fields.messages;
    if (!fresh || fresh !== fields.messages) setList((fresh = fields.messages.slice()));
    if (valid) counted = fresh;
    client.changed();
    return fresh;
  };
  const add = (message: NgafMessage): void => {
    place(message.id);
    places.set(message.id, draft().push(message) - 1);
  };
  const edit = (id: string, change: (message: NgafMessage) => NgafMessage): void => {
    const at = place(id);
    if (at === undefined) return;
    const messages = draft();
    messages[at] = change(messages[at]!);
  };

  /** The message that an event opens: a new one, or what stands there. */
  const openMessage = (id: string, change: (message: NgafMessage) => NgafMessage): void => {
    named.add(id);
    produced = true;
    const message = change({ id, role: "assistant", content: "" });
    const delivery = version === 2 ? ({ delivery: { generation, phase: "streaming" } } as const) : undefined;
    if (delivery) streaming.add(id);
    if (place(id) === undefined) add({ ...message, ...delivery });
    else edit(id, (known) => ({ ...change(known), ...delivery }));
  };
  const complete = (ids: Iterable<string>, outcome: DeliveryOutcome): void => {
    for (const id of ids) edit(id, (message) => ({ ...message, delivery: { generation, phase: "complete", outcome } }));
  };
  const finalize = (outcome: DeliveryOutcome): void => {
    complete(streaming, outcome);
    streaming = new Set();
    speaking = undefined;
  };

  const setCall: Reducer["setCall"] = (id, change) => {
    fields.toolCalls = fields.toolCalls.map((call) => (call.id === id ? change(call) : call));
    client.changed();
  };

  const bridge = (): void => {
    const all = own(fields.state, "citations");
    if (!isObject(all)) return;
    for (const id of Object.keys(all)) {
      const at = place(id);
      // What a patch does not touch stays the same.
      if (at === undefined || (bridged.get(id) === all[id] && fields.messages[at]!.citations)) continue;
      bridged.set(id, all[id]);
      const citations = citationsOf(fields.state, id, version);
      if (citations) edit(id, (message) => ({ ...message, citations }));
    }
  };

  const patch = <Document>(document: Document, operations: unknown): { value: Document; lenient: boolean } | undefined => {
    try {
      const list = (Array.isArray(operations) ? operations : []).map((step) => (isObject(step) ? step : {}) as Operation);
      return applyOperations(document, list) as { value: Document; lenient: boolean };
    } catch {
      // The agent refuses it as well, and warns.
      return undefined;
    }
  };

  const setStatus = (status: Fields["status"], error: unknown): void => {
    fields.status = status;
    fields.isLoading = status === "running";
    fields.error = error ?? (version === 1 ? null : undefined);
    client.changed();
  };

  const begin = (): void => {
    // What is superseded has not been told an end.
    finalize("interrupted");
    open = true;
    produced = false;
    paused = false;
    chunk = undefined;
    generation++;
    earlier = new Set(fields.messages.filter(({ role }) => role === "assistant").map(({ id }) => id));
    fields.interrupt = undefined;
    fields.customEvents = [];
    activities.clear();
    fields.subagents = {};
    if (version === 2) setStatus("running", undefined);
  };

  const end: Reducer["end"] = (outcome, cause) => {
    if (!open) return;
    open = false;
    closeChunk();
    if (version === 2) finalize(paused ? "paused" : (outcome ?? "error"));
    const error = version === 2 ? classifyError(cause, thrown(cause)) : cause;
    if (outcome) setStatus("idle", undefined);
    else setStatus("error", error);
  };

  const finished = (event: Loose): void => {
    const outcome = event.outcome as Loose | undefined;
    const asked = outcome?.type === "interrupt" && Array.isArray(outcome.interrupts) ? (outcome.interrupts as Loose[])[0] : undefined;
    if (asked && !fields.interrupt) {
      const value = isObject(asked.metadata) && "value" in asked.metadata ? asked.metadata.value : asked;
      fields.interrupt = { id: text(asked, "id"), value, resumable: true };
      paused = true;
    }
    open = false;
    if (version === 2) finalize(paused ? "paused" : outcome?.type === "cancelled" ? "aborted" : "success");
    setStatus("idle", version === 1 ? fields.error : undefined);
  };

  const custom = (event: Loose): void => {
    const name = text(event, "name");
    const data = version === 2 ? parsed(event.value) : event.value;
    if (name === "on_interrupt") {
      fields.interrupt = { id: uuid(), value: parsed(event.value), resumable: true };
      paused = true;
      client.changed();
      if (version === 2) return setStatus("idle", undefined);
    }
    const told = { name, data };
    fields.customEvents = [...fields.customEvents, told];
    client.changed();
    client.tell(name === "state_update" && isObject(data) ? { type: "state_update", data } : { type: "custom", ...told });
  };

  const received = (event: Loose): void => {
    const list = (Array.isArray(event.messages) ? event.messages : []).filter(isObject);
    for (const { id } of list) named.add(String(id));
    if (version === 1) return setList(list as unknown as NgafMessage[]);
    const calls = new Map<string, NgafToolCall>();
    const messages = list.map(({ toolCalls, ...message }): NgafMessage => {
      const made = (Array.isArray(toolCalls) ? toolCalls : []).filter(isObject);
      for (const call of made) {
        const of = isObject(call.function) ? call.function : {};
        const args = parsed(of.arguments);
        const id = text(call, "id");
        named.add(id);
        calls.set(id, { id, name: text(of, "name"), args: isObject(args) ? args : {}, status: "complete" });
      }
      const id = text(message, "id");
      const delivery = streaming.has(id)
        ? ({ generation, phase: "streaming" } as const)
        : ({ generation, phase: "complete", outcome: "success" } as const);
      const toolCallIds = made.map((call) => text(call, "id"));
      return { ...(message as unknown as NgafMessage), ...(made.length && { toolCallIds }), delivery };
    });
    const missing = [...calls.values()].filter(({ id }) => !fields.toolCalls.some((call) => call.id === id));
    if (missing.length) fields.toolCalls = [...fields.toolCalls, ...missing];
    const ids = new Set(messages.map(({ id }) => id));
    // The running answer may have another id here than it streamed with: then it takes the place of what streamed.
    const answered = messages.some(({ id, role }) => role === "assistant" && !earlier.has(id));
    const kept = answered ? [] : fields.messages.filter(({ id }) => streaming.has(id) && !ids.has(id));
    if (answered) for (const id of streaming) if (!ids.has(id)) streaming.delete(id);
    setList([...messages, ...kept]);
    bridge();
  };

  const show = (id: string): void => {
    const activity = activities.get(id);
    if (activity?.type !== "subagent") return;
    setSubagent(id, toSubagent(id, activity.content));
  };
  const setSubagent = (id: string, subagent: NgafSubagent): void => {
    // Not a spread with a computed key: ids come from servers.
    fields.subagents = Object.fromEntries([...Object.entries(fields.subagents), [id, subagent]]);
    client.changed();
  };

  const startText = (id: string): void => {
    if (version === 2 && speaking !== undefined && speaking !== id && streaming.delete(speaking)) complete([speaking], "success");
    speaking = id;
    openMessage(id, (message) => message);
  };
  const startCall = (event: Loose, id: string): void => {
    named.add(id);
    buffers.set(id, { text: "", depth: 0, quoted: false, escaped: false });
    fields.toolCalls = [...fields.toolCalls, { id, name: text(event, "toolCallName"), args: {}, status: "running" }];
    client.changed();
    const parent = event.parentMessageId;
    if (typeof parent !== "string") return;
    named.add(parent);
    if (version === 1) return;
    openMessage(parent, (message) => {
      const { toolCallIds = [] } = message;
      return toolCallIds.includes(id) ? message : { ...message, toolCallIds: [...toolCallIds, id] };
    });
  };
  const args = (id: string, delta: string): void => {
    const give = (value: unknown): void => {
      if (isObject(value)) setCall(id, (call) => ({ ...call, args: value }));
      else if (version === 1) setCall(id, (call) => ({ ...call, args: {} }));
    };
    if (version === 1) return give(parsed(delta));
    const buffer = buffers.get(id);
    if (buffer && scan(buffer, delta)) give(parsed(buffer.text));
  };
  const reasoning = (event: Loose, id: string): void =>
    edit(id, (message) => ({ ...message, reasoning: (message.reasoning ?? "") + text(event, "delta") }));

  const closeChunk = (): void => {
    const { close } = chunk ?? {};
    chunk = undefined;
    close?.();
  };
  /** The id that a chunk is about. `start` opens what the chunks before it did not. */
  const goOn = (kind: string, id: string, start: (id: string) => (() => void) | void): string => {
    const to = id || (chunk?.key.startsWith(kind) ? chunk.id : "unknown");
    const key = kind + to;
    if (chunk?.key === key) return to;
    closeChunk();
    const close = start(to);
    chunk = { id: to, key, ...(close && { close }) };
    return to;
  };
  const endReasoning = (id: string): void => {
    const since = reasoned.get(id);
    if (since === undefined) return;
    reasoned.delete(id);
    edit(id, (message) => ({ ...message, reasoningDurationMs: Math.round(client.now() - since) }));
  };
  const startReasoning = (id: string): void => {
    reasoned.set(id, client.now());
    openMessage(id, (message) => ({ ...message, reasoning: "" }));
  };

  const step = (event: Loose): void => {
    const id = text(event, "messageId", "unknown");
    const callId = text(event, "toolCallId");
    if (/^(TEXT|TOOL|REASONING|RUN)_(?!.*_CHUNK$)/.test(String(event.type))) closeChunk();
    switch (event.type) {
      case "RUN_STARTED":
        if (version === 1) setStatus("running", undefined);
        // The run that was asked for has begun already; this is another one, of the same body.
        if (!open) begin();
        return;
      case "RUN_FINISHED":
        return finished(event);
      case "RUN_ERROR": {
        open = false;
        if (version === 2) finalize("error");
        const said = text(event, "message");
        return setStatus("error", version === 2 ? classifyError(Object.assign(new Error(said), { cause: event })) : said || event);
      }
      case "TEXT_MESSAGE_START":
        return startText(id);
      case "TEXT_MESSAGE_CHUNK": {
        const to = goOn("text:", text(event, "messageId"), (to) => void (speaking === to || startText(to)));
        return edit(to, (message) => ({ ...message, content: String(message.content) + text(event, "delta") }));
      }
      case "TEXT_MESSAGE_CONTENT":
        return edit(id, (message) => ({ ...message, content: String(message.content) + text(event, "delta") }));
      case "REASONING_MESSAGE_START":
        return startReasoning(id);
      case "REASONING_MESSAGE_CHUNK": {
        // The official client makes a START of the first chunk, and an END after the last.
        const to = goOn("reasoning:", text(event, "messageId"), (to) => {
          if (reasoned.has(to)) return;
          startReasoning(to);
          return () => endReasoning(to);
        });
        return reasoning(event, to);
      }
      case "REASONING_MESSAGE_CONTENT":
        return reasoning(event, id);
      case "REASONING_MESSAGE_END":
        return endReasoning(id);
      case "TOOL_CALL_START":
        return startCall(event, callId);
      case "TOOL_CALL_CHUNK": {
        const to = goOn("call:", callId, (to) => {
          if (buffers.has(to)) return;
          startCall(event, to);
          return () => endCall(to);
        });
        return args(to, text(event, "delta"));
      }
      case "TOOL_CALL_ARGS":
        return args(callId, text(event, "delta"));
      case "TOOL_CALL_END":
        return endCall(callId);
      case "TOOL_CALL_RESULT": {
        if (typeof event.messageId === "string") named.add(event.messageId);
        const result = version === 2 ? parsed(event.content) : event.content;
        return setCall(callId, (call) => ({ ...call, result }));
      }
      case "STATE_SNAPSHOT":
        fields.state = isObject(event.snapshot) ? event.snapshot : {};
        client.changed();
        return bridge();
      case "STATE_DELTA": {
        const next = patch(fields.state, event.delta);
        if (!next || !isObject(next.value)) return;
        fields.state = next.value;
        reducer.lenient ||= next.lenient;
        client.changed();
        return bridge();
      }
      case "MESSAGES_SNAPSHOT":
        return received(event);
      case "CUSTOM":
        return custom(event);
      case "ACTIVITY_SNAPSHOT": {
        const content = isObject(event.content) ? event.content : {};
        const type = text(event, "activityType");
        const known = activities.get(id);
        const merges = known?.type === type && event.replace !== true;
        activities.set(id, { type, content: merges ? { ...known.content, ...content } : content });
        return show(id);
      }
      case "ACTIVITY_DELTA": {
        const known = activities.get(id);
        const next = known && patch(known.content, event.patch);
        if (!next || !isObject(next.value)) return;
        activities.set(id, { ...known, content: next.value });
        return show(id);
      }
      case "SUBAGENT_STARTED":
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR": {
        const run = text(event, "subagentRunId");
        const known = own(fields.subagents as JsonObject, run) as NgafSubagent | undefined;
        const status = event.type === "SUBAGENT_STARTED" ? "running" : event.type === "SUBAGENT_ERROR" ? "error" : "complete";
        const { toolCallId = text(event, "parentToolCallId", run), messages = [], toolCalls = [], state = {} } = known ?? {};
        const name = known?.name ?? (typeof event.name === "string" ? event.name : undefined);
        return setSubagent(run, { toolCallId, ...(name !== undefined && { name }), status, messages, toolCalls, state });
      }
      default:
    }
  };
  const endCall = (id: string): void => {
    const buffer = buffers.get(id);
    const last = version === 2 && buffer ? parsed(buffer.text) : undefined;
    buffers.delete(id);
    setCall(id, (call) => ({ ...call, ...(isObject(last) && { args: last }), status: "complete" }));
  };

  const reducer: Reducer = {
    version,
    fields,
    named,
    lenient: false,
    get generation() {
      return generation;
    },
    get open() {
      return open;
    },
    get produced() {
      return produced;
    },
    reduce: (event) => {
      const came = original(event as unknown as Loose);
      if (came) step(came);
    },
    begin,
    end,
    add,
    setCall,
    bridge,
    handOut: () => void (fresh = undefined),
  };
  return reducer;
}

/** What was thrown beneath an error of the agent's. */
function thrown(error: unknown): unknown {
  return (AgentError.is(error) ? error.cause : undefined) ?? error;
}

/** An event as it came, where the dialect has changed it or taken it out; nothing for one that it has made up. */
function original(event: Loose): Loose | undefined {
  const wrapped = event.type === "RAW" ? event : isObject(event.rawEvent) ? event.rawEvent : undefined;
  if (wrapped?.source !== "ngaf" || !("event" in wrapped)) return event;
  return isObject(wrapped.event) ? wrapped.event : undefined;
}

// Views of a list of frames: the run with its texts and calls, and everything that happened in order.

import { defined } from "../../base/json.js";
import type { Frame } from "./types.js";

/** The result of reducing frames. */
export interface Reduction {
  readonly runId: string | null;
  readonly threadId: string | null;
  readonly status: "idle" | "running" | "interrupted" | "completed" | "aborted";
  /** All messages, joined. */
  readonly text: string;
  readonly textMessages: readonly { readonly messageId: string; readonly role: "assistant"; readonly text: string }[];
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly name: string;
    /** A summary as JSON text, never the arguments. */
    readonly args: string;
    readonly result: string | null;
  }[];
  /** The CUSTOM frames. */
  readonly custom: readonly Extract<Frame, { type: "CUSTOM" }>[];
}

/**
 * The run in the frames. An item that is started again begins anew in its old place.
 *
 * @example
 * const { status, text, toolCalls } = reduceFrames(frames);
 */
export function reduceFrames(frames: Iterable<Frame>): Reduction {
  const reducer = frameReducer();
  for (const frame of frames) reducer.take(frame);
  return reducer.read();
}

/** Reduces frames as they come. A result stays as it is; an entry that has not changed is the same object in the next. */
export function frameReducer(): { take(frame: Frame): void; read(): Reduction } {
  let runId: string | null = null;
  let threadId: string | null = null;
  let status: Reduction["status"] = "idle";
  type Message = { messageId: string; role: "assistant"; text: string };
  type Call = { toolCallId: string; name: string; args: string; result: string | null };
  const messages = new Map<string, Message>();
  const calls = new Map<string, Call>();
  const custom: Extract<Frame, { type: "CUSTOM" }>[] = [];
  // An entry that was read is not changed: another takes its place.
  const change = <Entry extends object>(map: Map<string, Entry>, id: string, made: Entry, members: (was: Entry) => Partial<Entry>): void => {
    const was = map.get(id) ?? made;
    map.set(id, { ...was, ...members(was) });
  };
  const message = (messageId: string, members: (was: Message) => Partial<Message>): void =>
    change(messages, messageId, { messageId, role: "assistant", text: "" }, members);
  const call = (toolCallId: string, members: (was: Call) => Partial<Call>): void =>
    change(calls, toolCallId, { toolCallId, name: "", args: "", result: null }, members);
  const take = (frame: Frame): void => {
    switch (frame.type) {
      case "RUN_STARTED":
      case "RUN_FINISHED":
        ({ runId, threadId } = frame);
        status = frame.type === "RUN_STARTED" ? "running" : "completed";
        break;
      case "RUN_ERROR":
        runId = frame.runId ?? runId;
        threadId = frame.threadId ?? threadId;
        status = "aborted";
        break;
      case "TEXT_MESSAGE_START":
        message(frame.messageId, () => ({ role: frame.role, text: "" }));
        break;
      case "TEXT_MESSAGE_CONTENT":
        message(frame.messageId, ({ text }) => ({ text: text + frame.delta }));
        break;
      case "TOOL_CALL_START":
        call(frame.toolCallId, () => ({ name: frame.toolCallName, args: "", result: null }));
        break;
      case "TOOL_CALL_ARGS":
        call(frame.toolCallId, ({ args }) => ({ args: args + frame.delta }));
        break;
      case "TOOL_CALL_RESULT":
        call(frame.toolCallId, () => ({ result: frame.content }));
        break;
      case "CUSTOM":
        custom.push(frame);
        if (frame.name === "agent-os.run.interrupted") status = "interrupted";
        if (frame.name === "agent-os.run.resumed") status = "running";
        break;
      default:
    }
  };
  const read = (): Reduction => {
    const textMessages = [...messages.values()];
    const text = textMessages.map((one) => one.text).join("");
    return { runId, threadId, status, text, textMessages, toolCalls: [...calls.values()], custom: [...custom] };
  };
  return { take, read };
}

/** When something happened: milliseconds since 1970, where its frames say so. */
interface TimeSpan {
  readonly startedAt?: number;
  readonly updatedAt?: number;
}

/** Something that happened. */
export type Activity =
  | {
    readonly kind: "run";
    /** As `run:0:started`: its number among the entries of runs. */
    readonly id: string;
    readonly status: "started" | "finished" | "error";
    readonly runId?: string;
    readonly threadId?: string;
    readonly at?: number;
    readonly result?: unknown;
    readonly message?: string;
    readonly code?: string;
  }
  | (TimeSpan & { readonly kind: "message"; readonly id: string; readonly role: "assistant"; readonly text: string; readonly endedAt?: number })
  | (TimeSpan & { readonly kind: "reasoning"; readonly id: string; readonly text: string; readonly endedAt?: number })
  | (TimeSpan & {
    readonly kind: "tool_call";
    readonly id: string;
    readonly toolCallId: string;
    readonly name: string;
    readonly args: string;
    readonly result: string | null;
    /** Completed by its result, not by its end. */
    readonly status: "running" | "completed";
    readonly completedAt?: number;
  })
  | {
    readonly kind: "custom";
    /** As `custom:0:agent-os.llm.usage`: its number among the CUSTOM frames. */
    readonly id: string;
    readonly name: string;
    readonly value: unknown;
    readonly at?: number;
  };

type Mutable<Kind extends Activity["kind"]> = { -readonly [Name in keyof Extract<Activity, { kind: Kind }>]: Extract<Activity, { kind: Kind }>[Name] };

/**
 * Everything that frames describe, in the order in which each came first.
 *
 * @example
 * for (const activity of activitiesOf(frames)) console.log(activity.kind, activity.id);
 */
export function activitiesOf(frames: Iterable<Frame>): Activity[] {
  const activities = new Activities();
  for (const frame of frames) activities.take(frame);
  return activities.read();
}

/** A frame of one of these types. */
type FrameOf<Type extends Frame["type"]> = Extract<Frame, { type: Type }>;

const statuses = { RUN_STARTED: "started", RUN_FINISHED: "finished", RUN_ERROR: "error" } as const;

/** Collects activities as frames come. A list stays as it is; an entry that has not changed is the same object in the next. */
export class Activities {
  readonly #list: Activity[] = [];
  /** Where those that continue stand. */
  readonly #places = new Map<string, number>();
  /** Entries that nobody has got: they may change. */
  readonly #fresh = new Set<Activity>();
  #runs = 0;
  #customs = 0;

  take(frame: Frame): void {
    const { timestamp: at } = frame;
    switch (frame.type) {
      case "RUN_STARTED":
      case "RUN_FINISHED":
      case "RUN_ERROR":
        this.#list.push(this.#run(frame));
        break;
      case "TEXT_MESSAGE_START":
      case "REASONING_START":
      case "REASONING_MESSAGE_START":
        this.#text(frame, true);
        break;
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        this.#text(frame).text += frame.delta;
        break;
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
      case "REASONING_END":
        Object.assign(this.#text(frame), defined({ endedAt: at }));
        break;
      case "TOOL_CALL_START":
      case "TOOL_CALL_ARGS":
      case "TOOL_CALL_END":
      case "TOOL_CALL_RESULT":
        this.#call(frame);
        break;
      case "CUSTOM": {
        const { name, value } = frame;
        this.#list.push({ kind: "custom", id: `custom:${this.#customs++}:${name}`, name, value, ...when(at) });
      }
    }
  }

  read(): Activity[] {
    this.#fresh.clear();
    return this.#list.slice();
  }

  #text({ type, messageId, timestamp }: Extract<Frame, { messageId: string; toolCallId?: never }>, again = false): Mutable<"message" | "reasoning"> {
    if (type.startsWith("TEXT")) return this.#touch("message", messageId, timestamp, { role: "assistant", text: "" }, again);
    return this.#touch("reasoning", messageId, timestamp, { text: "" }, again);
  }

  #run(frame: FrameOf<keyof typeof statuses>): Activity {
    const { runId, threadId, timestamp } = frame;
    const status = statuses[frame.type];
    const base = { kind: "run" as const, id: `run:${this.#runs++}:${status}`, status, ...defined({ runId, threadId }), ...when(timestamp) };
    if (frame.type === "RUN_ERROR") return { ...base, message: frame.message, ...defined({ code: frame.code }) };
    return { ...base, ...(frame.type === "RUN_FINISHED" && defined({ result: frame.result })) };
  }

  #call(frame: FrameOf<"TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_END" | "TOOL_CALL_RESULT">): void {
    const { toolCallId, timestamp: at } = frame;
    const name = frame.type === "TOOL_CALL_START" ? frame.toolCallName : "";
    const fresh = { toolCallId, name, args: "", result: null, status: "running" };
    const activity = this.#touch("tool_call", toolCallId, at, fresh, frame.type === "TOOL_CALL_START");
    if (frame.type === "TOOL_CALL_ARGS") activity.args += frame.delta;
    if (frame.type === "TOOL_CALL_RESULT") Object.assign(activity, { result: frame.content, status: "completed", ...defined({ completedAt: at }) });
  }

  /** The activity with that id, made with these members where there is none; `again`: it begins anew in its old place. */
  #touch<Kind extends "message" | "reasoning" | "tool_call">(kind: Kind, id: string, at: number | undefined, fresh: object, again: boolean): Mutable<Kind> {
    const key = `${kind}:${id}`;
    const place = this.#places.get(key) ?? this.#list.length;
    const known = this.#list[place];
    const activity = known && this.#fresh.has(known)
      ? known
      : ({ ...(known ?? { kind, id, ...fresh, ...(at !== undefined && { startedAt: at }) }) } as Activity);
    this.#list[place] = activity;
    this.#places.set(key, place);
    this.#fresh.add(activity);
    if (again) Object.assign(activity, fresh);
    return Object.assign(activity, at !== undefined && { updatedAt: at }) as unknown as Mutable<Kind>;
  }
}

const when = (at: number | undefined): { readonly at?: number } => (at === undefined ? {} : { at });

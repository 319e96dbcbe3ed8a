// The thread of a run: the core's, shown as plain AG-UI messages.

import type { Message, State } from "@ag-ui/core";
import type { Stepper } from "../glue/full.js";
import { initialSnapshot } from "../snapshot/initial.js";
import { messageKey } from "../snapshot/message-key.js";
import { applyPatch } from "../snapshot/mirror.js";
import type { AgentSnapshot, AssistantMessage, Message as Shown } from "../api/types.js";
import { toJson } from "./values.js";

/** Flags for the members that have changed. */
export interface ChangedMembers {
  readonly messages: boolean;
  readonly state: boolean;
}

const none: ChangedMembers = { messages: false, state: false };

/** The members that the snapshot adds to a message. */
const added = new Set(["delivery", "reasoning", "reasoningDurationMs", "reasoningEncryptedValue", "durationMs", "citations", "toolCallIds"]);

/** The members that AG-UI describes: what the core says about them counts. */
export const described = new Set([
  "id",
  "role",
  "content",
  "name",
  "toolCalls",
  "toolCallId",
  "error",
  "encryptedValue",
  "metadata",
  "subagentRunId",
  "activityType",
]);

export class ClientThread {
  messages: Message[] = [];
  state: State;
  private snapshot: AgentSnapshot<State> = initialSnapshot<State>("");
  /** Its messages, as AG-UI has them. */
  private rows: readonly Shown[] = [];
  /** Plain messages by what they were made of. */
  private plain = new WeakMap<Shown, Message>();
  /** The application's messages, by key. */
  private assigned = new Map<string, Message>();
  /** The messages that the core does not take, by the key of the message that they stand after. */
  private foreign = new Map<string | undefined, Message[]>();

  /** Over a stepper that was made with these. */
  constructor(
    private readonly stepper: Stepper,
    messages: readonly Message[],
    state: State,
  ) {
    this.state = state;
    this.take();
    this.adopt(messages);
  }

  /** Brings the messages and the state up to date. Unchanged values are the same objects as before. */
  refresh(): ChangedMembers {
    const { rows, snapshot } = this;
    if (!this.take()) return none;
    const state = this.snapshot.state !== snapshot.state;
    const list = this.rows === rows ? this.messages : this.list(rows);
    // The messages of the snapshot may be the only change.
    const messages = list !== this.messages;
    if (messages) this.messages = list;
    if (state) this.state = this.snapshot.state;
    return { messages, state };
  }

  setMessages(messages: readonly Message[]): void {
    this.stepper.setMessages(toJson(messages));
    this.take();
    this.adopt(messages);
  }

  setState(state: State): void {
    this.stepper.setState(toJson(state));
    this.take();
    this.state = state;
  }

  /** A message, looked for from the end. */
  find(id: string): Message | undefined {
    for (let at = this.messages.length - 1; at >= 0; at--) {
      const message = this.messages[at]!;
      if (message.id === id) return message;
    }
    return undefined;
  }

  /** A tool call of an assistant message, looked for from the end. */
  findCall(id: string): { name: string; arguments: string; parsed: Record<string, unknown> } | undefined {
    const { toolCalls } = this.snapshot;
    for (let at = toolCalls.length - 1; at >= 0; at--) {
      const { id: found, name, argsText, args } = toolCalls[at]!;
      if (found === id) return { name, arguments: argsText, parsed: args as Record<string, unknown> };
    }
    return undefined;
  }

  free(): void {
    this.stepper.free();
  }

  private take(): boolean {
    const patch = this.stepper.takePatch();
    if (patch === undefined) return false;
    const before = this.snapshot.messages;
    this.snapshot = applyPatch(this.snapshot, patch);
    if (this.snapshot.messages !== before) this.rows = apart(this.snapshot.messages);
    return true;
  }

  /** Messages of the application stay the same objects, with all their members. */
  private adopt(messages: readonly Message[]): void {
    const keys = keysOf(messages as readonly unknown[] as Shown[]);
    this.assigned = new Map(messages.map((message, at) => [keys[at]!, message]));
    this.plain = new WeakMap();
    const taken = keysOf(this.rows);
    taken.forEach((key, at) => {
      const message = this.assigned.get(key);
      if (message) this.plain.set(this.rows[at]!, message);
    });
    const matched = new Set(taken);
    this.foreign = new Map();
    let after: string | undefined;
    messages.forEach((message, at) => {
      const foreign = this.foreign.get(after);
      if (matched.has(keys[at]!)) after = keys[at];
      else if (foreign) foreign.push(message);
      else this.foreign.set(after, [message]);
    });
    this.messages = this.list([]);
  }

  /** The list, or the one that there is where nothing in it is another. Loops, because every delta passes here. */
  private list(before: readonly Shown[]): Message[] {
    const { rows, messages: old } = this;
    if (this.foreign.size) return this.mixed(rows);
    const list: Message[] = rows.length < old.length ? old.slice(0, rows.length) : old.slice();
    let same = rows.length === old.length;
    for (let at = 0; at < rows.length; at++) {
      const shown = rows[at]!;
      if (shown === before[at]) continue;
      list[at] = this.toPlain(shown, old[at]);
      same &&= list[at] === old[at];
    }
    return same ? old : list;
  }

  private mixed(rows: readonly Shown[]): Message[] {
    const after = (key?: string): readonly Message[] => this.foreign.get(key) ?? [];
    const keys = keysOf(rows);
    return [...after(), ...rows.flatMap((shown, at) => [this.toPlain(shown), ...after(keys[at])])];
  }

  /** `old`: what stood there before. */
  private toPlain(shown: Shown, old?: Message): Message {
    const known = this.plain.get(shown);
    if (known) return known;
    const plain: Record<string, unknown> = {};
    const original = this.assigned.get(messageKey(shown));
    if (original) { for (const [key, value] of Object.entries(original)) if (!described.has(key)) plain[key] = value; }
    for (const key of Object.keys(shown)) if (!added.has(key)) plain[key] = shown[key as keyof Shown];
    const message = old && isSame(old, plain) ? old : (plain as unknown as Message);
    this.plain.set(shown, message);
    return message;
  }
}

/** A key for each of the messages, of which several may have one id. */
function keysOf(messages: readonly Shown[]): string[] {
  const counts = new Map<string, number>();
  return messages.map((message) => {
    const key = messageKey(message);
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return before ? `${key}\0${before}` : key;
  });
}

/** The messages as AG-UI has them: reasoning that the snapshot shows with an answer is a message before it, as the core sends it. */
export function apart(messages: readonly Shown[]): readonly Shown[] {
  if (!messages.some(hasReasoning)) return messages;
  return messages.flatMap((message): readonly Shown[] => {
    if (!hasReasoning(message)) return [message];
    const { id, reasoning: content = "", reasoningEncryptedValue: encryptedValue, subagentRunId } = message;
    const thoughts = {
      id,
      role: "reasoning",
      content,
      ...encryptedValue !== undefined && { encryptedValue },
      ...subagentRunId !== undefined && { subagentRunId },
    };
    return [thoughts as Shown, ...message.content === undefined && !message.toolCalls ? [] : [message]];
  });
}

const hasReasoning = (message: Shown): message is AssistantMessage =>
  message.role === "assistant" && (message.reasoning !== undefined || message.reasoningEncryptedValue !== undefined);

/** Whether two messages have the same members. */
function isSame(old: object, message: object): boolean {
  const keys = Object.keys(message);
  const value = (of: object, key: string): unknown => of[key as keyof object];
  return keys.length === Object.keys(old).length && keys.every((key) => value(old, key) === value(message, key));
}

/** A message of a snapshot as AG-UI has it, with its members in one order. */
export function toPlainMessage(shown: Shown): Message {
  const members = [...described].filter((key) => shown[key as keyof Shown] !== undefined);
  return Object.fromEntries(members.map((key) => [key, shown[key as keyof Shown]])) as unknown as Message;
}

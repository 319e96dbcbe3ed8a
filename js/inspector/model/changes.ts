// Which of the events that came between two snapshots has changed what.

import type { AgentSnapshot, Message } from "../../api/types.js";
import { applyOperations, type Operation } from "../../base/checked-patch.js";
import { diff, overlaps, type Difference } from "./diff.js";
import type { Changes, Entry, Item, LooseEvent, MessageChange, MessageState } from "./entry.js";
import { cut } from "./text.js";

/** A row that has got an event since the last snapshot. */
export interface Pending {
  readonly entry: Entry;
  readonly item: Item;
}

/** Messages of one change that are listed. */
const maxMessages = 50;
/** Events between two snapshots that changes are looked for in: the newest; and those of the state that are gone through in turn. */
const maxEvents = 2000;
const maxInTurn = 200;

/** The changes between two snapshots. */
export interface Between {
  readonly state: readonly Difference[];
  readonly more: boolean;
  readonly messages: readonly MessageChange[];
}

/** Compares two snapshots. */
export function between(before: AgentSnapshot, after: AgentSnapshot): Between {
  const { differences, more } = before.state === after.state ? { differences: [], more: false } : diff(before.state, after.state);
  return { state: differences, more, messages: before.messages === after.messages ? [] : messagesBetween(before.messages, after.messages) };
}

function messagesBetween(before: readonly Message[], after: readonly Message[]): MessageChange[] {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const old = new Map(before.slice(same).map((message) => [message.id, message]));
  const changes: MessageChange[] = [];
  for (const message of after.slice(same)) {
    const was = old.get(message.id);
    old.delete(message.id);
    if (was !== message) changes.push({ ...changeOf(message), ...(was && { before: stateOf(was) }), after: stateOf(message), tail: tail(message) });
  }
  for (const message of old.values()) changes.push({ ...changeOf(message), before: stateOf(message) });
  return changes.slice(0, maxMessages);
}

const changeOf = ({ id, role }: Message): { id: string; role: string } => ({ id: cut(id, 200), role });

function textOf({ content }: Message): string {
  return typeof content === "string" ? content : "";
}

function stateOf(message: Message): MessageState {
  const { delivery } = message as { delivery?: string };
  const calls = (message as { toolCalls?: readonly unknown[] }).toolCalls?.length;
  return { ...(delivery !== undefined && { delivery }), length: textOf(message).length, ...(calls !== undefined && { calls }) };
}

function tail(message: Message): string {
  const text = textOf(message);
  return text.length > 200 ? `…${text.slice(-200)}` : text;
}

/**
 * Shares what has changed among the rows of its events, by the ids and places that these name. Returns what no event accounts
 * for: the page has done it.
 */
export function attribute(
  changed: Between,
  all: readonly Pending[],
  before: AgentSnapshot,
  snapshot: AgentSnapshot,
  tell: (entry: Entry, changes: Changes) => void,
): Between {
  const pending = all.slice(-maxEvents);
  const shares = new Map<Entry, { state: Set<Difference>; messages: Set<MessageChange>; shared: boolean }>();
  const share = (entry: Entry): { state: Set<Difference>; messages: Set<MessageChange>; shared: boolean } => {
    const found = shares.get(entry) ?? { state: new Set(), messages: new Set(), shared: false };
    shares.set(entry, found);
    return found;
  };
  const claim = (claims: (event: LooseEvent) => boolean, add: (entry: Entry) => unknown): boolean => {
    const rows = new Set(pending.filter(({ item }) => "event" in item && claims(item.event as LooseEvent)).map(({ entry }) => entry));
    for (const entry of rows) {
      add(entry);
      if (rows.size > 1) share(entry).shared = true;
    }
    return rows.size > 0;
  };

  const byEvent = changed.state.length > 0 && eachInTurn(before.state, snapshot.state, pending);
  if (byEvent) { for (const [entry, differences] of byEvent) for (const one of differences) share(entry).state.add(one); }
  const state = byEvent ? [] : changed.state.filter((one) => !claim((event) => namesPlace(event, one.path), (entry) => share(entry).state.add(one)));
  const messages = changed.messages.filter((one) => {
    const calls = new Set(snapshot.toolCalls.filter(({ messageId }) => messageId === one.id).map(({ id }) => id));
    const { toolCallId } = (snapshot.messages.find(({ id }) => id === one.id) ?? {}) as { toolCallId?: string };
    const add = (entry: Entry): unknown => share(entry).messages.add(one);
    // The end of a run changes what nothing else has.
    return !claim((event) => namesMessage(event, one.id, calls, toolCallId), add) && !claim(({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR", add);
  });
  for (const [entry, { state: ofState, messages: ofMessages, shared }] of shares) {
    const found = { state: [...ofState], messages: [...ofMessages], more: changed.more && ofState.size > 0, shared };
    tell(entry, join(entry.changes, found));
  }
  return { state, messages, more: changed.more && state.length > 0 };
}

/**
 * The changes that each event of the state has made, if they lead from the one state to the other: the page may have changed it
 * too, and a patch may have been refused.
 */
function eachInTurn(before: unknown, after: unknown, pending: readonly Pending[]): Map<Entry, readonly Difference[]> | undefined {
  const byEvent = new Map<Entry, readonly Difference[]>();
  let state = before;
  const events = pending.flatMap(({ entry, item }) => ("event" in item ? [{ entry, event: item.event as LooseEvent }] : []));
  const ofState = events.filter(({ event: { type } }) => type === "STATE_SNAPSHOT" || type === "STATE_DELTA");
  if (ofState.length > maxInTurn) return undefined;
  for (const { entry, event } of ofState) {
    try {
      const next = event.type === "STATE_SNAPSHOT" ? event["snapshot"] : applyOperations(state, event["delta"] as readonly Operation[]).value;
      byEvent.set(entry, diff(state, next).differences);
      state = next;
    } catch {
      // It has changed nothing.
    }
  }
  return diff(state, after).differences.length === 0 ? byEvent : undefined;
}

function namesPlace(event: LooseEvent, path: string): boolean {
  if (event.type === "STATE_SNAPSHOT") return true;
  if (event.type !== "STATE_DELTA" || !Array.isArray(event["delta"])) return false;
  return event["delta"].some((operation: { path?: unknown; from?: unknown } | null) => {
    const places = [operation?.path, operation?.from].filter((place) => typeof place === "string");
    // An element that is added or removed moves those after it.
    return places.some((place) => overlaps(path, place) || overlaps(path, place.replace(/\/(\d+|-)$/, "")));
  });
}

function namesMessage(event: LooseEvent, id: string, calls: ReadonlySet<string>, answers: string | undefined): boolean {
  if (event.type === "MESSAGES_SNAPSHOT") return true;
  const { messageId, toolCallId, parentMessageId, entityId } = event;
  if ([messageId, parentMessageId, entityId].includes(id)) return true;
  if (typeof toolCallId !== "string") return false;
  return event.type === "TOOL_CALL_RESULT" ? answers === toolCallId : calls.has(toolCallId);
}

/** Joins earlier changes of a row with later ones: of each place and message, from the first to the last. */
export function join(old: Changes | undefined, next: Changes): Changes {
  const state = new Map((old?.state ?? []).map((one) => [one.path, one]));
  for (const one of next.state ?? []) {
    const { before } = state.get(one.path) ?? one;
    const { before: _, ...rest } = one;
    state.set(one.path, { ...rest, ...(before !== undefined && { before }) });
  }
  const messages = new Map((old?.messages ?? []).map((one) => [one.id, one]));
  for (const one of next.messages ?? []) {
    const { before } = messages.has(one.id) ? messages.get(one.id)! : one;
    const { before: _, ...rest } = one;
    messages.set(one.id, { ...rest, ...(before !== undefined && { before }) });
  }
  return {
    ...(state.size > 0 && { state: [...state.values()].slice(0, 100) }),
    ...(messages.size > 0 && { messages: [...messages.values()].slice(0, maxMessages) }),
    ...((old?.more || next.more || state.size > 100) && { more: true }),
    ...((old?.shared || next.shared) && { shared: true }),
  };
}

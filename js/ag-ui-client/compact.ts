// A shorter list of events, as the official client makes it: at once, without the core. `compactEvents` of "ag-ui-wasm" knows more.

import { EventType, type BaseEvent } from "@ag-ui/core";
import { applyOperations } from "../base/checked-patch.js";
import type { AnyEvent } from "./events.js";
import { structuredClone_ } from "./values.js";

type Metadata = Record<string, unknown> | undefined;

/** A message or a call whose END is yet to come. */
interface OpenItem {
  start?: AnyEvent | undefined;
  deltas: AnyEvent[];
  /** Of the deltas, and of STARTs after them. */
  metadata?: Metadata;
  /** The events that came in between. */
  others: BaseEvent[];
}

const kinds = {
  text: { id: "messageId", start: EventType.TEXT_MESSAGE_START, delta: EventType.TEXT_MESSAGE_CONTENT, end: EventType.TEXT_MESSAGE_END },
  call: { id: "toolCallId", start: EventType.TOOL_CALL_START, delta: EventType.TOOL_CALL_ARGS, end: EventType.TOOL_CALL_END },
} as const;
type OpenKind = (typeof kinds)[keyof typeof kinds];

const frame = new Set<string>([EventType.RUN_STARTED, EventType.RUN_FINISHED, EventType.RUN_ERROR]);
const ofState = new Set<string>([EventType.STATE_SNAPSHOT, EventType.STATE_DELTA]);

/**
 * Joins the deltas of each message and call, and the states of a run after its last STATE_SNAPSHOT. What came between the events
 * of a message follows it.
 */
export function compactEvents(events: BaseEvent[]): BaseEvent[] {
  // In parts: a call takes only so many arguments.
  const compacted: BaseEvent[][] = [];
  const open = new Map<OpenKind, Map<string, OpenItem>>(Object.values(kinds).map((kind) => [kind, new Map()]));
  let states: AnyEvent[] = [];
  const flushStates = (): void => {
    compacted.push(joinStates(states));
    states = [];
  };

  for (const event of events as AnyEvent[]) {
    const kind = Object.values(kinds).find(({ start, delta, end }) => [start, delta, end].includes(event.type as never));
    if (kind) {
      const ofKind = open.get(kind)!;
      const id: string = event[kind.id];
      const entry = ofKind.get(id) ?? { deltas: [], others: [] };
      ofKind.set(id, entry);
      if (event.type !== kind.end) {
        take(entry, event, kind);
        continue;
      }
      compacted.push(join(kind, id, entry, event));
      ofKind.delete(id);
    } else if (frame.has(event.type)) {
      flushStates();
      compacted.push([event]);
    } else if (ofState.has(event.type)) {
      states.push(event);
    } else {
      const around = begun(open.values());
      if (around) around.others.push(event);
      else compacted.push([event]);
    }
  }
  for (const [kind, ofKind] of open) for (const [id, entry] of ofKind) compacted.push(join(kind, id, entry));
  flushStates();
  return compacted.flat();
}

/** The first item that has begun. */
function begun(open: Iterable<ReadonlyMap<string, OpenItem>>): OpenItem | undefined {
  for (const ofKind of open) for (const entry of ofKind.values()) if (entry.start) return entry;
  return undefined;
}

/** A START or a delta. A START after deltas replaces the first, but its metadata came late. */
function take(entry: OpenItem, event: AnyEvent, kind: OpenKind): void {
  if (event.type !== kind.start) {
    entry.deltas.push(event);
    entry.metadata = merge(entry.metadata, event.metadata);
    return;
  }
  const late = entry.deltas.length > 0;
  const metadata = late ? entry.start?.metadata : merge(entry.start?.metadata, event.metadata);
  const { metadata: _, ...rest } = event;
  if (late) entry.metadata = merge(entry.metadata, event.metadata);
  entry.start = { ...rest, ...(metadata && { metadata }) };
}

function join({ id: member, delta: type }: OpenKind, id: string, { start, deltas, metadata, others }: OpenItem, end?: BaseEvent): BaseEvent[] {
  const delta = deltas.map((event) => event["delta"]).join("");
  const content = { type, [member]: id, delta, ...(metadata && { metadata }) };
  return [...(start ? [start] : []), ...(deltas.length ? [content as BaseEvent] : []), ...(end ? [end] : []), ...others];
}

/** One snapshot for all that came after the last one. Without a snapshot nothing is known that deltas could count on. */
function joinStates(states: AnyEvent[]): BaseEvent[] {
  const last = states.map(({ type }) => type).lastIndexOf(EventType.STATE_SNAPSHOT);
  if (last < 0) return states;
  let snapshot: unknown = structuredClone_(states[last]!["snapshot"]);
  for (const { delta } of states.slice(last + 1) as { delta?: never }[]) {
    try {
      snapshot = applyOperations(snapshot, structuredClone_(delta ?? [])).value;
    } catch (error) {
      console.warn("[ag-ui-wasm] compactEvents left out a patch that fails:", error);
    }
  }
  const metadata = states.reduce<Metadata>((merged, event) => merge(merged, event.metadata), undefined);
  return [{ type: EventType.STATE_SNAPSHOT, snapshot, ...(metadata && { metadata }) } as BaseEvent];
}

function merge(one: Metadata, other: Metadata): Metadata {
  return one && other ? { ...one, ...other } : (other ?? one);
}

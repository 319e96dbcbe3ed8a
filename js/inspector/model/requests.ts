// The requests of a log, put together from its rows.

import type { AgentRequest } from "../../api/types.js";
import type { Entry, RequestEnd } from "./entry.js";

/** A request, its response and its end, as far as they have been seen. */
export interface ObservedRequest extends AgentRequest {
  /** Events that came while it was the newest request. */
  readonly events: number;
  /** From the request to the first event. */
  readonly firstEventMs?: number;
  /** From the request to its end. */
  readonly totalMs?: number;
  readonly end?: RequestEnd;
}

/** The requests, oldest first. */
export function exchanges(entries: readonly Entry[]): ObservedRequest[] {
  const found = new Map<number, ObservedRequest>();
  let newest: number | undefined;
  const set = (id: number, more: Partial<ObservedRequest>): void => {
    const old = found.get(id);
    if (old) found.set(id, { ...old, ...more });
  };
  for (const { items, at } of entries) {
    const [item] = items;
    if (!item) continue;
    if ("request" in item) found.set(newest = item.request.id, { ...item.request, at, events: 0 });
    else if ("response" in item) set(item.response.id, { ...item.response, at: found.get(item.response.id)?.at ?? at });
    else if ("ended" in item) set(item.ended.id, { end: item.ended.end, totalMs: at - (found.get(item.ended.id)?.at ?? at) });
    else if ("event" in item && newest !== undefined) {
      const { events = 0, at: sent = at, firstEventMs = at - sent } = found.get(newest) ?? {};
      set(newest, { events: events + items.length, firstEventMs });
    }
  }
  return [...found.values()];
}

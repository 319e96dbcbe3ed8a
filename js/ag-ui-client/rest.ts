// The names of the official client that no page calls, but that other modules export again: a bundler's alias needs them all.

import { EventType, type BaseEvent, type MessagesSnapshotEvent } from "@ag-ui/core";
import type { Observable } from "rxjs";
import { isObject } from "../base/json.js";
import type { HttpEvent } from "./request.js";
import { readEvents } from "./stream.js";

export { toOutgoing as enforceOutgoingInput } from "./outgoing.js";

/** The events of a body of server-sent events, whatever its head says. */
export function parseSSEStream(source$: Observable<HttpEvent>): Observable<BaseEvent> {
  return readEvents(source$, {}, "text/event-stream");
}

/** The events of a binary body, whatever its head says. */
export function parseProtoStream(source$: Observable<HttpEvent>): Observable<BaseEvent> {
  return readEvents(source$, {}, "application/vnd.ag-ui.event+proto");
}

const knownTypes = new Set<string>(Object.values(EventType));

/** Whether AG-UI describes events of this type. */
export function isRecognizedEvent(event: { type: string }): event is BaseEvent {
  return knownTypes.has(event.type);
}

/** The key of the metadata that says which activities a list of messages is all of. */
export const ACTIVITY_HISTORY_METADATA = "@ag-ui/client";
const member = "authoritativeActivityTypes";

/** Of which activities a list is all: of every type (`null`), of these, or it does not say (`undefined`). */
export function authoritativeActivityTypes({ metadata }: MessagesSnapshotEvent): string[] | null | undefined {
  if (!metadata || !Object.hasOwn(metadata, ACTIVITY_HISTORY_METADATA)) return undefined;
  const history = metadata[ACTIVITY_HISTORY_METADATA];
  if (!isObject(history)) return [];
  if (!Object.hasOwn(history, member)) return undefined;
  const types = history[member];
  if (types === null) return null;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}

/** The list, as one that is all of these activities too. */
export function withAuthoritativeActivityTypes(
  event: MessagesSnapshotEvent,
  activityTypes: readonly string[],
): MessagesSnapshotEvent {
  const types = authoritativeActivityTypes(event);
  const all = types === null || (types === undefined && event.messages.some(({ role }) => role === "activity"));
  const history = event.metadata?.[ACTIVITY_HISTORY_METADATA];
  const now = { ...(isObject(history) ? history : {}), [member]: all ? null : [...new Set([...(types ?? []), ...activityTypes])] };
  return { ...event, metadata: { ...event.metadata, [ACTIVITY_HISTORY_METADATA]: now } } as MessagesSnapshotEvent;
}

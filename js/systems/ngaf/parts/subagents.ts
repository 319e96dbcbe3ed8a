// Subagents: those that activities show, and those that have events of their own. Owns `subagents`.

import type { JsonObject } from "../../../api/protocol.js";
import { write } from "../../../base/draft.js";
import { isObject } from "../../../base/json.js";
import { ownValue, patched } from "../json.js";
import { toSubagent } from "../subagents.js";
import type { NgafSubagent } from "../types.js";
import { text, type Loose, type Shared } from "./shared.js";

/** There are none yet. */
export function createSubagents({ fields, draft, ...shared }: Shared) {
  const activities = new Map<string, { readonly type: string; readonly content: JsonObject }>();
  const set = (id: string, subagent: NgafSubagent): void => write(draft("subagents"), id, subagent);
  const show = (id: string, type: string, content: JsonObject): void => {
    activities.set(id, { type, content });
    if (type === "subagent") set(id, toSubagent(id, content));
  };

  return {
    clear: (): void => {
      activities.clear();
      shared.set("subagents", {});
    },
    /** ACTIVITY_SNAPSHOT. */
    activity: (event: Loose, id: string): void => {
      const content = isObject(event.content) ? event.content : {};
      const type = text(event, "activityType");
      const known = activities.get(id);
      const merges = known?.type === type && event.replace !== true;
      show(id, type, merges ? { ...known.content, ...content } : content);
    },
    /** ACTIVITY_DELTA. */
    patch: (event: Loose, id: string): void => {
      const known = activities.get(id);
      const next = known && patched(known.content, event.patch);
      if (next) show(id, known.type, next.value);
    },
    /** An event of a subagent's own, after which it stands so. */
    took: (event: Loose, status: NgafSubagent["status"]): void => {
      const run = text(event, "subagentRunId");
      const known = ownValue(fields.subagents as JsonObject, run) as NgafSubagent | undefined;
      const { toolCallId = text(event, "parentToolCallId", run), messages = [], toolCalls = [], state = {} } = known ?? {};
      const name = known?.name ?? (typeof event.name === "string" ? event.name : undefined);
      set(run, { toolCallId, ...(name !== undefined && { name }), status, messages, toolCalls, state });
    },
  };
}

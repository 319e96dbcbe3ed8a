// A subagent, from the activity that shows it.

import type { JsonObject } from "../../api/protocol.js";
import { isObject } from "../../base/json.js";
import { ownValue } from "./json.js";
import type { NgafMessage, NgafSubagent } from "./types.js";

export function toSubagent(id: string, content: JsonObject): NgafSubagent {
  const text = (from: JsonObject, name: string): string | undefined => {
    const value = ownValue(from, name);
    return typeof value === "string" ? value : undefined;
  };
  const list = (name: string): unknown[] | undefined => {
    const value = ownValue(content, name);
    return Array.isArray(value) ? value : undefined;
  };
  const message = (from: JsonObject, otherwise: string): NgafMessage => {
    const [ids, reasoning] = [ownValue(from, "toolCallIds"), text(from, "reasoning")];
    return {
      id: text(from, "id") ?? otherwise,
      role: (text(from, "role") ?? "assistant") as NgafMessage["role"],
      content: text(from, "content") ?? "",
      ...(Array.isArray(ids) && { toolCallIds: ids.map(String) }),
      ...(reasoning !== undefined && { reasoning }),
    };
  };
  const name = text(content, "name");
  const status = text(content, "status");
  const state = ownValue(content, "state");
  const messages = list("messages")?.filter(isObject).map((from, at) => message(from, `${id}:${at}`));
  return {
    toolCallId: text(content, "toolCallId") ?? id,
    ...(name !== undefined && { name }),
    status: status === "pending" || status === "complete" || status === "error" ? status : "running",
    messages: messages ?? [{ id, role: "assistant", content: text(content, "text") ?? "" }],
    toolCalls: list("toolCalls") ?? [],
    state: isObject(state) ? state : {},
  };
}

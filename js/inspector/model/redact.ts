// Recordings without what people and servers have written, to be attached to a report.

import type { JsonObject } from "../../api/protocol.js";
import { isObject } from "../../base/json.js";
import { readLines } from "../../recordings/recording.js";
import { createJsonMask, maskJson, maskNumber, maskText } from "./mask.js";

/** Members whose text says how something is made, not what it is about. */
const plainKeys = new Set([
  ...["type", "role", "id", "messageId", "toolCallId", "toolCallIds", "pendingToolCallIds", "parentMessageId", "parentToolCallId"],
  ...["interruptId", "interruptIds", "runId", "threadId", "parentRunId", "subagentRunId", "parentSubagentRunId", "entityId", "protocolVersion"],
  ...["lastEventId", "toolCallName", "stepName", "activityType", "subtype", "status", "delivery", "phase", "kind", "op", "path", "from", "code"],
  ...["rule", "eventType", "outcome", "mimeType", "method", "contentType", "content-type", "end", "provider", "model", "direction"],
]);
/** Members that hold a document of the application: all of it but the keys is masked, numbers too. */
const documents = new Set([
  ...["snapshot", "state", "value", "payload", "result", "args", "forwardedProps", "metadata", "rawEvent", "event", "parameters", "data"],
  ...["responseSchema", "content", "input"],
]);
/** Short JSON, or JSON as text. */
const json = new Set(["arguments", "argsText", "before", "after"]);

/** Texts of the inspector itself about the page. */
const ours = /^(Changed by the page|The inspector was opened)/;

/**
 * Masks the text of messages, arguments, results and state in a recording, and every other text but ids, names and codes. Lengths
 * and structure stay: keys of objects, types, the number of digits, pauses. The result is a recording and can be played.
 *
 * @throws {SyntaxError} where the text is no recording
 */
export function redactRecording(recording: string): string {
  // The arguments of each call come in pieces.
  const calls = new Map<unknown, (piece: string) => string>();
  let newest: unknown;
  const lines: string[] = [];
  for (const { value } of readLines(recording)) {
    if (typeof value === "number") {
      lines.push(String(value));
      continue;
    }
    const { type, toolCallId = newest, delta, text } = value;
    const redacted = members(value);
    if (type === undefined && typeof text === "string") redacted["text"] = bytes(text);
    if ((type === "TOOL_CALL_ARGS" || type === "TOOL_CALL_CHUNK") && typeof delta === "string") {
      const mask = calls.get(toolCallId) ?? createJsonMask();
      calls.set(newest = toolCallId, mask);
      redacted["delta"] = mask(delta);
    }
    lines.push(JSON.stringify(redacted));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** An object of the protocol's, or of a recording's. */
function members(value: JsonObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, memberOf(key, member, value)]));
}

function memberOf(key: string, member: unknown, owner: JsonObject): unknown {
  if (key === "url" && typeof member === "string" && "method" in owner) return address(member);
  if (key === "base64") return typeof member === "string" ? member.replace(/[^=]/g, "A") : member;
  if (key === "local" && typeof member === "string" && ours.test(member)) return member;
  if (key === "name") return nameOf(member, owner);
  if (plainKeys.has(key)) return member !== null && typeof member === "object" ? walk(member) : member;
  if (json.has(key)) return typeof member === "string" ? maskJson(member) : walk(member);
  if (key === "snapshot" && isObject(member) && Array.isArray(member["messages"]) && "connection" in member) return members(member);
  if (key === "input" && isObject(member) && Array.isArray(member["messages"])) return members(member);
  if (key === "content" && Array.isArray(member)) return walk(member);
  if (documents.has(key)) return typeof member === "string" ? maskJson(member) : documentOf(member);
  return walk(member);
}

/** Names of tools, steps and subagents say how a server works; that of a message's author may be a person's. */
function nameOf(name: unknown, { role }: JsonObject): unknown {
  return typeof name === "string" && role !== undefined ? maskText(name) : name;
}

function walk(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return value.map(walk);
  return isObject(value) ? members(value) : value;
}

function documentOf(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "number") return maskNumber(value);
  if (Array.isArray(value)) return value.map(documentOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, documentOf(member)]));
}

/** The address without what it asks for. */
function address(url: string): string {
  const [path = "", query] = url.split("?");
  return query === undefined ? url : `${path}?${query.replace(/=[^&]*/g, (value) => maskText(value))}`;
}

/** Bytes that are no event. */
const bytes = (text: string): string => maskText(text).replace(/^xxxx: /gm, "data: ");

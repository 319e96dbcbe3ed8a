// The AG-UI form of Hector, version 1: how its events are read, and made of native messages.

import { isObject } from "../../base/json.js";
import { uuid } from "../../base/uuid.js";
import { createFormWriter, type FormWriter } from "./form-writer.js";
import { list, string, toObject } from "./json.js";
import { extractToolCalls, extractToolResults, getBlockId, getBlockType, getEventType, isThinkingPart, textOf, type Part } from "./parts.js";

/** An event of Hector's AG-UI form. */
export interface FormEvent {
  /** As `content_block_delta`. */
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * An event of the AG-UI form, nested as servers write it or flat as the documents print it. `event`: the name on its event line.
 *
 * @example
 * readFormEvent("thinking_stop", { thinkingId: "t" }); // { name: "thinking_stop", payload: { thinkingId: "t" } }
 */
export function readFormEvent(event: string, data: Readonly<Record<string, unknown>>): FormEvent {
  const name = event && event !== "message" ? event : string(data["type"]).replace(/^AGUI_EVENT_TYPE_/, "").toLowerCase();
  const member = data[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
  return { name, payload: isObject(member) && name !== "error" ? member : data };
}

/**
 * The events that the AG-UI form has for parts, as the server would convert them. Items that are open at their end are closed.
 *
 * @example
 * partsToEvents([{ text: "Hello", metadata: { block_id: "b" } }]).map(({ name }) => name);
 * // ["content_block_start", "content_block_delta", "content_block_stop"]
 */
export function partsToEvents(parts: readonly Part[]): FormEvent[] {
  const converter = createConverter();
  return [...converter.parts(parts), ...converter.close()];
}

/** Converts a native stream, response by response. */
export type Converter = ReturnType<typeof createConverter>;

/**
 * A converter from the native stream to the AG-UI form, by the rules of the server's own. `messageId`: default a random UUID.
 *
 * @example
 * const { convert } = createConverter();
 * const events = responses.flatMap(convert);
 */
export function createConverter({ messageId = uuid() }: { readonly messageId?: string | undefined } = {}) {
  const writer = createFormWriter(messageId);
  const take = (act: () => void): FormEvent[] => {
    act();
    return writer.take();
  };
  return {
    /** Converts a response (`{task}`, `{message}`, `{statusUpdate}` or `{artifactUpdate}`) to the events that it adds. */
    convert: (response: Readonly<Record<string, unknown>>): FormEvent[] => take(() => writeResponse(writer, response)),
    /** Converts parts to the events that they add. */
    parts: (parts: readonly Part[]): FormEvent[] => take(() => writeParts(writer, parts)),
    /** Ends what is open, which a stream that is cut leaves to its reader. */
    close: (): FormEvent[] => take(writer.close),
  };
}

function writeResponse(writer: FormWriter, response: Readonly<Record<string, unknown>>): void {
  const { task, message, statusUpdate, artifactUpdate } = response;
  if (isObject(task)) writeTask(writer, task);
  else if (isObject(message)) {
    writer.start(message["contextId"], message["taskId"], message["role"] === "ROLE_USER" ? "user" : "agent");
    writeParts(writer, message["parts"] ?? message["content"]);
  } else if (isObject(statusUpdate)) {
    if (statusUpdate["final"] === true) writer.close();
    writer.add("task_update", { taskId: statusUpdate["taskId"], status: stateOf(toObject(statusUpdate["status"])) });
  } else if (isObject(artifactUpdate)) {
    writer.start(artifactUpdate["contextId"], artifactUpdate["taskId"]);
    writeParts(writer, toObject(artifactUpdate["artifact"])["parts"]);
  }
}

function writeTask(writer: FormWriter, task: Record<string, unknown>): void {
  const { id, contextId } = task;
  const status = toObject(task["status"]);
  switch (stateOf(status)) {
    case "submitted":
      writer.add("task_start", { taskId: id, contextId });
      writer.start(contextId, id);
      break;
    case "working":
      writer.start(contextId, id);
      writer.add("task_update", { taskId: id, status: "working" });
      break;
    case "completed":
      writer.close();
      writer.add("task_complete", { taskId: id });
      break;
    case "failed": {
      writer.close();
      const texts = list(toObject(status["message"])["parts"] as Part[]).filter(isObject).map(textOf);
      writer.add("task_error", { taskId: id, errorMessage: texts.find(Boolean) ?? "Task failed", errorCode: "TASK_FAILED" });
    }
  }
}

function writeParts(writer: FormWriter, parts: unknown): void {
  for (const part of list(parts as Part[]).filter(isObject)) writePart(writer, part);
}

function writePart(writer: FormWriter, part: Part): void {
  const event = getEventType(part);
  const text = textOf(part);
  if (isThinkingPart(part)) writer.think(getBlockId(part), text);
  else if (event === "tool_call") {
    writer.closeThinking();
    for (const { id, name, args } of extractToolCalls([part])) {
      writer.closeContent();
      writer.add("tool_call_start", { toolCallId: id, toolName: name, input: args });
    }
    for (const { toolCallId, content: result, error, success } of extractToolResults([part])) {
      writer.add("tool_call_stop", { toolCallId, finalInput: {}, result, error, isError: !success });
    }
  } else if (event !== "thinking_complete" && text) writer.write(getBlockId(part), getBlockType(part) || "text", text);
}

function stateOf(status: Record<string, unknown>): string {
  return string(status["state"]).replace(/^TASK_STATE_/, "").toLowerCase();
}

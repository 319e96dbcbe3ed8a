// The AG-UI form of Hector, version 1: how its events are read, and made of native messages.

import { uuid } from "../../base/uuid.js";
import { isObject, list, string, toObject } from "./json.js";
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
export interface Converter {
  /** Converts a response (`{task}`, `{message}`, `{statusUpdate}` or `{artifactUpdate}`) to the events that it adds. */
  convert(response: Readonly<Record<string, unknown>>): FormEvent[];
  /** Converts parts to the events that they add. */
  parts(parts: readonly Part[]): FormEvent[];
  /** Ends what is open, which a stream that is cut leaves to its reader. */
  close(): FormEvent[];
}

/**
 * A converter from the native stream to the AG-UI form, by the rules of the server's own. `messageId`: default a random UUID.
 *
 * @example
 * const { convert } = createConverter();
 * const events = responses.flatMap(convert);
 */
export function createConverter({ messageId = uuid() }: { readonly messageId?: string | undefined } = {}): Converter {
  let events: FormEvent[] = [];
  let open = false;
  let index = 0;
  let content: string | undefined;
  let contentType: string | undefined;
  let thinking: string | undefined;

  // protojson leaves out what is empty.
  const add = (name: string, payload: Record<string, unknown>): void => {
    const told = Object.entries(payload).filter(([, value]) => value !== undefined && value !== "" && value !== 0 && value !== false);
    events.push({ name, payload: Object.fromEntries(told) });
  };
  const take = (act: () => void): FormEvent[] => {
    events = [];
    act();
    return events;
  };
  const closeThinking = (): void => {
    if (thinking !== undefined) add("thinking_stop", { thinkingId: thinking });
    thinking = undefined;
  };
  const closeContent = (): void => {
    if (content !== undefined) add("content_block_stop", { blockId: content });
    content = undefined;
  };
  const closeAll = (): void => (closeThinking(), closeContent());
  const start = (contextId: unknown, taskId: unknown, role = "agent"): void => {
    if (!open) add("message_start", { messageId, contextId, taskId, role });
    open = true;
  };
  const stop = (): void => {
    if (open) add("message_stop", { messageId });
    open = false;
  };

  const takePart = (part: Part): void => {
    const event = getEventType(part);
    const text = textOf(part);
    if (isThinkingPart(part)) {
      closeContent();
      const id = getBlockId(part) || thinking || uuid();
      if (id !== thinking) {
        closeThinking();
        add("thinking_start", { thinkingId: id });
        thinking = id;
      }
      if (text) add("thinking_delta", { thinkingId: id, delta: text });
    } else if (event === "tool_call") {
      closeThinking();
      for (const { id, name, args } of extractToolCalls([part])) {
        closeContent();
        add("tool_call_start", { toolCallId: id, toolName: name, input: args });
      }
      for (const { toolCallId, content: result, error, success } of extractToolResults([part])) {
        add("tool_call_stop", { toolCallId, finalInput: {}, result, error, isError: !success });
      }
    } else if (event !== "thinking_complete" && text) {
      closeThinking();
      const [id, type] = [getBlockId(part), getBlockType(part) || "text"];
      // A part with an id or a type of its own is a block of its own.
      if (content === undefined || (id ? id !== content : type !== contentType)) {
        closeContent();
        [content, contentType] = [id || uuid(), type];
        add("content_block_start", { blockId: content, blockType: type, index });
        index += 1;
      }
      add("content_block_delta", { blockId: content, delta: text });
    }
  };
  const takeParts = (parts: unknown): void => list(parts as Part[]).filter(isObject).forEach(takePart);

  const takeTask = (task: Record<string, unknown>): void => {
    const { id, contextId } = task;
    const status = toObject(task["status"]);
    switch (stateOf(status)) {
      case "submitted":
        add("task_start", { taskId: id, contextId });
        start(contextId, id);
        break;
      case "working":
        start(contextId, id);
        add("task_update", { taskId: id, status: "working" });
        break;
      case "completed":
        closeAll();
        stop();
        add("task_complete", { taskId: id });
        break;
      case "failed": {
        closeAll();
        stop();
        const texts = list(toObject(status["message"])["parts"] as Part[]).filter(isObject).map(textOf);
        add("task_error", { taskId: id, errorMessage: texts.find(Boolean) ?? "Task failed", errorCode: "TASK_FAILED" });
      }
    }
  };

  const takeResponse = (response: Readonly<Record<string, unknown>>): void => {
    const { task, message, statusUpdate, artifactUpdate } = response;
    if (isObject(task)) takeTask(task);
    else if (isObject(message)) {
      start(message["contextId"], message["taskId"], message["role"] === "ROLE_USER" ? "user" : "agent");
      takeParts(message["parts"] ?? message["content"]);
    } else if (isObject(statusUpdate)) {
      if (statusUpdate["final"] === true) {
        closeAll();
        stop();
      }
      add("task_update", { taskId: statusUpdate["taskId"], status: stateOf(toObject(statusUpdate["status"])) });
    } else if (isObject(artifactUpdate)) {
      start(artifactUpdate["contextId"], artifactUpdate["taskId"]);
      takeParts(toObject(artifactUpdate["artifact"])["parts"]);
    }
  };

  return {
    convert: (response) => take(() => takeResponse(response)),
    parts: (parts) => take(() => takeParts(parts)),
    close: () => take(() => (closeAll(), stop())),
  };
}

function stateOf(status: Record<string, unknown>): string {
  return string(status["state"]).replace(/^TASK_STATE_/, "").toLowerCase();
}

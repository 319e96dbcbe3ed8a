/** Hector's own AG-UI form of its native responses: events with names of their own, each payload in a member of its name. */
import { randomUUID } from "node:crypto";

const AT = "2026-01-10T10:00:00.100123456Z";

export class AgUiForm {
  #message;
  #block;
  #thinking;
  #index = 0;

  /** The events that a response becomes; none for what the form cannot say. */
  *take({ task, message, statusUpdate, error }) {
    if (error !== undefined) yield { name: "error", data: { error } };
    if (task !== undefined) {
      yield event("task_start", { taskId: task.id, contextId: task.contextId });
      yield* this.#open(task.contextId, task.id);
    }
    if (statusUpdate !== undefined) {
      const { taskId, contextId, status, final } = statusUpdate;
      if (final) yield* this.#end();
      else yield* this.#open(contextId, taskId);
      yield event("task_update", { taskId, status: status.state.replace("TASK_STATE_", "").toLowerCase() });
    }
    if (message !== undefined) {
      yield* this.#open(message.contextId, message.taskId);
      for (const part of message.parts) yield* this.#part(part);
    }
  }

  *#open(contextId, taskId) {
    if (this.#message !== undefined) return;
    this.#message = `msg-${randomUUID()}`;
    yield event("message_start", { messageId: this.#message, contextId, taskId, role: "agent" });
  }

  *#end() {
    yield* this.#closeThinking();
    yield* this.#closeBlock();
    if (this.#message !== undefined) yield event("message_stop", { messageId: this.#message });
    this.#message = undefined;
  }

  *#closeBlock() {
    if (this.#block !== undefined) yield event("content_block_stop", { blockId: this.#block });
    this.#block = undefined;
  }

  *#closeThinking() {
    if (this.#thinking !== undefined) yield event("thinking_stop", { thinkingId: this.#thinking });
    this.#thinking = undefined;
  }

  *#part({ text, data, metadata = {} }) {
    const { event_type, block_id, block_type, tool_call_id, tool_name, is_error } = metadata;
    if (event_type === "thinking") {
      yield* this.#closeBlock();
      if (this.#thinking !== block_id) {
        yield* this.#closeThinking();
        this.#thinking = block_id;
        yield event("thinking_start", { thinkingId: block_id });
      }
      if (text) yield event("thinking_delta", { thinkingId: block_id, delta: text });
    } else if (event_type === "tool_call" && is_error === undefined) {
      yield* this.#closeThinking();
      yield* this.#closeBlock();
      yield event("tool_call_start", { toolCallId: tool_call_id, toolName: tool_name, input: data.data.arguments });
    } else if (event_type === "tool_call") {
      const { content, error } = data.data;
      yield* this.#closeThinking();
      const failed = error ? { error, isError: true } : {};
      yield event("tool_call_stop", { toolCallId: tool_call_id, finalInput: {}, ...(content && { result: content }), ...failed });
    } else if (text) {
      yield* this.#closeThinking();
      if (this.#block === undefined) {
        this.#block = block_id ?? randomUUID();
        const index = this.#index++;
        yield event("content_block_start", { blockId: this.#block, blockType: block_type ?? "text", ...(index > 0 && { index }) });
      }
      yield event("content_block_delta", { blockId: this.#block, delta: text });
    }
  }
}

function event(name, payload) {
  const member = name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  return { name, data: { eventId: randomUUID(), type: `AGUI_EVENT_TYPE_${name.toUpperCase()}`, timestamp: AT, [member]: payload } };
}

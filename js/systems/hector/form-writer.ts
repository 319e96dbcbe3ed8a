// Writes events of the AG-UI form, in which thinking, content blocks and the message itself are begun and ended.

import { uuid } from "../../base/uuid.js";
import type { FormEvent } from "./converter.js";

/** Writes the events of one message, and knows which of its items are open. */
export type FormWriter = ReturnType<typeof createFormWriter>;

/** A writer of a message that has not begun. */
export function createFormWriter(messageId: string) {
  const events: FormEvent[] = [];
  let open = false;
  let index = 0;
  let content: string | undefined;
  let contentType: string | undefined;
  let thinking: string | undefined;

  /** Adds an event. protojson leaves out what is empty. */
  const add = (name: string, payload: Record<string, unknown>): void => {
    const filled = Object.entries(payload).filter(([, value]) => value !== undefined && value !== "" && value !== 0 && value !== false);
    events.push({ name, payload: Object.fromEntries(filled) });
  };
  const closeThinking = (): void => {
    if (thinking !== undefined) add("thinking_stop", { thinkingId: thinking });
    thinking = undefined;
  };
  const closeContent = (): void => {
    if (content !== undefined) add("content_block_stop", { blockId: content });
    content = undefined;
  };

  return {
    add,
    /** Begins the message, unless it is open. */
    start: (contextId: unknown, taskId: unknown, role = "agent"): void => {
      if (!open) add("message_start", { messageId, contextId, taskId, role });
      open = true;
    },
    /** Adds to the thinking with this id; empty: to the one that is open, or to a new one. */
    think: (thoughtId: string, delta: string): void => {
      closeContent();
      const id = thoughtId || thinking || uuid();
      if (id !== thinking) {
        closeThinking();
        add("thinking_start", { thinkingId: id });
        thinking = id;
      }
      if (delta) add("thinking_delta", { thinkingId: id, delta });
    },
    /** Adds to the content block with this id; empty: to the one that is open, if it has this type. */
    write: (id: string, type: string, delta: string): void => {
      closeThinking();
      // A part with an id or a type of its own is a block of its own.
      if (content === undefined || (id ? id !== content : type !== contentType)) {
        closeContent();
        [content, contentType] = [id || uuid(), type];
        add("content_block_start", { blockId: content, blockType: type, index });
        index += 1;
      }
      add("content_block_delta", { blockId: content, delta });
    },
    closeThinking,
    closeContent,
    /** Ends all that is open. */
    close: (): void => {
      closeThinking();
      closeContent();
      if (open) add("message_stop", { messageId });
      open = false;
    },
    /** Takes the events that were added since the last call. */
    take: (): FormEvent[] => events.splice(0),
  };
}

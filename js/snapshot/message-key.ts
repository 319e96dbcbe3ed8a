import type { Message } from "../api/protocol.js";

/**
 * Names a message among those of its thread, for lists of rows that want a key. An id alone does not: a reasoning message may
 * have the id of the answer that it leads to, and some servers give a tool's result the id of the message that has the call.
 *
 * @example
 * {messages.map((message) => <Row key={messageKey(message)} message={message} />)}
 */
export function messageKey(message: Message): string {
  const { role, id } = message;
  return role === "tool" ? `${role} ${id} ${message.toolCallId}` : `${role} ${id}`;
}

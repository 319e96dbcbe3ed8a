// An edit of the messages. It is what it changes, not what it leaves: the difference between what the page had shown and what the application
// has made of that. The core applies it to what it has at that moment (src/thread/edit.rs), which may be more than was shown.

import type { AgentSnapshot, Message, ToolMessage } from "../api/types.js";
import { expectList, toJson } from "../base/failure.js";
import { edited, editedList } from "../snapshot/edited.js";
import { callsOf, settle, toolCallsOf } from "../snapshot/initial.js";
import { messageKey } from "../snapshot/message-key.js";
import type { Intent } from "./intent.js";

/** The edit that has made one list of messages of another. */
export function messagesEdit<State>(before: readonly Message[], after: readonly Message[]): Intent<State> {
  expectList("setMessages()", "object", after);
  // An object that is the same is unchanged: its place identifies it.
  const places = new Map(before.map((message, at) => [message, at]));
  const list = after.map((message) => {
    const at = places.get(message);
    places.delete(message);
    return at ?? message;
  });
  const shown = before.map((message) => {
    const { id, role, toolCallId } = message as ToolMessage;
    return places.has(message) ? message : { id, role, toolCallId };
  });
  return { method: "editMessages", json: toJson({ before: shown, after: list }), fold: (at) => editedMessages(before, after, at) };
}

/** Edited messages, and their calls. */
export function editedMessages<State>(before: readonly Message[], after: readonly Message[], at: AgentSnapshot<State>): AgentSnapshot<State> {
  const list = editedList([before, after, at.messages], messageKey, (old, message, current) => {
    if (!current) return settle(message);
    const made = edited(old, message, current, true) as Message;
    // Only the server ends a message that streams.
    const streams = old?.delivery === "streaming" || current.delivery === "streaming";
    return made === current ? current : streams ? { ...made, delivery: current.delivery! } : settle(made);
  });
  const messages = afterCalls(list);
  const known = new Map(at.toolCalls.map((call) => [call.id, call]));
  const toolCalls = toolCallsOf(messages).map((call) => {
    const shown = known.get(call.id);
    return shown?.name === call.name && shown.argsText === call.argsText ? shown : call;
  });
  return { ...at, messages, toolCalls };
}

/** A result that stands before its call is put after it, as the core does. */
function afterCalls(messages: readonly Message[]): readonly Message[] {
  const places = new Map(messages.flatMap((message, at) => callsOf(message).map(({ id }) => [id, at] as const)));
  const placeOf = (message: Message): number => (message.role === "tool" ? (places.get(message.toolCallId) ?? -1) : -1);
  const early = messages.filter((message, at) => placeOf(message) > at);
  if (!early.length) return messages;
  return messages.flatMap((message, at) => (early.includes(message) ? [] : [message, ...early.filter((result) => placeOf(result) === at)]));
}

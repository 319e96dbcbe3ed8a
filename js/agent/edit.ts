// Edits of the application. An edit is what it changes, not what it leaves: the difference between what the page had shown
// and what the application has made of that. The core applies it to what it has at that moment (src/thread/edit.rs,
// src/thread/state.rs), which may be more than was shown.
//
// Where the core is not there yet, or answers later, js/snapshot/project.ts says what is shown until it does.

import { unfit } from "../base/failure.js";
import type { Intent } from "../core/client.js";
import { edited, editedMessages, isPlain } from "../snapshot/project.js";
import type { Message, ToolMessage } from "../api/types.js";

type ToJson = (value: unknown) => string;

/** The edit that has made one list of messages of another. */
export function messagesEdit<State>(before: readonly Message[], after: readonly Message[], toJson: ToJson): Intent<State> {
  if (!Array.isArray(after) || after.some((message) => typeof message !== "object" || !message)) {
    throw unfit("setMessages()", "a list of messages, or a function that returns one", after);
  }
  // An object that is the same is unchanged: its place identifies it.
  const places = new Map(before.map((message, at) => [message, at]));
  const unchanged = new Set<Message>();
  const list = after.map((message) => {
    const at = unchanged.has(message) ? undefined : places.get(message);
    if (at !== undefined) unchanged.add(message);
    return at ?? message;
  });
  const shown = before.map((message) => {
    const { id, role, toolCallId } = message as ToolMessage;
    return unchanged.has(message) ? { id, role, toolCallId } : message;
  });
  return { method: "editMessages", json: toJson({ before: shown, after: list }), fold: (at) => editedMessages(before, after, at) };
}

/** The edit that has made one state of another. */
export function stateEdit<State>(before: State, after: State, toJson: ToJson): Intent<State> {
  const [from, to] = changed(before, after);
  const fold: Intent<State>["fold"] = (at) => ({ ...at, state: edited(before, after, at.state) as State });
  return { method: "editState", json: toJson({ before: from, after: to }), fold };
}

/** The two values without the members of objects that are the same object or value in both. */
function changed(before: unknown, after: unknown): [unknown, unknown] {
  if (!isPlain(before) || !isPlain(after)) return [before, after];
  const entries = Object.entries(after).flatMap(([key, value]) => {
    if (!Object.hasOwn(before, key)) return [[key, undefined, value]] as const;
    return value === before[key] ? [] : [[key, ...changed(before[key], value)] as const];
  });
  const gone = Object.entries(before).filter(([key]) => !Object.hasOwn(after, key));
  const had = entries.filter(([key]) => Object.hasOwn(before, key)).map(([key, value]) => [key, value] as const);
  return [Object.fromEntries([...had, ...gone]), Object.fromEntries(entries.map(([key, , value]) => [key, value]))];
}

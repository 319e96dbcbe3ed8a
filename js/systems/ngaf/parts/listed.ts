// MESSAGES_SNAPSHOT: the messages of a list, and the calls in them.

import { isObject } from "../../../base/json.js";
import { parsed } from "../json.js";
import type { NgafMessage, NgafToolCall } from "../types.js";
import type { AnswersPart } from "./answers.js";
import type { CallsPart } from "./calls.js";
import type { Messages } from "./messages.js";
import { text, type Shared } from "./shared.js";

/** Takes a list of the server's in place of the thread. Says whether citations are to be looked for in it. */
export function takeList({ version, named }: Shared, parts: { messages: Messages; calls: CallsPart; answers: AnswersPart }, value: unknown): boolean {
  const list = (Array.isArray(value) ? value : []).filter(isObject);
  for (const { id } of list) named.add(String(id));
  if (version === 1) {
    parts.messages.replace(list as unknown as NgafMessage[]);
    return false;
  }
  const calls = new Map<string, NgafToolCall>();
  const messages = list.map(({ toolCalls, ...message }): NgafMessage => {
    const made = (Array.isArray(toolCalls) ? toolCalls : []).filter(isObject);
    for (const call of made) {
      const of = isObject(call.function) ? call.function : {};
      const args = parsed(of.arguments);
      const id = text(call, "id");
      named.add(id);
      calls.set(id, { id, name: text(of, "name"), args: isObject(args) ? args : {}, status: "complete" });
    }
    const toolCallIds = made.map((call) => text(call, "id"));
    return { ...(message as unknown as NgafMessage), ...(made.length && { toolCallIds }) };
  });
  parts.calls.add([...calls.values()]);
  parts.messages.replace(parts.answers.merge(messages));
  return true;
}

// Chooses which messages of the thread a request carries. The core writes all of them; here the list is made shorter, as the option
// `thread.send` says, with every other byte as it was: numbers keep their digits.

import type { AssistantMessage, Message, SendRequest, ThreadOptions, ToolMessage, TransportTarget } from "../api/types.js";
import { membersOf, textsOf, withMembers } from "./json-text.js";
import { lastIndex } from "./list.js";

/** The body with the messages that `choose` takes of its list. `resumes`: it has replies to interrupts. */
export function withChosen(body: string, choose: (messages: readonly Message[], resumes: boolean) => readonly Message[]): string {
  const resumes = [...membersOf(body)].some(({ name }) => name === "resume");
  const chosenOf = (list: string): string => {
    const texts = new Map(textsOf(list).map((text) => [JSON.parse(text) as Message, text]));
    // Messages that the application has made are written as they are.
    const parts = choose([...texts.keys()], resumes).map((message) => texts.get(message) ?? JSON.stringify(message));
    return `[${parts.join(",")}]`;
  };
  return withMembers(body, { messages: chosenOf });
}

const callsOf = (message: Message | undefined): readonly string[] => ((message as AssistantMessage | undefined)?.toolCalls ?? []).map(({ id }) => id);
const isResult = (message: Message): message is ToolMessage => message.role === "tool";

/**
 * The chosen messages, with the message that has the call of each result among them: no provider takes a result without its call, nor a
 * call without its result.
 */
function withCalls(all: readonly Message[], chosen: readonly Message[]): readonly Message[] {
  const included = new Set(chosen);
  const callers = new Map(all.flatMap((message) => callsOf(message).map((id) => [id, message] as const)));
  const has = new Set(chosen.flatMap(callsOf));
  const added = chosen.flatMap((message) => {
    const caller = isResult(message) && !has.has(message.toolCallId) ? callers.get(message.toolCallId) : undefined;
    return caller && !included.has(caller) ? [caller] : [];
  });
  if (!added.length) return chosen;
  const results = all.filter((message) => isResult(message) && added.some((caller) => callsOf(caller).includes(message.toolCallId)));
  const wanted = new Set([...chosen, ...added, ...results]);
  // Messages that the application has made have no place in the list; its tool results go last.
  const known = new Set(all);
  return [...all.filter((message) => wanted.has(message)), ...chosen.filter((message) => !known.has(message))];
}

/**
 * The messages that a request carries. `answered`: whether that assistant message is a complete answer, as far as the page knows.
 */
export function chooseMessages(
  send: Exclude<ThreadOptions["send"], "all" | undefined>,
  all: readonly Message[],
  request: SendRequest,
  answered: (message: Message) => boolean,
): readonly Message[] {
  if (typeof send === "function") {
    const chosen: unknown = send(all, request);
    if (!Array.isArray(chosen) || !chosen.every((message) => message?.role)) throw new TypeError("thread.send: expected a list of messages");
    return withCalls(all, chosen);
  }
  if (send !== "turn" && send !== "new") throw new TypeError(`thread.send: expected "all", "new", "turn" or a function, got ${String(send)}`);
  const last = send === "turn"
    ? lastIndex(all, ({ role }) => role === "user") - 1
    : lastIndex(all, (message) => message.role === "assistant" && answered(message));
  return withCalls(all, all.slice(Math.max(last, -1) + 1));
}

/** The target, with a request that carries these messages alone. */
export function sending(target: TransportTarget, change: (body: string) => string): TransportTarget {
  const send = target.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const shorter: typeof fetch = (url, init) => send(url, typeof init?.body === "string" && init.body ? { ...init, body: change(init.body) } : init);
  return { ...target, fetch: shorter };
}

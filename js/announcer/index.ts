// Announces a chat to screen readers. A live region around the messages would read every token; this one gets each answer
// once, whole, and says what a sighted person sees at a glance.

import type { AgentError } from "../api/error.js";
import type { Agent, AgentSnapshot, Interrupt, Message, ToolCall } from "../api/types.js";

/** The announced texts. A function that returns an empty string announces nothing. */
export interface AnnouncerWords {
  /** A run has begun. Default: "Answering." */
  readonly answering: string;
  /** A call waits for a person. Default: "Approval needed: <name>." */
  approval(call: ToolCall): string;
  /** The agent asks something. Default: its message, or "The agent has a question." */
  question(interrupt: Interrupt): string;
  /** A run has failed. Default: "Error: <message>" */
  error(error: AgentError): string;
  /** An answer is complete. Default: its text as it is. Markdown may be made plain here. */
  answer(message: Message): string;
}

/** How it is said. */
export interface AnnouncerOptions {
  readonly words?: Partial<AnnouncerWords>;
  /** How many lines stay in the region, the newest ones. Default: 20. */
  readonly lines?: number;
}

const english: AnnouncerWords = {
  answering: "Answering.",
  approval: ({ name }) => `Approval needed: ${name}.`,
  question: ({ message }) => message || "The agent has a question.",
  error: ({ message }) => `Error: ${message}`,
  answer: ({ content }) => (typeof content === "string" ? content : ""),
};

/** Seen by screen readers alone. */
function makeRegion(): HTMLElement {
  const region = document.createElement("div");
  region.setAttribute("role", "log");
  region.setAttribute("aria-live", "polite");
  region.style.cssText = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";
  document.body.append(region);
  return region;
}

/**
 * Tells screen readers what happens: that the agent answers, the text of each answer once it is complete, that a call needs approval, a
 * question, an error. What is there already, or is loaded, is not read. Into an element with `role="log"`; without one, it makes one at the end of the
 * document's body and takes it away again. Returns what ends it, so it may be an effect of React, Svelte or Vue.
 *
 * @example
 * useEffect(() => announcer(agent), [agent]);
 */
export function announcer<State>(agent: Agent<State>, element?: HTMLElement | null, options: AnnouncerOptions = {}): () => void {
  const region = element ?? makeRegion();
  const most = (): number => Math.max(options.lines ?? 20, 1);
  const announced = new Set<string>();
  let last = agent.getSnapshot();
  news(last, undefined, announced);
  let waiting: HTMLElement | undefined;

  const say = (text: string): HTMLElement | undefined => {
    if (!text) return undefined;
    const line = document.createElement("p");
    // Answers may be in any language.
    line.dir = "auto";
    line.textContent = text;
    region.append(line);
    while (region.childElementCount > most()) region.firstElementChild?.remove();
    return line;
  };
  const off = agent.subscribe(() => {
    const snapshot = agent.getSnapshot();
    // Asked for each time: a component may give other ones.
    const words = { ...english, ...options.words };
    const { messages, calls, interrupts } = news(snapshot, last, announced);
    const { isLoading, error } = last;
    last = snapshot;
    if (snapshot.isLoading && !isLoading) waiting = say(words.answering);
    if (!snapshot.isLoading || messages.length > 0) waiting = void waiting?.remove();
    for (const message of messages.slice(-most())) say(words.answer(message));
    for (const call of calls) say(words.approval(call));
    for (const interrupt of interrupts) say(words.question(interrupt));
    if (snapshot.error && snapshot.error !== error) say(words.error(snapshot.error));
  });
  return () => {
    off();
    waiting?.remove();
    if (!element) region.remove();
  };
}

const keyOf = ({ role, id }: Message): string => `${role} ${id}`;

/** Whether the messages are a thread that was loaded: no run has brought them, and they do not continue what was shown. */
const isLoaded = (now: AgentSnapshot, before: AgentSnapshot): boolean => {
  if (now.isLoading || before.isLoading || now.messages === before.messages) return false;
  const last = before.messages.at(-1);
  return before.thread.status === "loading" || !last || !now.messages.some((message) => keyOf(message) === keyOf(last));
};

/** Finds answers that are complete, each once: they count as announced from then on; and calls and questions that wait now and did not before. */
function news(snapshot: AgentSnapshot, before: AgentSnapshot | undefined, announced: Set<string>) {
  const all = snapshot.messages;
  // A message that is taken back may come again with the same id.
  if (before && all.length < before.messages.length) {
    const present = new Set(all.map(keyOf));
    for (const key of announced) if (!present.has(key)) announced.delete(key);
  }
  // From the end: what was said before stands in front.
  const messages: Message[] = [];
  for (let at = all === before?.messages ? -1 : all.length - 1; at >= 0; at--) {
    const message = all[at]!;
    const key = keyOf(message);
    if (message.role === "assistant" && message.delivery === "streaming") {
      announced.delete(key);
      continue;
    }
    if (announced.has(key)) break;
    announced.add(key);
    if (message.role === "assistant") messages.unshift(message);
  }
  if (before && isLoaded(snapshot, before)) messages.length = 0;
  const waits = ({ phase }: ToolCall): boolean => phase === "awaiting-approval";
  const waited = new Set(before?.toolCalls.filter(waits).map(({ id }) => id));
  const calls = snapshot.toolCalls === before?.toolCalls ? [] : snapshot.toolCalls.filter((call) => waits(call) && !waited.has(call.id));
  const asks = ({ id, message }: Interrupt): string => `${id} ${message}`;
  const openBefore = new Set(before?.interrupts.filter(({ answered }) => !answered).map(asks));
  const interrupts = snapshot.interrupts.filter((interrupt) => !interrupt.answered && !openBefore.has(asks(interrupt)));
  return { messages, calls, interrupts };
}

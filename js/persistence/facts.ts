// The facts that promises depend on (the calls that were executed, the queue, the run, what people and tools have said): they are noted where the
// store has room neither for a save nor for all that has changed since the one that is there.

import type { AssistantMessage, Message, ToolMessage } from "../api/types.js";
import type { Saved } from "../snapshot/save.js";
import { kit } from "./kit.js";
import type { SaveParts, StoredTexts } from "./record.js";

/** The members of a save that are no facts. */
const ofThread = ["v", "state", "usage"];
/** With those about how far the stream of its run was read, which are of no use for another run. */
const ofText = [...ofThread, "lastEventId", "cursor", "first", "behind", "usageTold", "checkpoint", "server", "earlier"];

const parsed = (lines: readonly string[]): Message[] => lines.map((line) => JSON.parse(line));

/** The save that is there, with the facts of a newer one. A run that has ended since was cut off there: its answer is no fact. */
export const factsOf = ({ there, beside, first }: StoredTexts, [facts, lines]: SaveParts): SaveParts => {
  const [rest, known, state] = there?.parts ?? kit.partsOf(first as never);
  const text = { ...rest, messages: parsed(known), state: JSON.parse(state) };
  const base: Saved = beside ? kit.withChanges(text, beside) : text;
  const { runId, running, interrupts, untold = [], handled, unsent } = facts;
  const same = runId === base.runId;
  const calls = new Set(base.messages.flatMap((message) => (message as AssistantMessage).toolCalls?.map(({ id }) => id) ?? []));
  const own = new Set([...handled, ...unsent]);
  const results = [...untold];
  const seen = new Set(known);
  const said = parsed(lines.filter((line) => !seen.has(line))).filter((message) => {
    const { id, role, toolCallId: call } = message as ToolMessage;
    if (role !== "tool" || calls.has(call)) return /user|tool/.test(role);
    // The stream brings the call again.
    if (own.has(call) || own.has(id)) results.push({ ...message, call });
    return false;
  });
  return kit.partsOf({
    ...facts,
    ...Object.fromEntries(ofText.map((name) => [name, same || ofThread.includes(name) ? base[name as never] : undefined])),
    running: running || ((!same || base.running) && !interrupts?.length),
    messages: kit.union(base.messages, said, ({ id }) => id),
    untold: results,
  } as never);
};

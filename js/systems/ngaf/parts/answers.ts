// The answers of the run in progress: which messages stream, and what `delivery` says of them (version 2).

import type { DeliveryOutcome, NgafMessage } from "../types.js";
import type { Messages } from "./messages.js";
import type { Shared } from "./shared.js";

export type AnswersPart = ReturnType<typeof createAnswers>;

export function createAnswers({ version, fields, named }: Shared, messages: Messages) {
  let generation = 0;
  let produced = false;
  let streaming = new Set<string>();
  /** The assistant's messages from before the run. */
  let earlier = new Set<string>();
  let speaking: string | undefined;

  const complete = (ids: Iterable<string>, outcome: DeliveryOutcome): void => {
    for (const id of ids) messages.edit(id, (message) => ({ ...message, delivery: { generation, phase: "complete", outcome } }));
  };
  /** Opens the message of an event: a new one, or what stands there. */
  const open = (id: string, change: (message: NgafMessage) => NgafMessage): void => {
    named.add(id);
    produced = true;
    const delivery = version === 2 ? ({ delivery: { generation, phase: "streaming" } } as const) : undefined;
    if (delivery) streaming.add(id);
    if (messages.get(id)) messages.edit(id, (known) => ({ ...change(known), ...delivery }));
    else messages.add({ ...change({ id, role: "assistant", content: "" }), ...delivery });
  };

  return {
    /** Counts the runs. */
    get generation(): number {
      return generation;
    },
    /** Whether this run has produced messages. */
    get produced(): boolean {
      return produced;
    },
    /** A run begins: the next generation. */
    begin: (): void => {
      generation++;
      produced = false;
      earlier = new Set(fields.messages.filter(({ role }) => role === "assistant").map(({ id }) => id));
    },
    open,
    /** Opens a message of text, which ends the one before it. */
    speak: (id: string): void => {
      if (version === 2 && speaking !== undefined && speaking !== id && streaming.delete(speaking)) complete([speaking], "success");
      speaking = id;
      open(id, (message) => message);
    },
    /** Whether the last text is that of this message. */
    speaks: (id: string): boolean => speaking === id,
    /** Ends the answers that stream, with this outcome. */
    complete: (outcome: DeliveryOutcome): void => {
      complete(streaming, outcome);
      streaming = new Set();
      speaking = undefined;
    },
    /** A list of the server's, with where each message stands, and with what streams and is not in it. */
    merge: (list: readonly NgafMessage[]): readonly NgafMessage[] => {
      const ids = new Set(list.map(({ id }) => id));
      // The running answer may have another id here than it streamed with: then it takes the place of what streamed.
      const answered = list.some(({ id, role }) => role === "assistant" && !earlier.has(id));
      const merged = list.map((message): NgafMessage => {
        const delivery = streaming.has(message.id)
          ? ({ generation, phase: "streaming" } as const)
          : ({ generation, phase: "complete", outcome: "success" } as const);
        return { ...message, delivery };
      });
      const streamed = answered ? [] : fields.messages.filter(({ id }) => streaming.has(id) && !ids.has(id));
      if (answered) { for (const id of streaming) if (!ids.has(id)) streaming.delete(id); }
      return [...merged, ...streamed];
    },
  };
}

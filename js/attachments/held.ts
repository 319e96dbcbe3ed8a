// The submits that wait for their files, in the order in which they were made.
//
//   submit ──► held, shown in the agent's queue ──all ready──► submitted
//                 │ cancelled, aborted: outcome "aborted", the files are dropped
//                 └ refused by the agent: the files are back in the composer

import type { Attachment, HoldingAgent, SubmitHolder } from "../api/attachments.js";
import type { ContentPart, QueuedSubmit, RunResult, SubmitInput, UserMessage } from "../api/types.js";
import { uuid } from "../base/uuid.js";
import type { Batch } from "./entry.js";
import type { HeldInput } from "./saved.js";

type Entries = Batch["entries"];

/** A submit that is held. */
interface Held extends Batch {
  readonly agent: HoldingAgent;
  readonly input: SubmitInput & { readonly runId: string };
  readonly message: Omit<UserMessage, "role" | "content"> & { readonly id: string; readonly content: UserMessage["content"] } | undefined;
  readonly submit: (input: SubmitInput) => Promise<RunResult>;
  settle(result: RunResult | Promise<RunResult>): void;
}

/** The submits that are held. */
export interface HeldSubmits extends SubmitHolder {
  list(): readonly HeldInput[];
  batches(): readonly Batch[];
  /** Something may have become ready. */
  changed(): void;
  cancelAll(): void;
}

/** The attachments that the batches are held for. */
interface BatchOwner {
  readonly composer: Batch;
  changed(): void;
  drop(entries: Entries): void;
}

const isReady = ({ entries }: Batch): boolean => entries.every(({ item }) => item.status === "ready");

export function createHeld({ composer, changed, drop }: BatchOwner): HeldSubmits {
  let all: readonly Held[] = [];

  const show = (agent: HoldingAgent): void => {
    const mine = all.filter((held) => held.agent === agent);
    const queue = mine.map(toQueued);
    if (mine.length) agent.hold((at) => ({ ...at, queue: [...at.queue, ...queue] }), holder);
    else agent.hold();
  };

  /** Submits what is ready, in order: each agent's first ones. */
  const advance = (): void => {
    const blocked = new Set<HoldingAgent>();
    for (const held of all) {
      if (blocked.has(held.agent) || !isReady(held)) {
        blocked.add(held.agent);
        continue;
      }
      all = all.filter((other) => other !== held);
      send(held);
    }
  };
  const send = (held: Held): void => {
    const { agent, message, entries, input } = held;
    // It leaves the queue as it enters the thread.
    const { parts: _, ...rest } = input;
    const done = held.submit({ ...rest, ...(message && { message: { ...message, content: contentOf(held) } }) });
    show(agent);
    held.settle(done);
    done.then(
      () => drop(entries),
      () => {
        composer.entries = [...entries, ...composer.entries];
        changed();
      },
    );
  };
  const abort = (held: Held): void => {
    if (!all.includes(held)) return;
    all = all.filter((other) => other !== held);
    drop(held.entries);
    held.settle({ runId: held.input.runId, outcome: "aborted" });
    show(held.agent);
    advance();
  };

  const holder: SubmitHolder = {
    hold: (agent, submitted, submit) => {
      const { parts, signal, runId = uuid() } = submitted;
      const input = { ...submitted, runId };
      const fromComposer = !Array.isArray(parts) && parts !== undefined && parts !== null;
      const entries = fromComposer ? composer.entries : [];
      if (fromComposer) composer.entries = [];
      return new Promise((resolve) => {
        const held: Held = {
          agent,
          input: input as Held["input"],
          submit: submit as Held["submit"],
          entries,
          message: toMessage(input as SubmitInput),
          settle: resolve,
        };
        all = [...all, held];
        signal?.addEventListener("abort", () => abort(held));
        if (signal?.aborted) abort(held);
        changed();
        if (all.includes(held)) show(agent);
      });
    },
    cancel: (agent, id) => {
      const found = all.filter((held) => held.agent === agent && (id === undefined || held.input.runId === id));
      found.forEach(abort);
      if (found.length) changed();
      return found.length > 0;
    },
  };

  return {
    ...holder,
    list: () => all,
    batches: () => all,
    changed: () => {
      for (const agent of new Set(all.map((held) => held.agent))) show(agent);
      advance();
    },
    cancelAll: () => all.forEach(abort),
  };
}

/** The message as it is sent, but for the files; none where the submit has none. */
function toMessage({ message, parts }: SubmitInput): Held["message"] {
  if (message === undefined && !parts) return undefined;
  const { content = "", ...rest } = typeof message === "object" ? message : { content: message ?? "" };
  return { id: uuid(), ...rest, content: withParts(content, Array.isArray(parts) ? parts : []) };
}

/** Content with more parts. Text alone stays a string: not every server reads parts. */
function withParts(content: UserMessage["content"], parts: readonly ContentPart[]): UserMessage["content"] {
  if (!parts.length) return content;
  return [...(typeof content === "string" ? (content ? [{ type: "text", text: content } as const] : []) : content), ...parts];
}

const contentOf = ({ message, entries }: Held): UserMessage["content"] => withParts(message!.content, entries.flatMap(({ part }) => part ?? []));

function toQueued(held: Held): QueuedSubmit {
  const { input, message, entries } = held;
  const attachments: readonly Attachment[] = entries.map(({ item }) => item);
  const messages = message ? [{ ...message, role: "user" as const, content: contentOf(held), delivery: "complete" as const }] : [];
  return { id: input.runId, runId: input.runId, messages, attachments };
}

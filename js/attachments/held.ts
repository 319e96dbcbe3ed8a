// The submits that wait for their files, in the order in which they were made.
//
//   submit ──► held, shown in the agent's queue ──all ready──► submitted
//                 │ cancelled, aborted: outcome "aborted", the files are dropped
//                 └ refused by the agent: the files are back in the composer

import type { Attachment, HoldingAgent, SubmitHolder } from "../api/attachments.js";
import type { ContentPart, QueuedSubmit, RunResult, SubmitInput, UserMessage } from "../api/types.js";
import { uuid } from "../base/uuid.js";
import type { Batch } from "./entry.js";

type Entries = Batch["entries"];

/** A submit that is held. */
interface Held extends Batch {
  readonly owner: BatchOwner;
  readonly agent: HoldingAgent;
  readonly input: SubmitInput & { readonly runId: string };
  readonly message: Omit<UserMessage, "role" | "content"> & { readonly id: string; readonly content: UserMessage["content"] } | undefined;
  readonly submit: (input: SubmitInput) => Promise<RunResult>;
  settle(result: RunResult | Promise<RunResult>): void;
}

/** The attachments that the batches are held for. */
interface BatchOwner {
  readonly composer: Batch;
  /** Its field has gone. */
  over?: boolean;
  changed(): void;
  drop(entries: Entries): void;
}

/** The submits that are held in this page: two composers may hold those of one agent. */
let all: readonly Held[] = [];
/** Submits are leaving, one after the other. */
let leaves = false;

/** Whether its files are ready, and nothing of its agent is held before it. */
const isNext = (held: Held): boolean => held.entries.every(({ item }) => item.status === "ready") && all.find(({ agent }) => agent === held.agent) === held;

/** The submits that are held for one composer. */
export class HeldSubmits implements SubmitHolder {
  constructor(private readonly owner: BatchOwner) {}

  // Bound: it is a public method of the attachments.
  readonly hold: SubmitHolder["hold"] = (agent, submitted, submit) => {
    const { owner } = this;
    const { composer, changed } = owner;
    const { parts, signal, runId = uuid() } = submitted;
    const input = { ...submitted, runId };
    const fromComposer = !Array.isArray(parts) && parts !== undefined && parts !== null;
    const entries = fromComposer ? composer.entries : [];
    if (fromComposer) composer.entries = [];
    return new Promise((resolve) => {
      const held: Held = {
        owner,
        agent,
        input: input as Held["input"],
        submit: submit as Held["submit"],
        entries,
        message: toMessage(input as SubmitInput),
        settle: resolve,
      };
      all = [...all, held];
      signal?.addEventListener("abort", () => this.#abort([held]));
      if (signal?.aborted) this.#abort([held]);
      changed();
    });
  };

  readonly cancel: SubmitHolder["cancel"] = (agent, id) => {
    const found = all.filter((held) => held.agent === agent && (id === undefined || held.input.runId === id));
    this.#abort(found);
    for (const { changed } of new Set(found.map(({ owner }) => owner))) changed();
    return found.length > 0;
  };

  list(): readonly Held[] {
    return all.filter(({ owner }) => owner === this.owner);
  }

  /** Something may have become ready. */
  changed(): void {
    for (const agent of new Set(this.list().map((held) => held.agent))) this.#show(agent);
    this.#advance();
  }

  end(): void {
    this.owner.over = true;
    this.#abort(this.list());
  }

  #show(agent: HoldingAgent): void {
    const mine = all.filter((held) => held.agent === agent);
    const queue = mine.map(toQueued);
    if (mine.length) agent.hold((at) => ({ ...at, queue: [...at.queue, ...queue] }), this);
    else agent.hold();
  }

  /** Submits what is ready, in order. */
  #advance(): void {
    // A listener of one that leaves may change files.
    if (leaves) return;
    leaves = true;
    for (let held; (held = all.find(isNext));) {
      all = all.filter((other) => other !== held);
      this.#send(held);
    }
    leaves = false;
  }

  #send(held: Held): void {
    const { agent, message, entries, input, owner } = held;
    // It leaves the queue as it enters the thread.
    const { parts: _, ...rest } = input;
    const done = held.submit({ ...rest, ...(message && { message: { ...message, content: contentOf(held) } }) });
    this.#show(agent);
    held.settle(done);
    done.then(
      () => owner.drop(entries),
      () => {
        if (owner.over) return owner.drop(entries);
        owner.composer.entries = [...entries, ...owner.composer.entries];
        owner.changed();
      },
    );
  }

  /** All of them at once: one that follows another does not leave as that goes. */
  #abort(these: readonly Held[]): void {
    const found = these.filter((held) => all.includes(held));
    all = all.filter((held) => !found.includes(held));
    for (const { owner, entries, settle, input: { runId } } of found) {
      owner.drop(entries);
      settle({ runId, outcome: "aborted" });
    }
    for (const { agent } of found) this.#show(agent);
    if (found.length) this.#advance();
  }
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

// Events → the fields of the contract. runs.ts has the application's calls, and calls these methods.
//
//   event ──► take ──► messages ◄── answers ◄── reasoning     each part owns its fields;
//                 ├──► calls, subagents, state                take.ts knows which event is for which part
//                 └──► run: status, interrupt, custom events
//
// The contract folds reasoning into the message of the same id, knows no reasoning messages, and in version 1 reads each
// piece of a call's arguments alone: none of that can be had from AG-UI messages, so it is computed from the events.

import type { AgUiEvent } from "../../api/events.js";
import { isObject } from "../../base/json.js";
import { createAnswers } from "./parts/answers.js";
import { createCalls } from "./parts/calls.js";
import { createChunks } from "./parts/chunks.js";
import { createMessages } from "./parts/messages.js";
import { createReasoning } from "./parts/reasoning.js";
import { createRun } from "./parts/run.js";
import { createShared, type Fields, type Loose } from "./parts/shared.js";
import { createState } from "./parts/state.js";
import { createSubagents } from "./parts/subagents.js";
import { takeEvent } from "./take.js";
import type { DeliveryOutcome, NgafEvent, NgafSnapshot } from "./types.js";

/** The agent as a reducer sees it. */
export interface ReducerClient {
  readonly version: 1 | 2;
  now(): number;
  /** Something of the fields has changed. */
  changed(): void;
  emit(event: NgafEvent): void;
}

/** The fields, and what changes them. */
export type Reducer = ReturnType<typeof createReducer>;

/** A reducer that no event has come to. */
export function createReducer(client: ReducerClient) {
  const parts = createParts(client);
  const { shared, messages, answers, calls, state, run, chunks, begin, complete } = parts;

  return {
    version: shared.version,
    fields: shared.fields as NgafSnapshot,
    named: shared.named,
    handOut: shared.handOut,
    ...{ messages, calls, state, answers, begin },
    /** Whether a run is in progress whose end has not been reported. */
    get open(): boolean {
      return run.open;
    },
    reduce: (event: AgUiEvent): void => {
      const unchanged = original(event as unknown as Loose);
      if (unchanged) takeEvent(parts, unchanged);
    },
    /** It has ended without an event that says so. */
    end: (outcome: DeliveryOutcome | undefined, cause?: unknown): void => {
      if (!run.open) return;
      chunks.close();
      complete(run.end(outcome, cause));
    },
  };
}

/** The parts of a reducer. */
export type ReducerParts = ReturnType<typeof createParts>;

function createParts({ version, now, changed, emit }: ReducerClient) {
  const shared = createShared(version, emptyFields(version), changed);
  const messages = createMessages(shared);
  const answers = createAnswers(shared, messages);
  const reasoning = createReasoning(messages, answers, now);
  const calls = createCalls(shared);
  const subagents = createSubagents(shared);
  const state = createState(shared, messages);
  const run = createRun(shared, emit);
  const chunks = createChunks();
  return {
    ...{ shared, messages, answers, reasoning, calls, subagents, state, run, chunks },
    /** A run is asked for, or begins. */
    begin: (): void => {
      // A superseded answer has not received its end.
      answers.complete("interrupted");
      chunks.forget();
      run.begin();
      answers.begin();
      subagents.clear();
    },
    /** The answer has ended. Version 1 says nothing of a message's delivery. */
    complete: (outcome: DeliveryOutcome): void => {
      if (version === 2) answers.complete(outcome);
    },
  };
}

const emptyFields = (version: 1 | 2): Fields => ({
  messages: [],
  status: "idle",
  isLoading: false,
  error: version === 1 ? null : undefined,
  toolCalls: [],
  state: {},
  interrupt: undefined,
  subagents: {},
  customEvents: [],
});

/** An event as it came, where the dialect has changed it or taken it out; nothing for one that it has made up. */
function original(event: Loose): Loose | undefined {
  const wrapped = event.type === "RAW" ? event : isObject(event.rawEvent) ? event.rawEvent : undefined;
  if (wrapped?.source !== "ngaf" || !("event" in wrapped)) return event;
  return isObject(wrapped.event) ? wrapped.event : undefined;
}

// Events → the fields of the contract. runs.ts has the application's calls, and calls these methods.
//
//   event ──► reduce ──► messages ◄── answers ◄── reasoning     each part owns its fields;
//                   ├──► calls, subagents, state                this file knows which event is for which part
//                   └──► run: status, interrupt, custom events
//
// The contract folds reasoning into the message of the same id, knows no reasoning messages, and in version 1 reads each
// piece of a call's arguments alone: none of that can be had from AG-UI messages, so it is computed from the events.

import type { AgUiEvent } from "../../api/events.js";
import { isObject } from "./json.js";
import { createAnswers, type AnswersPart } from "./parts/answers.js";
import { createCalls, type CallsPart } from "./parts/calls.js";
import { createChunks } from "./parts/chunks.js";
import { takeList } from "./parts/listed.js";
import { createMessages, type Messages } from "./parts/messages.js";
import { createReasoning } from "./parts/reasoning.js";
import { createRun } from "./parts/run.js";
import { text, type Fields, type Loose, type Shared } from "./parts/shared.js";
import { createState, type SharedState } from "./parts/state.js";
import { createSubagents } from "./parts/subagents.js";
import type { DeliveryOutcome, NgafEvent, NgafSnapshot } from "./types.js";

/** The agent as a reducer sees it. */
export interface ReducerClient {
  readonly version: 1 | 2;
  now(): number;
  /** Something of the fields has changed. */
  changed(): void;
  tell(event: NgafEvent): void;
}

/** The fields, and what changes them. */
export interface Reducer {
  readonly version: 1 | 2;
  readonly fields: NgafSnapshot;
  /** Ids that events have named: of messages and of calls. */
  readonly named: Set<string>;
  readonly messages: Messages;
  readonly calls: CallsPart;
  readonly state: SharedState;
  readonly answers: Pick<AnswersPart, "generation" | "produced">;
  /** Whether a run is in progress that has not told its end. */
  readonly open: boolean;
  reduce(event: AgUiEvent): void;
  /** A run is asked for. */
  begin(): void;
  /** It has ended without an event that says so. */
  end(outcome: DeliveryOutcome | undefined, cause?: unknown): void;
}

export function createReducer({ version, now, changed, tell }: ReducerClient): Reducer {
  const fields = emptyFields(version);
  const shared: Shared = { version, fields, named: new Set(), changed };
  const messages = createMessages(shared);
  const answers = createAnswers(shared, messages);
  const reasoning = createReasoning(messages, answers, now);
  const calls = createCalls(shared);
  const subagents = createSubagents(shared);
  const state = createState(shared, messages);
  const run = createRun(shared, tell);
  const chunks = createChunks();

  const begin = (): void => {
    // A superseded answer has not received its end.
    answers.complete("interrupted");
    chunks.forget();
    run.begin();
    answers.begin();
    subagents.clear();
  };
  /** Version 1 says nothing of a message's delivery. */
  const complete = (outcome: DeliveryOutcome): void => {
    if (version === 2) answers.complete(outcome);
  };

  const addText = (id: string, delta: string): void => messages.edit(id, (message) => ({ ...message, content: String(message.content) + delta }));
  const startCall = (event: Loose, id: string): void => {
    calls.start(id, text(event, "toolCallName"));
    const parent = event.parentMessageId;
    if (typeof parent !== "string") return;
    shared.named.add(parent);
    if (version === 1) return;
    answers.open(parent, (message) => {
      const { toolCallIds = [] } = message;
      return toolCallIds.includes(id) ? message : { ...message, toolCallIds: [...toolCallIds, id] };
    });
  };

  /** Gives a chunk to what it continues. */
  const takeChunk = (event: Loose): void => {
    const delta = text(event, "delta");
    const messageId = text(event, "messageId");
    switch (event.type) {
      case "TEXT_MESSAGE_CHUNK":
        return addText(chunks.continue("text:", messageId, (to) => void (answers.speaks(to) || answers.speak(to))), delta);
      case "REASONING_MESSAGE_CHUNK": {
        const start = (to: string): (() => void) | void => {
          if (reasoning.has(to)) return;
          reasoning.start(to);
          return () => reasoning.end(to);
        };
        return reasoning.add(chunks.continue("reasoning:", messageId, start), delta);
      }
      case "TOOL_CALL_CHUNK": {
        const start = (to: string): (() => void) | void => {
          if (calls.streams(to)) return;
          startCall(event, to);
          return () => calls.end(to);
        };
        return calls.args(chunks.continue("call:", text(event, "toolCallId"), start), delta);
      }
      default:
    }
  };

  const take = (event: Loose): void => {
    const type = String(event.type);
    if (type.endsWith("_CHUNK")) return takeChunk(event);
    if (/^(TEXT|TOOL|REASONING|RUN)_/.test(type)) chunks.close();
    const id = text(event, "messageId", "unknown");
    const callId = text(event, "toolCallId");
    switch (type) {
      case "RUN_STARTED":
        run.started();
        // The run that was asked for has begun already; this is another one, of the same body.
        if (!run.open) begin();
        return;
      case "RUN_FINISHED":
        return complete(run.finish(event));
      case "RUN_ERROR":
        return complete(run.fail(event));
      case "TEXT_MESSAGE_START":
        return answers.speak(id);
      case "TEXT_MESSAGE_CONTENT":
        return addText(id, text(event, "delta"));
      case "REASONING_MESSAGE_START":
        return reasoning.start(id);
      case "REASONING_MESSAGE_CONTENT":
        return reasoning.add(id, text(event, "delta"));
      case "REASONING_MESSAGE_END":
        return reasoning.end(id);
      case "TOOL_CALL_START":
        return startCall(event, callId);
      case "TOOL_CALL_ARGS":
        return calls.args(callId, text(event, "delta"));
      case "TOOL_CALL_END":
        return calls.end(callId);
      case "TOOL_CALL_RESULT":
        if (typeof event.messageId === "string") shared.named.add(event.messageId);
        return calls.result(callId, event.content);
      case "STATE_SNAPSHOT":
        state.set(isObject(event.snapshot) ? event.snapshot : {});
        return state.cite();
      case "STATE_DELTA":
        if (state.patch(event.delta)) state.cite();
        return;
      case "MESSAGES_SNAPSHOT":
        if (takeList(shared, { messages, calls, answers }, event.messages)) state.cite();
        return;
      case "CUSTOM":
        return run.custom(event);
      case "ACTIVITY_SNAPSHOT":
        return subagents.activity(event, id);
      case "ACTIVITY_DELTA":
        return subagents.patch(event, id);
      case "SUBAGENT_STARTED":
        return subagents.took(event, "running");
      case "SUBAGENT_FINISHED":
        return subagents.took(event, "complete");
      case "SUBAGENT_ERROR":
        return subagents.took(event, "error");
      default:
    }
  };

  return {
    ...{ version, fields, named: shared.named, messages, calls, state, answers, begin },
    get open() {
      return run.open;
    },
    reduce: (event) => {
      const came = original(event as unknown as Loose);
      if (came) take(came);
    },
    end: (outcome, cause) => {
      if (!run.open) return;
      chunks.close();
      complete(run.end(outcome, cause));
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

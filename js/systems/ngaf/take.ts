// Gives each event to the part of the reducer that it is for.

import { isObject } from "../../base/json.js";
import { takeList } from "./parts/listed.js";
import type { Messages } from "./parts/messages.js";
import { text, type Loose } from "./parts/shared.js";
import type { ReducerParts } from "./reduce.js";

/** Gives an event to the part that it is for. */
export function takeEvent(parts: ReducerParts, event: Loose): void {
  const { shared, messages, answers, reasoning, calls, subagents, state, run, chunks } = parts;
  const type = String(event.type);
  if (type.endsWith("_CHUNK")) return takeChunk(parts, event);
  if (/^(TEXT|TOOL|REASONING|RUN)_/.test(type)) chunks.close();
  const id = text(event, "messageId", "unknown");
  const callId = text(event, "toolCallId");
  switch (type) {
    case "RUN_STARTED":
      run.started();
      // The run that was asked for has begun already; this is another one, of the same body.
      if (!run.open) parts.begin();
      return;
    case "RUN_FINISHED":
      return parts.complete(run.finish(event));
    case "RUN_ERROR":
      return parts.complete(run.fail(event));
    case "TEXT_MESSAGE_START":
      return answers.speak(id);
    case "TEXT_MESSAGE_CONTENT":
      return addText(messages, id, text(event, "delta"));
    case "REASONING_MESSAGE_START":
      return reasoning.start(id);
    case "REASONING_MESSAGE_CONTENT":
      return reasoning.add(id, text(event, "delta"));
    case "REASONING_MESSAGE_END":
      return reasoning.end(id);
    case "TOOL_CALL_START":
      return startCall(parts, event, callId);
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
      if (takeList(shared, parts, event.messages)) state.cite();
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
}

/** Gives a chunk to what it continues. */
function takeChunk(parts: ReducerParts, event: Loose): void {
  const { messages, answers, reasoning, calls, chunks } = parts;
  const delta = text(event, "delta");
  const messageId = text(event, "messageId");
  switch (event.type) {
    case "TEXT_MESSAGE_CHUNK":
      return addText(messages, chunks.continue("text:", messageId, (to) => void (answers.speaks(to) || answers.speak(to))), delta);
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
        startCall(parts, event, to);
        return () => calls.end(to);
      };
      return calls.args(chunks.continue("call:", text(event, "toolCallId"), start), delta);
    }
    default:
  }
}

function addText(messages: Messages, id: string, delta: string): void {
  messages.edit(id, (message) => ({ ...message, content: String(message.content) + delta }));
}

/** Begins a call, and notes it at the message that it belongs to. */
function startCall({ shared, calls, answers }: ReducerParts, event: Loose, id: string): void {
  calls.start(id, text(event, "toolCallName"));
  const parent = event.parentMessageId;
  if (typeof parent !== "string") return;
  shared.named.add(parent);
  if (shared.version === 1) return;
  answers.open(parent, (message) => {
    const { toolCallIds = [] } = message;
    return toolCallIds.includes(id) ? message : { ...message, toolCallIds: [...toolCallIds, id] };
  });
}

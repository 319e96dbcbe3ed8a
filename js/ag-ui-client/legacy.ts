// The events of CopilotKit's runtime before AG-UI.

import { EventType, type BaseEvent, type Message, type ToolCall } from "@ag-ui/core";
import { defer, mergeMap, type Observable } from "rxjs";
import { applyOperations, type Operation } from "../base/checked-patch.js";
import { reasonOf } from "../base/failure.js";
import type { AnyEvent } from "./events.js";
import { structuredClone_ } from "./values.js";

/** One of them: `TextMessageStart`, `ActionExecutionStart`, `AgentStateMessage`, … */
export interface LegacyRuntimeProtocolEvent {
  type: string;
  [member: string]: unknown;
}

/** CUSTOM "PredictState": arguments of a tool that are shown as state while they come. */
interface PredictedState {
  state_key: string;
  tool: string;
  tool_argument?: string;
}

/** Makes a run's events those of the older protocol. */
export function convertToLegacyEvents(
  threadId: string,
  runId: string,
  agentName: string,
): (events$: Observable<BaseEvent>) => Observable<LegacyRuntimeProtocolEvent> {
  return (events$) =>
    defer(() => {
      const run = new LegacyRun({ threadId, agentName, runId });
      return events$.pipe(mergeMap((event) => run.convert(event)));
    });
}

class LegacyRun {
  private state: Record<string, unknown> = {};
  private running = true;
  private active = true;
  private nodeName = "";
  private messages: Message[] | undefined;
  private predictions: PredictedState[] = [];
  /** The calls of a step, with their arguments. */
  private calls = new Map<string, { name: string; args: string }>();
  private names = new Map<string, string>();

  constructor(private readonly about: { threadId: string; agentName: string; runId: string }) {}

  convert(event: AnyEvent): LegacyRuntimeProtocolEvent[] {
    const { messageId, toolCallId: actionExecutionId, delta } = event;
    switch (event.type) {
      case EventType.TEXT_MESSAGE_START:
        return [{ type: "TextMessageStart", messageId, role: event["role"] }];
      case EventType.TEXT_MESSAGE_CONTENT:
        return [{ type: "TextMessageContent", messageId, content: delta }];
      case EventType.TEXT_MESSAGE_END:
        return [{ type: "TextMessageEnd", messageId }];
      case EventType.TOOL_CALL_START: {
        const { toolCallName: actionName, parentMessageId } = event;
        this.active = true;
        this.calls.set(actionExecutionId, { name: actionName, args: "" });
        this.names.set(actionExecutionId, actionName);
        return [{ type: "ActionExecutionStart", actionExecutionId, actionName, parentMessageId }];
      }
      case EventType.TOOL_CALL_ARGS: {
        const call = this.calls.get(actionExecutionId);
        if (!call) return [];
        call.args += delta;
        const args = { type: "ActionExecutionArgs", actionExecutionId, args: delta };
        return this.predict(call) ? [args, this.shown()] : [args];
      }
      case EventType.TOOL_CALL_END:
        return [{ type: "ActionExecutionEnd", actionExecutionId }];
      case EventType.TOOL_CALL_RESULT: {
        const actionName = this.names.get(actionExecutionId) || "unknown";
        return [{ type: "ActionExecutionResult", actionExecutionId, result: toText(event["content"], ""), actionName }];
      }
      case EventType.CUSTOM:
        return [this.custom(event)];
      case EventType.STATE_SNAPSHOT:
        this.take(event["snapshot"]);
        return [this.shown()];
      case EventType.STATE_DELTA:
        return this.patch(delta);
      case EventType.MESSAGES_SNAPSHOT:
        this.messages = event["messages"];
        return [this.shown({ active: true, messages: this.messages })];
      case EventType.STEP_STARTED:
      case EventType.STEP_FINISHED: {
        const active = event.type === EventType.STEP_STARTED;
        if (active) this.nodeName = event["stepName"];
        this.calls.clear();
        this.predictions = [];
        return [this.shown({ active })];
      }
      case EventType.RUN_FINISHED:
        return this.finish();
      case EventType.RUN_ERROR:
        return [{ type: "RunError", message: event["message"], code: event["code"] }];
      default:
        return [];
    }
  }

  private custom({ name, value }: AnyEvent): LegacyRuntimeProtocolEvent {
    if (name === "Exit") this.running = false;
    if (name === "PredictState") this.predictions = Array.isArray(value) ? value : [];
    return { type: "MetaEvent", name, value };
  }

  private finish(): LegacyRuntimeProtocolEvent[] {
    if (!this.messages && Object.keys(this.state).length === 0) return [];
    try {
      return [this.shown({ active: false, messages: this.messages && toLegacyMessages(this.messages) })];
    } catch (error) {
      return [{ type: "RunError", message: (error as Error).message }];
    }
  }

  private patch(delta: Operation[]): LegacyRuntimeProtocolEvent[] {
    try {
      this.take(applyOperations(this.state, delta).value);
      return [this.shown()];
    } catch (error) {
      console.warn("[ag-ui-wasm] A patch of the state fails:", error);
      return [];
    }
  }

  /** Whether the arguments that have come change the state. Here they count once they are whole. */
  private predict({ name, args }: { name: string; args: string }): boolean {
    const prediction = this.predictions.find(({ tool }) => tool === name);
    if (!prediction) return false;
    try {
      const { state_key, tool_argument } = prediction;
      const read = JSON.parse(args);
      if (tool_argument && !(tool_argument in read)) return false;
      this.take({ ...this.state, [state_key]: tool_argument ? read[tool_argument] : read });
      return true;
    } catch {
      return false;
    }
  }

  /** Messages are no part of the state here. */
  private take(state: unknown): void {
    if (typeof state !== "object" || state === null) return;
    this.state = { ...structuredClone_(state as Record<string, unknown>) };
    delete this.state["messages"];
  }

  private shown({ active = this.active, messages }: { active?: boolean; messages?: unknown } = {}): LegacyRuntimeProtocolEvent {
    const { about, nodeName, running } = this;
    const state = JSON.stringify({ ...this.state, ...(messages !== undefined && { messages }) });
    return { type: "AgentStateMessage", ...about, nodeName, running, role: "assistant", state, active };
  }
}

/** The text of content; parts in lines of their own, or joined by what is given. */
function toText(content: unknown, between = "\n"): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.filter((part) => part?.type === "text" && part.text).map((part) => part.text).join(between);
}

function argumentsOf({ id, function: { name, arguments: text } }: ToolCall): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The arguments of the tool call ${id} (${name}) are no JSON: ${reasonOf(error)}`);
  }
}

function toLegacyMessages(messages: Message[]): object[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const names = new Map(calls.reverse().map((call) => [call.id, call.function.name]));
  return messages.flatMap((message): object[] => {
    const { id, role } = message;
    if (role === "tool") {
      const actionName = names.get(message.toolCallId) ?? "unknown";
      return [{ id, result: toText(message.content, ""), actionExecutionId: message.toolCallId, actionName }];
    }
    if (role !== "assistant" && role !== "user" && role !== "system") return [];
    const content = toText(message.content);
    const actions = role === "assistant" ? (message.toolCalls ?? []) : [];
    return [
      ...(content ? [{ id, role, content }] : []),
      ...actions.map((call) => ({ id: call.id, name: call.function.name, arguments: argumentsOf(call), parentMessageId: id })),
    ];
  });
}

// The hook that each type of event calls, and the arguments beside the event.

import { EventType, type ActivityMessage, type BaseEvent, type Message, type RunFinishedEvent } from "@ag-ui/core";
import { eventTypes } from "../api/events.js";
import { parseJson } from "../base/json.js";
import type { AbstractAgent } from "./agent.js";
import { toModernContent } from "./media.js";
import type { ClientThread } from "./thread.js";
import type { AgentSubscriber, RunFinishedParams } from "./types.js";

type Hook = keyof AgentSubscriber;

/** The hook of each type. Chunks are full events when they come here. */
const hooks = new Map(Object.keys(eventTypes).filter((type) => !type.endsWith("_CHUNK")).map((type) => [type, hookNamed(type)]));

function hookNamed(type: string): Hook {
  return `on${type.toLowerCase().replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase())}Event` as Hook;
}

/** Hooks for what an event has made. */
const made: Partial<Record<Hook, readonly EventType[]>> = {
  onNewMessage: [
    EventType.TEXT_MESSAGE_END,
    EventType.REASONING_MESSAGE_END,
    EventType.TOOL_CALL_RESULT,
    EventType.ACTIVITY_SNAPSHOT,
  ],
  onNewToolCall: [EventType.TOOL_CALL_END],
};

export function hookOf(type: string): Hook | undefined {
  return hooks.get(type);
}

/**
 * The types that subscribers ask for: with commas between them, or `*` for all. Always asked for are the frame of a run, and what
 * may change the text of any message.
 */
export function wantedBy(subscribers: readonly AgentSubscriber[], { debugLogger }: Pick<AbstractAgent, "debugLogger">): string {
  if (debugLogger?.eventsEnabled || subscribers.some((subscriber) => subscriber.onEvent)) return "*";
  const types: string[] = [EventType.RUN_STARTED, EventType.RUN_FINISHED, EventType.RUN_ERROR, EventType.MESSAGES_SNAPSHOT];
  const hasHook = (hook: Hook): boolean => subscribers.some((subscriber) => subscriber[hook]);
  for (const [type, hook] of hooks) if (hasHook(hook)) types.push(type);
  for (const [hook, of] of Object.entries(made)) if (hasHook(hook as Hook)) types.push(...of);
  return [...new Set(types)].join();
}

/** An event, read as any. */
// Which members it has, the type says.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyEvent = BaseEvent & Record<string, any>;

/** The argument of a delta's hook that has the text before it. */
export function bufferOf(type: string): string | undefined {
  if (type === EventType.TEXT_MESSAGE_CONTENT) return "textMessageBuffer";
  return type === EventType.REASONING_MESSAGE_CONTENT ? "reasoningMessageBuffer" : undefined;
}

/** The arguments of a hook beside the event; undefined: the hook is not called, because the object of the event does not exist. */
export function extrasOf(event: AnyEvent, thread: ClientThread, unanswered: () => string): object | undefined {
  switch (event.type) {
    case EventType.TEXT_MESSAGE_CONTENT:
    case EventType.TEXT_MESSAGE_END:
      return withText(thread.find(event["messageId"]), "textMessageBuffer");
    case EventType.REASONING_MESSAGE_CONTENT:
    case EventType.REASONING_MESSAGE_END:
      return withText(thread.find(event["messageId"]), "reasoningMessageBuffer");
    case EventType.TOOL_CALL_ARGS: {
      const call = thread.findCall(event["toolCallId"]);
      return call && { toolCallBuffer: call.arguments, toolCallName: call.name, partialToolCallArgs: call.parsed };
    }
    case EventType.TOOL_CALL_END: {
      const call = thread.findCall(event["toolCallId"]);
      return call && { toolCallName: call.name, toolCallArgs: parseArgs(call.arguments) };
    }
    case EventType.ACTIVITY_SNAPSHOT: {
      const existingMessage = thread.find(event["messageId"]);
      return { activityMessage: asActivity(existingMessage), existingMessage };
    }
    case EventType.ACTIVITY_DELTA: {
      const activityMessage = asActivity(thread.find(event["messageId"]));
      return activityMessage && { activityMessage };
    }
    case EventType.RUN_FINISHED:
      return finished(event as RunFinishedEvent, unanswered);
    default:
      return {};
  }
}

function withText(message: Message | undefined, member: string): object | undefined {
  if (!message || message.role === "activity") return undefined;
  return { [member]: typeof message.content === "string" ? message.content : "" };
}

function asActivity(message: Message | undefined): ActivityMessage | undefined {
  return message?.role === "activity" ? message : undefined;
}

const parseArgs = (text: string): Record<string, unknown> => parseJson(text, {}) as Record<string, unknown>;

/** How a run finished. Calls that the server does not name are those that the run has started and not answered. */
export function finished(event: RunFinishedEvent, unanswered: () => string): RunFinishedParams {
  const { outcome } = event;
  if (outcome?.type === "interrupt") return { event, outcome: "interrupt", interrupts: outcome.interrupts ?? [] };
  if (outcome?.type === "cancelled") return { event, outcome: "cancelled" };
  const named = outcome?.type === "success" ? outcome.pendingToolCallIds : undefined;
  const pendingToolCallIds = named?.length ? [...named] : JSON.parse(unanswered());
  return { event, outcome: "success", result: event.result, pendingToolCallIds };
}

const nullable = ["parentMessageId", "outcome", "result", "rawEvent", "subagentRunId", "metadata"];

/** The event without retired spellings: `null` for what is absent, and of attachments. */
export function modern(event: AnyEvent): AnyEvent {
  const { messages, input } = event;
  const isList = event.type === EventType.MESSAGES_SNAPSHOT && Array.isArray(messages);
  const isStart = event.type === EventType.RUN_STARTED && Array.isArray(input?.messages);
  if (!isList && !isStart && !hasNull(event)) return event;
  const copy = { ...event };
  for (const key of nullable) if (copy[key] === null) delete copy[key];
  if (isList) copy["messages"] = messages.map(toModernContent);
  if (isStart) copy["input"] = { ...input, messages: input.messages.map(toModernContent) };
  return copy;
}

function hasNull(event: AnyEvent): boolean {
  for (const key of nullable) if (event[key] === null) return true;
  return false;
}

// Adapts requests and events for servers before AG-UI 1.0.

import { AGUIError, EventType, type BaseEvent, type Message, type RunAgentInput } from "@ag-ui/core";
import { filter, map, type Observable } from "rxjs";
import type { AnyEvent } from "./events.js";
import { Middleware, type MiddlewareNext } from "./middleware.js";
import { isOlder, isVersion } from "./protocol.js";

/**
 * The middleware for a server of a version.
 *
 * @throws AGUIError where it is no version.
 */
export function middlewaresFor(version: unknown): Middleware[] {
  if (!isVersion(version)) {
    const text = JSON.stringify(version);
    throw new AGUIError(
      `maxProtocolVersion gave ${text} while the agent was constructed, which is no version. Fields of a subclass are not there yet: return a literal from the getter.`,
    );
  }
  const knows = (newest: string) => isOlder(newest, version);
  return [
    ...(knows("0.0.57") ? [] : [new BackwardCompatibility_0_0_57()]),
    ...(knows("0.0.45") ? [] : [new BackwardCompatibility_0_0_45()]),
    ...(knows("0.0.39") ? [] : [new BackwardCompatibility_0_0_39()]),
  ];
}

/** Passes on: what old servers send is read by the core in any case. */
class Passing extends Middleware {
  override run(input: RunAgentInput, next: MiddlewareNext): Observable<BaseEvent> {
    return next.run(input);
  }
}

export class CompatibilityBoundary extends Passing {}
export class BackwardCompatibility_0_0_45 extends Passing {}
export class BackwardCompatibility_0_0_47 extends Passing {}

type Content = { content?: unknown };

/** Servers up to 0.0.39 know content as text alone, and no `parentRunId`. */
export class BackwardCompatibility_0_0_39 extends Middleware {
  override run(input: RunAgentInput, next: MiddlewareNext): Observable<BaseEvent> {
    const { parentRunId: _, ...rest } = input as RunAgentInput & { parentRunId?: string };
    const messages = input.messages.map((message) => {
      const content = toText((message as Content).content);
      return content === (message as Content).content ? message : ({ ...message, content } as Message);
    });
    return this.runNext({ ...rest, messages } as RunAgentInput, next);
  }
}

/** Content as one text. Malformed content stays, for the server to refuse. */
function toText(content: unknown): unknown {
  if (content === undefined) return "";
  if (!Array.isArray(content)) return content;
  const texts = content.filter((part) => part?.type === "text").map((part) => part.text);
  if (!texts.every((text) => typeof text === "string")) return content;
  if (texts.length < content.length) console.warn("[ag-ui-wasm] A server of AG-UI 0.0.39 or before is sent no media: parts of a message were left out.");
  return texts.join("");
}

const ofSubagents = new Set<string>([EventType.SUBAGENT_STARTED, EventType.SUBAGENT_FINISHED, EventType.SUBAGENT_ERROR]);

/** Servers up to 0.0.57 know no subagents. */
export class BackwardCompatibility_0_0_57 extends Middleware {
  override run(input: RunAgentInput, next: MiddlewareNext): Observable<BaseEvent> {
    return this.runNext({ ...input, messages: (input.messages ?? []).map(withoutTag) }, next).pipe(
      filter(({ type }) => !ofSubagents.has(type)),
      map(withoutTags),
    );
  }
}

function withoutTag<Value extends object>(value: Value): Value {
  if (!value || !("subagentRunId" in value)) return value;
  const { subagentRunId: _, ...rest } = value as Value & { subagentRunId?: unknown };
  return rest as Value;
}

/** An event without tags, also of the messages and questions in it. */
function withoutTags(event: BaseEvent): BaseEvent {
  const bare = withoutTag(event) as AnyEvent;
  const { messages, input, outcome } = bare;
  if (bare.type === EventType.MESSAGES_SNAPSHOT && messages) return { ...bare, messages: messages.map(withoutTag) } as BaseEvent;
  if (bare.type === EventType.RUN_STARTED && input?.messages) {
    return { ...bare, input: { ...input, messages: input.messages.map(withoutTag) } } as BaseEvent;
  }
  if (bare.type === EventType.RUN_FINISHED && outcome?.interrupts) {
    return { ...bare, outcome: { ...outcome, interrupts: outcome.interrupts.map(withoutTag) } } as BaseEvent;
  }
  return bare;
}

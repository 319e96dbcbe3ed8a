// Middleware between an agent and its stream.

import { EventType, type BaseEvent, type Message, type RunAgentInput, type State } from "@ag-ui/core";
import { concatMap, defer, filter, finalize, type Observable } from "rxjs";
import type { AbstractAgent } from "./agent.js";
import { createStepper } from "./core.js";
import type { AnyEvent } from "./events.js";
import { transformChunks } from "./stream.js";
import { ClientThread } from "./thread.js";
import { structuredClone_ } from "./values.js";

/** The rest of the chain, which a middleware runs. */
export type MiddlewareNext = Pick<AbstractAgent, "run" | "messages" | "state">;

// `next` is an agent to the official types: a function of either kind is taken.
export type MiddlewareFunction = (input: RunAgentInput, next: AbstractAgent) => Observable<BaseEvent>;

export interface EventWithState {
  event: BaseEvent;
  /** After the event. */
  messages: Message[];
  state: State;
}

export abstract class Middleware {
  abstract run(input: RunAgentInput, next: MiddlewareNext): Observable<BaseEvent>;

  /** Runs the rest of the chain; chunks come as full events. */
  protected runNext(input: RunAgentInput, next: MiddlewareNext): Observable<BaseEvent> {
    return next.run(input).pipe(transformChunks());
  }

  /** The same, with the messages and the state after each event. */
  protected runNextWithState(input: RunAgentInput, next: MiddlewareNext): Observable<EventWithState> {
    return defer(() => {
      const { messages = [], state = {} } = structuredClone_(input);
      const open = async () => {
        const stepper = await createStepper({ stage: "frames" }, messages, state);
        return { stepper, thread: new ClientThread(stepper, messages, state) };
      };
      let opened: ReturnType<typeof open> | undefined;
      return this.runNext(input, next).pipe(
        concatMap(async (event) => {
          const { stepper, thread } = await (opened ??= open());
          stepper.push(JSON.stringify(event));
          stepper.next();
          thread.refresh();
          return { event, messages: structuredClone_(thread.messages), state: structuredClone_(thread.state) };
        }),
        finalize(() => void opened?.then(({ thread }) => thread.free(), () => {})),
      );
    });
  }
}

/** A function as a middleware. */
export class FunctionMiddleware extends Middleware {
  constructor(private readonly fn: MiddlewareFunction) {
    super();
  }

  run(input: RunAgentInput, next: MiddlewareNext): Observable<BaseEvent> {
    return this.fn(input, next as AbstractAgent);
  }
}

/** Leaves out the calls of some tools, with their arguments, ends and results. */
export class FilterToolCallsMiddleware extends Middleware {
  private readonly shows: (name: string) => boolean;

  constructor({ allowedToolCalls, disallowedToolCalls }: { allowedToolCalls?: string[]; disallowedToolCalls?: string[] }) {
    super();
    if (!allowedToolCalls === !disallowedToolCalls) {
      throw new Error(
        allowedToolCalls
          ? "Cannot specify both allowedToolCalls and disallowedToolCalls"
          : "Must specify either allowedToolCalls or disallowedToolCalls",
      );
    }
    const named = new Set(allowedToolCalls ?? disallowedToolCalls);
    this.shows = (name) => named.has(name) === !!allowedToolCalls;
  }

  run(input: RunAgentInput, next: MiddlewareNext): Observable<BaseEvent> {
    return defer(() => {
      const hidden = new Set<string>();
      return this.runNext(input, next).pipe(
        filter((event: AnyEvent) => {
          const id: string = event["toolCallId"];
          switch (event.type) {
            case EventType.RUN_STARTED:
              hidden.clear();
              return true;
            case EventType.TOOL_CALL_START:
              if (!this.shows(event["toolCallName"])) hidden.add(id);
              return !hidden.has(id);
            case EventType.TOOL_CALL_ARGS:
            case EventType.TOOL_CALL_END:
              return !hidden.has(id);
            case EventType.TOOL_CALL_RESULT:
              return !hidden.delete(id);
            default:
              return true;
          }
        }),
      );
    });
  }
}

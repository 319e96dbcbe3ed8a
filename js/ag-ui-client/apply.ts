// The exact way: events that were judged and expanded, one by one.

import { type BaseEvent, type RunAgentInput } from "@ag-ui/core";
import { defaultIfEmpty, defer, finalize, mergeAll, type Observable } from "rxjs";
import type { AbstractAgent } from "./agent.js";
import { createStepper, type StepperOptions } from "./core.js";
import type { DebugLoggerInput } from "./debug.js";
import { wantedBy } from "./events.js";
import { inTurn } from "./in-turn.js";
import { RunEvents } from "./run.js";
import type { AgentStateMutation, AgentSubscriber } from "./types.js";

/** Calls the hooks for each event, and emits the messages and the state wherever they have changed. */
export function defaultApplyEvents(
  input: RunAgentInput,
  events$: Observable<BaseEvent>,
  agent: AbstractAgent,
  subscribers: AgentSubscriber[],
  _debug?: DebugLoggerInput,
): Observable<AgentStateMutation> {
  return applyEvents(input, events$, agent, subscribers, {});
}

/** @internal */
export function applyEvents(
  input: RunAgentInput,
  events$: Observable<BaseEvent>,
  agent: AbstractAgent,
  subscribers: AgentSubscriber[],
  options: StepperOptions,
): Observable<AgentStateMutation> {
  const open = async () => {
    const stepper = await createStepper({ ...options, stage: "frames", rules: "tolerant" }, agent.messages, input.state);
    return { stepper, run: new RunEvents(agent, input, subscribers, stepper, options.onWarning) };
  };
  return defer(() => {
    let opened: ReturnType<typeof open> | undefined;
    const mutations$ = events$.pipe(
      inTurn(async (event) => {
        const { stepper, run } = await (opened ??= open());
        stepper.want(wantedBy(subscribers, agent));
        stepper.push(JSON.stringify(event) ?? "null");
        await run.drain(event);
        const failure = run.failure();
        if (failure) throw failure;
        const changes = run.takeChanges();
        return Object.keys(changes).length ? [changes] : [];
      }),
      mergeAll(),
      finalize(() => void opened?.then(({ run }) => run.free(), () => {})),
    );
    return subscribers.length ? mutations$.pipe(defaultIfEmpty({} as AgentStateMutation)) : mutations$;
  });
}

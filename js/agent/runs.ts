// The runs of an agent: what is asked of the server, and what waits for the end of that.

import { AgentError } from "../api/error.js";
import type { AgainOptions, Agent, RunResult, SubmitInput } from "../api/types.js";
import { expect, isEvent } from "../base/failure.js";
import { askAgain, askLost } from "../intents/again.js";
import type { RunInput, RunIntent } from "../intents/run.js";
import { submit as toSubmit } from "../intents/submit.js";
import { holds, toAgainInput, toCoreInput, toRunInput, toSubmitInput } from "./input.js";
import type { Self } from "./self.js";

/** The methods that ask for a run. */
export type RunMethods<State> = Pick<Agent<State>, "submit" | "attach" | "retry" | "regenerate" | "resume">;

/** The runs that ask again; `start` starts them. */
function createAgain<State>(
  { thread, options, read }: Self<State>,
  start: (parts: RunIntent<State>) => Promise<RunResult>,
): Pick<RunMethods<State>, "retry" | "regenerate"> {
  const { link } = thread;

  /** Asks the last question again, or the one before that message. */
  const repeat = async (kind: "retry" | "regenerate", input: RunInput, again: AgainOptions | undefined, of?: string): Promise<RunResult> => {
    const prepared = thread.remote.prepare(kind, input, again);
    if (prepared) await prepared;
    return start(askAgain(kind, input, of));
  };

  return {
    retry: async (again) => {
      const lost = link.shared.lost;
      const input = toAgainInput(options(), again);
      if (lost) return start(askLost(lost));
      if (read().error?.code !== "load") return repeat("retry", input, again);
      // Nothing has run yet: only the core has to come.
      await link.load();
      const { error } = read();
      return { runId: input.runId, outcome: error ? "error" : "dropped", ...(error && { error }) };
    },
    regenerate: async (messageId, again) => {
      // A handler of clicks that is given as it is gets an event.
      if (messageId !== undefined) expect("regenerate()", "string", messageId);
      return repeat("regenerate", toAgainInput(options(), again), again, messageId);
    },
  };
}

/** @internal */
export function createRuns<State>(self: Self<State>): RunMethods<State> {
  const { thread, view, options, read, act } = self;
  const { jobs, source } = thread;
  const start = (parts: RunIntent<State>, signal?: AbortSignal): Promise<RunResult> => {
    // The store may have been let go of while the run was prepared.
    thread.saves.use();
    return jobs.start(parts, self, signal);
  };
  const again = createAgain(self, start);

  const submit = async (input: string | SubmitInput<State>): Promise<RunResult> => {
    const long = toSubmitInput("submit", input);
    const by = holds(long.parts) ? long.parts : view.holder();
    return by ? by.hold(view, long, shown(send)) : send(long);
  };

  const send = async (long: SubmitInput<State>): Promise<RunResult> => {
    const { signal, replaces } = long;
    const resume = long.resume && (source.parts() ?? (await source.loadParts())).toResume(long.resume, read());
    const core = toCoreInput(options(), long, resume);
    const prepared = thread.remote.prepare(replaces === undefined ? "submit" : "edit", core, long);
    const result = prepared && (await prepared);
    if (result) return result;
    // In place of the options'; without any, these stand again.
    for (const { name } of core.tools) thread.submitTools.delete(name);
    for (const tool of long.tools ?? []) thread.submitTools.set(tool.name, tool);
    const run = toSubmit<State>(core, read().toolCalls);
    if (signal?.aborted) return { runId: run.id, outcome: "aborted" };
    // The events of AG-UI say when an answer is over; those of a dialect need not.
    const hasty = long.ifBusy === undefined && !!options().dialect && !!options().transport?.keep;
    const done = start({ ...run, hasty }, signal);
    // The user has said something else, so the agent's answer is over.
    if (hasty) thread.channel?.current?.endAnswer();
    return done;
  };

  /** Calls the method. A call that could not be made is shown as the error, so nobody has to look at its promise. */
  const shown = <Args extends readonly unknown[]>(method: (...args: Args) => Promise<RunResult>) => (...args: Args): Promise<RunResult> => {
    const run: Promise<RunResult> = (async () => (act(), method(...args)))().catch((error: unknown) => {
      // These were asked for by whoever called.
      if (AgentError.is(error) && !self.gone() && error.code !== "busy" && error.code !== "calls-open") {
        run.catch(() => {});
        view.refuse(error);
      }
      throw error;
    });
    return run;
  };

  return {
    submit: shown(submit),
    attach: shown(async (runId?: string) => {
      if (isEvent(runId)) runId = undefined;
      if (runId != null) expect("attach()", "string", runId);
      const same = runId === undefined || runId === read().runId;
      return (same && jobs.rejoining) || jobs.join(runId, self);
    }),
    retry: shown(again.retry),
    regenerate: shown(again.regenerate),
    resume: shown(async (answers) => {
      const replies = source.parts() ?? (await source.loadParts());
      act();
      const reply = replies.toReply<State>(answers, read(), () => toRunInput(options()));
      return reply ? start(reply) : submit({ resume: answers });
    }),
  };
}

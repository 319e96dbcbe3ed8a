// The runs of an agent: what is asked of the server, and what waits for the end of that.

import { AgentError } from "../api/error.js";
import type { AgainOptions, Agent, PageTool, RunResult, SubmitInput } from "../api/types.js";
import { expect, isEvent, toJson } from "../base/failure.js";
import type { Run } from "../core/client.js";
import { submitted } from "../snapshot/project.js";
import type { Queued } from "../snapshot/save.js";
import { findTool, holds, isAnswer, toAgainInput, toAnswer, toCoreInput, toRunInput, toSubmitInput, type RunInput } from "./input.js";
import type { Self } from "./self.js";

/** What a run is begun with. */
export type RunParts<State> = Pick<Run<State>, "id" | "start"> & Partial<Run<State>>;

/** The runs of an agent. */
export interface Runs<State> {
  /** What the application asks with. */
  readonly methods: Pick<Agent<State>, "submit" | "attach" | "retry" | "regenerate" | "resume">;
  /** Starts a run and waits for its end. */
  start(parts: RunParts<State>, signal?: AbortSignal): Promise<RunResult>;
  /** Joins the run that was in progress when the page was left. */
  rejoin(runId: string): void;
  /** Whether this submit is sent at once, over a connection that is kept: what was answered before is over then. */
  hurries(runId: string): boolean;
  /** A tool of this name: one that a submit has brought with it, or one of the options. */
  tool(name: string): PageTool | undefined;
  /** Forgets the tools that submits have brought with them. */
  forget(): void;
}

/** A submit as a save has it. */
const toQueued = (start: Queued["start"], json: string, of?: string): Queued => ({ messages: [], ...JSON.parse(json), start, of });

type Client<State> = Pick<Self<State>, "link" | "line" | "saves" | "view" | "read" | "options" | "disposed" | "act">;

/** @internal */
export function createRuns<State>(self: Client<State>): Runs<State> {
  const { link, view, options, read, act } = self;
  // Tools that came with a submit. The results of their calls may come long after.
  const brought = new Map<string, PageTool>();
  // Submits that are sent at once, whatever answer comes.
  const hasty = new Set<string>();
  // The run that was in progress when the page was left is joined.
  let rejoining: Promise<RunResult> | undefined;

  const start: Runs<State>["start"] = (parts, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => link.cancel(job);
      const end = (): void => signal?.removeEventListener("abort", stop);
      // Where the core is not there to say when, or hears of it later.
      const unheard = link.late || !link.open();
      const job: Run<State> = {
        ifBusy: "queue",
        again: parts.start,
        fold: (at) => at,
        ...parts,
        resolve: (result) => (end(), resolve(result)),
        reject: (error) => {
          end();
          // In the store it waits. What is asked for beside it has begun by then.
          if (unheard) queueMicrotask(self.saves.save);
          reject(error);
        },
      };
      signal?.addEventListener("abort", stop);
      link.run(job);
      if (unheard) self.saves.save();
      // Aborted by a listener, before there was something to cancel.
      if (signal?.aborted) stop();
    });

  /** Tools that came with a submit, in place of the options'; without any, the options' stand again. */
  const bring = (tools: SubmitInput["tools"]): void => {
    for (const tool of tools ?? []) brought.set(tool.name, tool as PageTool);
    if (!tools) for (const name of brought.keys()) if (findTool(options(), name)) brought.delete(name);
  };

  const submit = async (input: string | SubmitInput<State>): Promise<RunResult> => {
    act();
    const long = toSubmitInput("submit", input);
    const by = holds(long.parts) ? long.parts : view.holder();
    return by ? by.hold(view, long, shown(send)) : send(long);
  };

  const send = async (long: SubmitInput<State>): Promise<RunResult> => {
    act();
    const { state, signal, replaces } = long;
    const core = toCoreInput(options(), long, read().interrupts);
    const { runId: id, messages } = core;
    bring(long.tools);
    if (signal?.aborted) return { runId: id, outcome: "aborted" };
    const json = toJson(core);
    const run: RunParts<State> = {
      id,
      ifBusy: core.ifBusy,
      waits: core.ifAwaiting === "wait" && read().toolCalls.some(({ phase }) => phase === "awaiting-approval"),
      queued: () => toQueued("submit", json),
      start: (session) => session.submit(json),
      again: (session) => {
        const rest = { ...core, messages: [], replaces: undefined };
        return core.resume ? session.submit(toJson({ ...rest, state: undefined })) : session.retry(toJson(rest));
      },
      fold: (at) => submitted(at, messages, state, replaces),
    };
    const atOnce = long.ifBusy === undefined && options().transport?.keep;
    if (!atOnce) return start(run, signal);
    hasty.add(id);
    const done = start(run, signal);
    // What the agent was saying is over, for the user has said something else.
    self.line?.current?.endAnswer();
    return done.finally(() => hasty.delete(id));
  };

  /** Asks the last question again, or the one before that message. */
  const ask = (kind: "retry" | "regenerate", input: RunInput, of?: string): Promise<RunResult> => {
    const json = toJson(input);
    return start({
      id: input.runId,
      queued: () => toQueued(kind, json, of),
      start: (session) => (kind === "retry" ? session.retry(json) : session.regenerate(of, json)),
    });
  };

  const retry = async (again?: AgainOptions): Promise<RunResult> => {
    act();
    const lost = link.lost();
    const input = toAgainInput(options(), again);
    if (lost) return start({ id: lost.id, start: lost.again });
    if (read().error?.code === "load") {
      // Nothing has run yet: only the core has to come.
      await link.load();
      const { error } = read();
      return error ? { runId: input.runId, outcome: "error", error } : { runId: input.runId, outcome: "dropped" };
    }
    return ask("retry", input);
  };

  const regenerate = async (messageId?: string, again?: AgainOptions): Promise<RunResult> => {
    act();
    // A handler of clicks that is given as it is gets an event.
    if (messageId !== undefined) expect("regenerate()", "string", messageId);
    return ask("regenerate", toAgainInput(options(), again), messageId);
  };

  const resume: Agent<State>["resume"] = async (answers) => {
    if (!isAnswer(answers)) return submit({ resume: answers });
    act();
    const answer = toAnswer(options(), answers);
    const json = toJson(answer);
    return start({ id: answer.run.runId, start: (session) => session.answer(json), part: true });
  };

  /** Joins a run that continues at the server; without an id the last one, which is known as `last`. */
  const join = async (runId: string | undefined, last = read().runId ?? ""): Promise<RunResult> => {
    const json = toJson({ ...toRunInput(options()), runId });
    return start({ id: runId ?? last, start: (session) => session.attach(json) });
  };

  const attach = async (runId?: string): Promise<RunResult> => {
    act();
    if (isEvent(runId)) runId = undefined;
    if (runId != null) expect("attach()", "string", runId);
    const same = runId === undefined || runId === read().runId;
    return (same && rejoining) || join(runId);
  };

  /** Shows the error of a call of the method that could not be made: the promise may be one that nobody looks at. */
  const shown =
    <Args extends readonly unknown[]>(method: (...args: Args) => Promise<RunResult>) =>
    async (...args: Args): Promise<RunResult> => {
      try {
        return await method(...args);
      } catch (error) {
        // These were asked for by whoever called.
        if (AgentError.is(error) && !self.disposed() && !["busy", "calls-open"].includes(error.code ?? "")) view.refuse(error);
        throw error;
      }
    };

  return {
    methods: {
      submit: shown(submit),
      attach: shown(attach),
      retry: shown(retry),
      regenerate: shown(regenerate),
      resume: shown(resume),
    },
    start,
    rejoin: (runId) => {
      rejoining = join(undefined, runId).finally(() => (rejoining = undefined));
      rejoining.catch(() => {});
    },
    hurries: (runId) => hasty.has(runId),
    tool: (name) => brought.get(name) ?? findTool(options(), name),
    forget: () => brought.clear(),
  };
}

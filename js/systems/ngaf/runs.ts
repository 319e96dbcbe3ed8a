// The application's calls: submit, regenerate, retry. One run at a time is open; a run that another one takes the place of ends
// as interrupted.

import type { JsonObject } from "../../api/protocol.js";
import type { Agent, Message, ResumeAnswers, RunResult, SubmitInput } from "../../api/types.js";
import type { PageTools } from "./client-tools.js";
import { isObject } from "../../base/json.js";
import type { Reducer } from "./reduce.js";
import type { NgafAgent, NgafSubmitInput } from "./types.js";

/** A run that is to be submitted. */
export type RunRequest = Omit<SubmitInput<JsonObject>, "signal"> & { readonly signal?: AbortSignal | undefined };

/** The agent as its runs see it. */
export interface RunClient {
  readonly agent: Agent<JsonObject>;
  readonly reducer: Reducer;
  readonly tools: () => Pick<PageTools, "catalog" | "capabilities">;
  changed(): void;
  now(): number;
  /** Tells the telemetry. */
  measure(name: string, properties?: JsonObject): void;
}

export interface Runs extends Pick<NgafAgent, "submit" | "regenerate" | "retry"> {
  submitRun(input: RunRequest): Promise<void>;
  /** The agent's run has ended. */
  finished(result: RunResult): void;
}

export function createRuns(client: RunClient): Runs {
  const { agent, reducer, changed, now, measure } = client;
  const { version, fields, messages, answers } = reducer;
  const { run, submitRun, last } = createStarter(client);

  return {
    submitRun,
    finished: ({ outcome, error }) => {
      const durationMs = Math.round(now() - (last.startedAt ?? 0));
      if (error) measure("stream_errored", { durationMs, errorClass: error.kind });
      else measure("stream_ended", { durationMs });
      // The next one has begun already.
      if (last.superseding) return;
      // Begun at the agent itself, it failed before RUN_STARTED; or after RUN_FINISHED, under strict rules.
      if (error && !reducer.open && fields.status !== "error") reducer.begin();
      if (outcome === "aborted") reducer.end("aborted");
      // The server has closed the stream, which is no error of the contract's.
      else if (outcome === "truncated" && error?.code === "truncated" && !error.lost) reducer.end(answers.produced ? "interrupted" : "success");
      else if (error) reducer.end(undefined, error);
      else reducer.end("success");
      agreeOnState(agent, reducer);
      changed();
    },
    submit: (input = {}, { signal } = {}) => {
      const content = input.resume === undefined ? toContent(input.message) : undefined;
      const id = Math.random().toString(36).slice(2);
      if (content !== undefined) {
        const delivery = { generation: answers.generation + 1, phase: "complete", outcome: "success" } as const;
        reducer.named.add(id);
        messages.add({ id, role: "user", content, ...(version === 2 && { delivery }) });
      }
      return submitRun({
        ...replyOf(agent, input),
        ...(content !== undefined && { message: { id, content } }),
        ...(input.state && { state: input.state }),
        signal,
      });
    },
    regenerate: async (assistantIndex) => {
      const list = fields.messages;
      if (fields.isLoading) throw new Error("A run is in progress: nothing can be regenerated");
      if (list[assistantIndex]?.role !== "assistant") throw new Error(`Message ${assistantIndex} is not the assistant's`);
      const place = list.slice(0, assistantIndex).map(({ role }) => role).lastIndexOf("user");
      const user = list[place];
      if (!user) throw new Error(`No user message stands before message ${assistantIndex}`);
      const cut = (thread: readonly Message[]): readonly Message[] => thread.slice(0, thread.findIndex(({ id }) => id === user.id) + 1);
      agent.setMessages(cut);
      messages.replace(list.slice(0, place + 1));
      await submitRun(replyOf(agent, {}));
    },
    retry: async () => {
      if (last.startedAt !== undefined && !fields.isLoading) await run(() => agent.retry());
    },
  };
}

/** Starts runs of the agent. */
function createStarter({ agent, reducer, tools, now, measure }: RunClient) {
  const { version, fields, state } = reducer;
  const last: StartedRun = { startedAt: undefined, superseding: false };

  const run = async (start: () => Promise<RunResult>): Promise<void> => {
    last.startedAt = now();
    measure("runtime_request_created");
    last.superseding = version === 2 && agent.getSnapshot().status === "running";
    reducer.begin();
    let promise: Promise<RunResult>;
    try {
      promise = start();
    } finally {
      last.superseding = false;
    }
    try {
      await promise;
    } catch (cause) {
      // The call made no sense to the agent.
      reducer.end(undefined, cause);
    }
  };

  const submitRun = (input: RunRequest): Promise<void> => {
    const { catalog, capabilities } = tools();
    const shared = capabilities && { a2ui_client_capabilities: capabilities };
    const merged = input.state || shared ? { ...input.state, ...shared } : undefined;
    if (merged) state.set({ ...fields.state, ...merged });
    return run(() =>
      agent.submit({
        ...input,
        ...(merged && { state: merged }),
        ...(catalog && { tools: catalog as never }),
        ifBusy: version === 2 ? "replace" : "queue",
      } as SubmitInput<JsonObject>)
    );
  };
  return { run, submitRun, last: last as Readonly<StartedRun> };
}

/** The run that was started last. */
interface StartedRun {
  /** On the client's clock; absent: none was started. */
  startedAt: number | undefined;
  /** It is being started in place of one that is in progress. */
  superseding: boolean;
}

/** Takes the agent's state, except where that has refused a patch: the next request must have the state that is shown. */
function agreeOnState(agent: Agent<JsonObject>, { fields, state }: Reducer): void {
  const theirs = agent.getSnapshot().state;
  // A patch that RFC 6902 refuses was refused by the agent too.
  if (state.lenient) {
    state.agree();
    agent.setState(fields.state);
  } else if (isObject(theirs)) {
    state.set(theirs);
  }
}

/** The text of blocks: what is no text goes as JSON. */
function toContent(message: NgafSubmitInput["message"]): string | undefined {
  if (typeof message !== "object") return message;
  return message.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("");
}

/** The reply to the agent's open questions: the answer, or that nobody answers. */
function replyOf(agent: Agent<JsonObject>, input: NgafSubmitInput): Partial<RunRequest> {
  const { interrupts } = agent.getSnapshot();
  const resumes = input.resume !== undefined;
  if (!interrupts.length) return resumes ? { forwardedProps: { command: { resume: input.resume } } } : {};
  const answer = resumes ? ({ status: "resolved", payload: input.resume } as const) : ({ status: "cancelled" } as const);
  const resume: ResumeAnswers = interrupts.map(({ id }) => ({ interruptId: id, ...answer }));
  return { resume };
}

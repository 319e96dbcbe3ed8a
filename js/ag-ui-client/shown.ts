// An agent of this package, shown as one of the official client's.

import type { BaseEvent, Interrupt, Message, RunAgentInput } from "@ag-ui/core";
import { Observable } from "rxjs";
import { AgentError } from "../api/error.js";
import type { Agent as OwnAgent, Message as Shown, RunResult } from "../api/types.js";
import { parseJson } from "../base/json.js";
import { toConsole } from "./core.js";
import { HttpAgent } from "./http.js";
import { notify } from "./hooks.js";
import { abortEvent } from "./stream.js";
import { apart, toPlainMessage } from "./thread.js";
import type { AgentConfig } from "./types.js";
import { toJson } from "./values.js";

export interface ShownAgentConfig extends Omit<AgentConfig, "threadId" | "initialMessages" | "initialState"> {
  /** The agent's `url`; nothing is sent there. Default: empty. */
  url?: string;
  /**
   * Makes the agent that a `clone()` shows, and the one of another thread once `threadId` was changed: it is called with the id of
   * the thread. Default: none. Then `clone()` throws, and runs stay in the agent's thread.
   */
  clone?: (threadId: string) => OwnAgent;
}

/**
 * An agent of `createAgent` for whatever takes an `HttpAgent`: with its headers functions, its retries and resumed streams, its
 * saves and its worker. Runs go through `agent.submit`; tools that come with a run are declared, and answered by whoever has
 * declared them. A thread is an agent's for good: where `threadId` was changed, the next run is one of an agent that `clone` makes.
 *
 * @example
 * const agent = createAgent({ url: "/agent", headers: async () => ({ authorization: await token() }) });
 * const runtime = useAgUiRuntime({ agent: toHttpAgent(agent) });
 */
export function toHttpAgent(agent: OwnAgent, config: ShownAgentConfig = {}): HttpAgent {
  return new ShownAgent(agent, config);
}

class ShownAgent extends HttpAgent {
  private shown: OwnAgent;
  private config: ShownAgentConfig;
  /** Ends the subscription to the agent; one that was made for a thread is disposed of. */
  private leave: () => void;

  constructor(agent: OwnAgent, config: ShownAgentConfig) {
    const { clone, url = "", ...rest } = config;
    const { threadId, messages, state, interrupts } = agent.getSnapshot();
    super({ ...rest, url, threadId, initialMessages: toPlain(messages), initialState: state });
    this.shown = agent;
    this.config = config;
    this.pendingInterrupts = interrupts.map(({ ...interrupt }) => interrupt as unknown as Interrupt);
    this.leave = agent.subscribe(() => this.follow());
  }

  override run(input: RunAgentInput): Observable<BaseEvent> {
    this.switchTo(input.threadId);
    const { shown } = this;
    return this.play(() => {
      if (!isSame(this.messages.map((message) => toPlainMessage(message as unknown as Shown)), toPlain(shown.getSnapshot().messages)))
        shown.setMessages(this.messages as unknown as Shown[]);
      if (!isSame(input.state, shown.getSnapshot().state)) shown.setState(input.state);
      const { runId, tools, context, forwardedProps, resume } = input;
      const declared = tools?.map((tool) => ({ ...tool, declared: true }));
      return shown.submit({ runId, tools: declared, context, forwardedProps, resume } as Parameters<OwnAgent["submit"]>[0]);
    });
  }

  /** Joins the run in progress at the server, where there is one. */
  protected override connect(input: RunAgentInput): Observable<BaseEvent> {
    this.switchTo(input.threadId);
    return this.play(() => this.shown.attach());
  }

  override abortRun(): void {
    super.abortRun();
    void this.shown.stop();
  }

  override clone(): HttpAgent {
    const { threadId } = this;
    const made = this.config.clone?.(threadId);
    if (!made) throw new Error("clone() needs toHttpAgent(agent, { clone: (threadId) => createAgent({ threadId, … }) })");
    const clone = this.copyStateTo(new ShownAgent(made, { ...this.config, url: this.url }));
    // An agent with a thread of its own sends that one.
    clone.threadId = made.getSnapshot().threadId;
    return clone;
  }

  /** The agent of that thread, in place of the one that is shown. */
  private switchTo(threadId: string): void {
    const before = this.shown.getSnapshot().threadId;
    if (threadId === before) return;
    const made = this.config.clone?.(threadId);
    if (made?.getSnapshot().threadId !== threadId) {
      made?.dispose();
      const message =
        `The thread is still ${before}, not ${threadId}: toHttpAgent(agent, { clone: (threadId) => createAgent({ threadId, … }) }) makes an agent for another thread.`;
      return (this.settings.onWarning ?? toConsole)({ code: "thread-fixed", message });
    }
    this.leave();
    this.shown = made;
    const off = made.subscribe(() => this.follow());
    this.leave = () => (off(), made.dispose());
  }

  /** The events of what `start` starts. */
  private play(start: () => Promise<RunResult>): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      let over = false;
      const off = this.shown.on("event", (event) => subscriber.next(event as unknown as BaseEvent));
      const end = (result: RunResult): void => {
        over = true;
        const { outcome, error } = result;
        if (outcome === "aborted") subscriber.next(abortEvent(undefined));
        // RUN_ERROR has come as an event; where there is nothing to join, nothing comes.
        if (error && error.kind !== "run" && error.kind !== "unsupported") subscriber.error(toHttpFailure(error));
        else subscriber.complete();
      };
      const fail = (error: unknown): void => {
        over = true;
        if (AgentError.is(error) && error.code === "nothing-to-attach") subscriber.complete();
        else subscriber.error(error);
      };
      start().then(end, fail);
      return () => {
        off();
        if (!over) void this.shown.disconnect();
      };
    });
  }

  /** Shows what happens to the agent outside of the runs that were begun here. */
  private follow(): void {
    if (this.isRunning) return;
    const { messages, state } = this.shown.getSnapshot();
    const plain = toPlain(messages);
    const shown = () => ({ messages: this.messages, state: this.state, agent: this });
    if (!isSame(plain, this.messages.map((message) => toPlainMessage(message as unknown as Shown)))) {
      this.messages = plain;
      notify(this.subscribers, (subscriber) => subscriber.onMessagesChanged?.(shown()));
    }
    if (!isSame(state, this.state)) {
      this.state = state;
      notify(this.subscribers, (subscriber) => subscriber.onStateChanged?.(shown()));
    }
  }
}

const toPlain = (messages: readonly Shown[]): Message[] => apart(messages).map(toPlainMessage);

const isSame = (one: unknown, other: unknown): boolean => one === other || toJson(one) === toJson(other);

/** With what the official client's errors have. */
function toHttpFailure(error: AgentError): AgentError {
  const payload = parseJson(error.body, error.body);
  return payload === undefined ? error : Object.assign(error, { payload });
}

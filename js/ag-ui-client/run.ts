// One run's events over one thread: each goes to the hooks, and then counts.

import { EventType, type Interrupt, type Message, type RunAgentInput, type ToolCall } from "@ag-ui/core";
import { isPromise } from "../base/promise.js";
import type { Stepper } from "../glue/full.js";
import type { AbstractAgent } from "./agent.js";
import { failureOf, reportWarnings } from "./core.js";
import { bufferOf, extrasOf, finished, hookOf, modern, type AnyEvent } from "./events.js";
import { callHooks, notify, type HookCall, type HookView } from "./hooks.js";
import { follow } from "./live.js";
import { ClientThread, type ChangedMembers } from "./thread.js";
import type { AgentSettings, AgentStateMutation, AgentSubscriber, AgentSubscriberParams, MaybePromise } from "./types.js";

export class RunEvents {
  readonly thread: ClientThread;
  private changed = { messages: false, state: false };
  /** Members that the agent still has in an older version. */
  private outdated = { messages: false, state: false };
  private updating = false;
  /** Where the agent is brought up to date when it is read. */
  private unfollow: (() => void) | undefined;
  /** The message that grows, and its text with the delta that is being told. */
  private grows: { type: string; id: string; text: string } | undefined;
  /** The messages and the state as they are when they are read. */
  private readonly current: HookView;
  /** Something may have counted since the thread was brought up to date. */
  private stale = true;
  /** The messages that the agent was given last. */
  private last: readonly Message[];

  /** Over a stepper that was made with the messages of the agent and the state of the input. */
  constructor(
    private readonly agent: AbstractAgent,
    private readonly input: RunAgentInput,
    private readonly subscribers: readonly AgentSubscriber[],
    private readonly stepper: Stepper,
    private readonly report: AgentSettings["onWarning"],
    private readonly onType: (type: string) => void = () => {},
  ) {
    this.thread = new ClientThread(stepper, agent.messages, input.state === undefined ? {} : input.state);
    this.last = [...agent.messages];
    const read = (): ClientThread => (this.refresh(), this.thread);
    this.current = {
      get messages() {
        return read().messages;
      },
      get state() {
        return read().state;
      },
    };
  }

  /** Takes the events that the stepper has, as long as `goesOn`. `pushed`: the one for which the stepper has no text of its own. */
  drain(pushed?: AnyEvent, goesOn: () => boolean = () => true): MaybePromise<void> {
    while (goesOn()) {
      const json = this.stepper.next();
      // Events without a hook still count.
      this.stale = true;
      if (json === undefined) break;
      const event = modern(json === "" ? pushed! : JSON.parse(json));
      this.onType(event.type);
      const taking = this.take(event);
      if (isPromise(taking)) return taking.then(() => this.drain(pushed, goesOn));
    }
    reportWarnings(this.stepper, this.report);
  }

  /** Why nothing more is taken. */
  failure(): Error | undefined {
    return failureOf(this.stepper);
  }

  /** Returns the changes since the last call. */
  takeChanges(): AgentStateMutation {
    this.update();
    const { messages, state } = this.changed;
    this.changed = { messages: false, state: false };
    return { ...(messages && { messages: this.thread.messages }), ...(state && { state: this.thread.state }) };
  }

  /** From here on the agent's messages and state are up to date whenever they are read. */
  follow(): void {
    this.unfollow = follow(this.agent, () => this.update());
  }

  leave(): void {
    this.unfollow?.();
    this.unfollow = undefined;
  }

  /** Brings the agent up to date, without a word to subscribers. */
  private update(): void {
    if (this.updating) return;
    this.updating = true;
    this.refresh();
    const { agent, outdated, thread } = this;
    this.outdated = { messages: false, state: false };
    if (outdated.messages) {
      this.keepAdded();
      if (this.unfollow) agent.messages = thread.messages;
      this.last = [...thread.messages];
    }
    if (outdated.state && this.unfollow) agent.state = thread.state;
    this.updating = false;
  }

  free(): void {
    this.leave();
    this.thread.free();
  }

  /** Keeps messages that the application has added to the agent during the run. */
  private keepAdded(): void {
    const { agent, last, thread } = this;
    const { messages } = agent;
    if (messages.length === last.length && messages.every((message, at) => message === last[at])) return;
    const known = new Set<Message | string>(last);
    for (const { id } of thread.messages) known.add(id);
    const added = messages.filter((message) => !known.has(message) && !known.has(message.id));
    if (added.length) thread.setMessages([...thread.messages, ...added]);
  }

  private take(event: AnyEvent): MaybePromise<void> {
    this.agent.debugLogger?.event("APPLY", "Event applied:", event, { type: event.type });
    const first = this.round("onEvent", (subscriber, shown) => subscriber.onEvent?.(this.params({ event }, shown)));
    if (isPromise<boolean>(first)) return first.then((goesOn) => this.takeOwn(event, goesOn));
    return this.takeOwn(event, first);
  }

  /** The hook of the event's type. */
  private takeOwn(event: AnyEvent, goesOn: boolean): MaybePromise<void> {
    if (!goesOn) return this.settle(false);
    const hook = hookOf(event.type);
    // Whether a snapshot brings a new message shows before it counts.
    const brings = event.type === EventType.ACTIVITY_SNAPSHOT && this.asks("onNewMessage");
    if (!hook || !(brings || this.asks(hook))) return this.count(event, true, {});
    const extras = this.extras(event);
    // There is no message or call that it is about: the core says so.
    if (!extras) return this.settle(true);
    const verdict = this.round(hook, (subscriber, shown) =>
      (subscriber[hook] as ((params: object) => ReturnType<HookCall>) | undefined)?.call(
        subscriber,
        this.params({ event, ...extras }, shown),
      ));
    return isPromise<boolean>(verdict) ? verdict.then((counts) => this.count(event, counts, extras)) : this.count(event, verdict, extras);
  }

  /** The arguments of a hook. The messages and the state are brought up to date when they are read. */
  private params<Own extends object>(extra: Own, shown: HookView): Own & AgentSubscriberParams {
    return Object.assign(new Params(this.agent, this.input, shown), extra) as unknown as Own & AgentSubscriberParams;
  }

  /** The arguments of a hook beside the event. The text before a delta is known, while deltas follow each other. */
  private extras(event: AnyEvent): object | undefined {
    const [id, delta] = [event["messageId"], event["delta"]];
    const buffer = bufferOf(event.type);
    const follows = this.grows?.type === event.type && this.grows.id === id;
    let extras: object | undefined;
    if (buffer && follows) extras = { [buffer]: this.grows!.text };
    else {
      this.refresh();
      extras = extrasOf(event, this.thread, () => this.stepper.unanswered());
    }
    const text = buffer && extras ? (extras as Record<string, string>)[buffer]! : undefined;
    this.grows = text === undefined ? undefined : { type: event.type, id, text: text + delta };
    return extras;
  }

  /** Calls one hook of all subscribers; whether the event continues. */
  private round(hook: keyof AgentSubscriber, call: HookCall): MaybePromise<boolean> {
    if (!this.asks(hook)) return true;
    const mutation = callHooks(this.subscribers, this.current, call);
    return isPromise<AgentStateMutation>(mutation) ? mutation.then((made) => this.mutate(made)) : this.mutate(mutation);
  }

  private mutate({ messages, state, stopPropagation }: AgentStateMutation): boolean {
    if (messages !== undefined || stopPropagation) this.grows = undefined;
    if (messages !== undefined) {
      this.thread.setMessages(messages);
      this.note({ messages: true, state: false });
    }
    if (state !== undefined) {
      this.thread.setState(state);
      this.note({ messages: false, state: true });
    }
    return stopPropagation !== true;
  }

  private count(event: AnyEvent, counts: boolean, extras: object): MaybePromise<void> {
    if (this.grows && this.grows.type !== event.type) this.grows = undefined;
    this.settle(counts);
    switch (event.type) {
      case EventType.RUN_FINISHED: {
        const end = finished(event as never, () => "[]");
        if (counts) this.agent.pendingInterrupts = end.outcome === "interrupt" ? end.interrupts.map(untagged) : [];
        return;
      }
      case EventType.TEXT_MESSAGE_END:
      case EventType.REASONING_MESSAGE_END:
        return void this.tellMessage(event["messageId"]);
      case EventType.TOOL_CALL_RESULT:
        return counts ? void this.tellMessage(event["messageId"]) : undefined;
      case EventType.ACTIVITY_SNAPSHOT: {
        const replaced = event["replace"] !== false || !("existingMessage" in extras && extras.existingMessage);
        const known = "activityMessage" in extras && extras.activityMessage;
        return counts && replaced && !known ? this.tellMessage(event["messageId"]) : undefined;
      }
      case EventType.TOOL_CALL_END:
        return this.tellCall(event["toolCallId"]);
      default:
        return;
    }
  }

  /** A message is complete. */
  private tellMessage(id: string): MaybePromise<void> {
    if (!this.asks("onNewMessage")) return;
    this.refresh();
    const message = this.thread.find(id);
    if (!message) return;
    return notify(this.subscribers, (subscriber) => subscriber.onNewMessage?.({ message, ...this.shown() }));
  }

  /** A tool call is complete. */
  private tellCall(id: string): void {
    if (!this.asks("onNewToolCall")) return;
    this.refresh();
    const toolCall = this.thread.messages.reduceRight<ToolCall | undefined>(
      (found, message) => found ?? (message.role === "assistant" ? message.toolCalls?.find((call) => call.id === id) : undefined),
      undefined,
    );
    if (toolCall) notify(this.subscribers, (subscriber) => subscriber.onNewToolCall?.({ toolCall, ...this.shown() }));
  }

  private settle(counts: boolean): void {
    this.stepper.settle(counts);
    this.stale = true;
  }

  private shown() {
    const { agent, input, thread } = this;
    return { messages: thread.messages, state: thread.state, agent, input };
  }

  private asks(hook: keyof AgentSubscriber): boolean {
    for (const subscriber of this.subscribers) if (subscriber[hook]) return true;
    return false;
  }

  private note({ messages, state }: ChangedMembers): void {
    for (const noted of [this.changed, this.outdated]) {
      noted.messages ||= messages;
      noted.state ||= state;
    }
  }

  private refresh(): void {
    if (!this.stale) return;
    this.stale = false;
    const { messages, state } = this.thread.refresh();
    this.note({ messages, state });
  }
}

/** No tag is no tag, however it was written. */
function untagged(interrupt: Interrupt): Interrupt {
  const { subagentRunId, ...rest } = interrupt as Interrupt & { subagentRunId?: string | null };
  return subagentRunId == null ? (rest as Interrupt) : interrupt;
}

/**
 * The arguments of hooks, made anew for each event. `messages` and `state` are own members of the object, so a copy has them
 * too; their getters are the same functions for all, because an engine makes a class of its own for an object with others.
 */
class Params {
  readonly #shown: HookView;
  static readonly #messages = {
    configurable: true,
    enumerable: true,
    get(this: Params) {
      return this.#shown.messages;
    },
  };
  static readonly #state = {
    configurable: true,
    enumerable: true,
    get(this: Params) {
      return this.#shown.state;
    },
  };

  constructor(
    readonly agent: AbstractAgent,
    readonly input: RunAgentInput,
    shown: HookView,
  ) {
    this.#shown = shown;
    Object.defineProperty(this, "messages", Params.#messages);
    Object.defineProperty(this, "state", Params.#state);
  }
}

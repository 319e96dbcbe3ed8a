// `useChat` over an agent: what the SDK sends becomes a call of the agent, and what the agent shows becomes chunks.
//
//   sendMessages ──► ask: submit, retry, regenerate, answers ──► agent ──► snapshot ──► turn ──► ChunkWriter ──► stream

import type { ChatTransport, DynamicToolUIPart, ToolUIPart, UIMessage, UIMessageChunk } from "ai";
import type { AgainOptions, Agent, AgentSnapshot, ResumeAnswers, RunResult, SubmitInput, ToolCall } from "../api/types.js";
import { asAgent, unfit } from "../turns/checks.js";
import { firstAnswer, hasQuestion, isBusy, isUnanswered, lastQuestion, turnAfter, type Piece } from "../turns/turns.js";
import { contentOf } from "./parts.js";
import { ChunkWriter, newInterrupts } from "./writer.js";

type SendArguments = Parameters<ChatTransport<UIMessage>["sendMessages"]>[0];

/** The agent's ids of questions, by the ids that the chat has. */
type Renamed = Map<string, string>;

/** The parts of a request of the SDK. */
interface SdkRequest {
  /** The id of the message that is answered. */
  readonly questionId: string | undefined;
  /** The pieces of the answer that the SDK already has. */
  readonly before: readonly Piece[];
  /** Asks the agent. Nothing, where the run has begun, or begins by itself. */
  readonly ask?: () => Promise<RunResult>;
  /** Calls that were answered. A worker, or a core that loads, shows that a moment later. */
  readonly answered?: readonly string[];
}

/**
 * An agent as the transport of the AI SDK's chats: `useChat` of React and Vue, `Chat` of Svelte and Angular. The thread is the agent's:
 * a request carries the agent's messages, and of the SDK's list only the newest message counts. `body` is sent as `forwardedProps`;
 * `body.resume` answers interrupts as {@link Agent.resume} does. `headers` are the agent's own option.
 *
 * - A message with a new id is submitted; with the id of a message of the thread it takes that message's place.
 * - `regenerate()` asks for the answer again, `stop()` stops the run, `resumeStream()` shows a run that is in progress.
 * - `addToolOutput` and `addToolApprovalResponse` go to the agent when the SDK sends them: set `sendAutomaticallyWhen`.
 * - The state is a part `data-state`, a CUSTOM event `data-<name>`, an interrupt `data-interrupt`, an activity `data-<activityType>`.
 *
 * @example
 * const agent = createAgent({ url: "/agent" });
 * const { messages, sendMessage, status, stop } = useChat({ transport: toChatTransport(agent) });
 */
export function toChatTransport<Message extends UIMessage = UIMessage, State = unknown>(chatAgent: Agent<State>): ChatTransport<Message> {
  const agent = asAgent("toChatTransport()", chatAgent);
  let opened = 0;
  // A server may give a question another id: the ids that the chat has, and the agent's.
  const renamed: Renamed = new Map();
  const open = (request: SdkRequest, signal: AbortSignal | undefined, aborted: () => void): ReadableStream<UIMessageChunk> => {
    opened++;
    return streamOf(agent, request, renamed, signal, aborted);
  };
  const stop = (): void => void agent.stop().catch(() => {});
  return {
    resumeStreamIsReplay: true,
    sendMessages: async (sent) => open(requestFor(agent, sent, renamed), sent.abortSignal, stop),
    reconnectToStream: async ({ abortSignal }) => {
      agent.flush();
      const snapshot = agent.getSnapshot();
      if (!isBusy(snapshot)) return null;
      const count = opened + 1;
      // The SDK ends a stream that it opens anew, and then asks for the new one at once: that stops no run.
      const aborted = (): void => queueMicrotask(() => opened === count && stop());
      return open({ questionId: lastQuestion(snapshot), before: [] }, abortSignal, aborted);
    },
  };
}

const triggers: readonly unknown[] = ["submit-message", "regenerate-message"] satisfies SendArguments["trigger"][];

/** Reads a request of the SDK. */
function requestFor(agent: Agent, { trigger, messages, messageId, body }: SendArguments, renamed: Renamed): SdkRequest {
  if (!triggers.includes(trigger))
    throw unfit(`ag-ui-wasm/ai-sdk is made for version 7 of the package "ai", whose triggers are ${triggers.join(" and ")}; got ${trigger}`);
  agent.flush();
  const snapshot = agent.getSnapshot();
  const last = messages.at(-1);
  const { resume, ...rest } = (body ?? {}) as { resume?: ResumeAnswers };
  const forwarded = Object.keys(rest).length > 0 ? { forwardedProps: rest } : {};
  const questionId = lastQuestion(snapshot);
  const shown = turnAfter(snapshot, questionId).pieces;
  if (resume !== undefined) return { questionId, before: last?.role === "assistant" ? shown : [], ask: () => agent.submit({ resume, ...forwarded }) };
  const id = last && (renamed.get(last.id) ?? last.id);
  if (trigger === "regenerate-message")
    return { questionId: id ?? questionId, before: [], ask: again(agent, snapshot, id ?? questionId, messageId, forwarded) };
  if (last?.role === "assistant") return { questionId, before: shown, ...answered(agent, snapshot, last, shown.length > 0, forwarded) };
  if (!last) return { questionId, before: [], ask: () => agent.submit(forwarded) };
  // Answers of the person from before go with it; calls that are left open are denied.
  const previous = messages.at(-2);
  if (previous?.role === "assistant") answered(agent, snapshot, previous, false, forwarded);
  const message = { id: id!, content: contentOf(last) };
  const original = snapshot.messages.find((one) => one.id === id && one.role === "user");
  const same = original && JSON.stringify(original.content) === JSON.stringify(message.content);
  if (same && id === questionId) return { questionId, before: [], ask: () => agent.retry(forwarded) };
  const input: SubmitInput = { message, ...forwarded, ...(original && { replaces: id }) };
  return { questionId: id, before: [], ask: () => agent.submit(input) };
}

/** Asks again: for another answer, or, where there is none to take back, for the first one. */
function again(
  agent: Agent,
  { messages }: AgentSnapshot,
  questionId: string | undefined,
  messageId: string | undefined,
  forwarded: AgainOptions,
): () => Promise<RunResult> {
  const from = messages.findIndex(({ id }) => id === messageId && id !== questionId);
  const start = from < 0 ? messages.findIndex(({ id, role }) => role === "user" && id === questionId) + 1 : from;
  const answer = firstAnswer(messages, start);
  return answer === undefined ? () => agent.retry(forwarded) : () => agent.regenerate(answer, forwarded);
}

/** Gives the agent what the person has answered. The run that follows begins by itself; where there was nothing to answer, it is asked for. */
function answered(agent: Agent, { toolCalls }: AgentSnapshot, last: UIMessage, goesOn: boolean, forwarded: AgainOptions): Pick<SdkRequest, "ask" | "answered"> {
  const open = new Map(toolCalls.map((call) => [call.id, call]));
  const some: string[] = [];
  for (const part of last.parts) {
    if (!isCall(part)) continue;
    const { toolCallId } = part;
    const call = open.get(toolCallId);
    if (!call) continue;
    if (part.state === "approval-responded" && call.phase === "awaiting-approval") {
      if (part.approval.approved) agent.approve(toolCallId);
      else agent.deny(toolCallId, part.approval.reason);
    } else if (part.state === "output-available" && isUnanswered(call)) agent.addToolResult({ toolCallId, result: part.output });
    else if (part.state === "output-error" && isUnanswered(call)) agent.addToolResult({ toolCallId, error: part.errorText });
    else continue;
    some.push(toolCallId);
  }
  if (some.length) return { answered: some };
  return { ask: () => (goesOn ? agent.retry(forwarded) : Promise.reject(unfit("The agent has no call that waits for this answer"))) };
}

const isCall = (part: UIMessage["parts"][number]): part is ToolUIPart | DynamicToolUIPart => "toolCallId" in part;

/** The stream of a turn: from now on until the agent rests. */
function streamOf(
  agent: Agent,
  request: SdkRequest,
  renamed: Renamed,
  signal: AbortSignal | undefined,
  aborted: () => void,
): ReadableStream<UIMessageChunk> {
  let turn: TurnStream | undefined;
  return new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      turn = new TurnStream(agent, request, createQuestion(request.questionId, renamed), controller);
      const abort = (): void => {
        if (turn?.finish({ type: "abort" })) aborted();
      };
      if (signal?.aborted) return void turn.finish({ type: "abort" });
      signal?.addEventListener("abort", abort);
      turn.onClose(() => signal?.removeEventListener("abort", abort));
      turn.begin();
    },
    // The SDK cancels its reader when it stops.
    cancel: () => turn?.close(),
  });
}

/** The id that a question has now: a list of the server may have another question in its place. */
function createQuestion(questionId: string | undefined, renamed: Renamed): (snapshot: AgentSnapshot) => string | undefined {
  let wanted = questionId;
  // The last snapshot that had the question.
  let asked: AgentSnapshot | undefined;
  return (snapshot) => {
    if (wanted === undefined) return undefined;
    const last = lastQuestion(snapshot);
    if (hasQuestion(snapshot, wanted)) asked = snapshot;
    else if (asked && last !== undefined && !hasQuestion(asked, last)) renamed.set(questionId!, wanted = last);
    return wanted;
  };
}

/** Writes what the agent shows of a turn into a stream. */
class TurnStream {
  readonly #writer: ChunkWriter;
  readonly #offs: (() => void)[];
  #open = true;
  /** The agent has settled the request. */
  #settled = false;
  /** Calls that were answered are not shown as that yet. */
  #waits: boolean;
  #state: AgentSnapshot["state"];
  #interrupts: AgentSnapshot["interrupts"];

  constructor(
    private readonly agent: Agent,
    private readonly request: SdkRequest,
    private readonly question: (snapshot: AgentSnapshot) => string | undefined,
    private readonly controller: ReadableStreamDefaultController<UIMessageChunk>,
  ) {
    this.#writer = new ChunkWriter((chunk) => this.#open && controller.enqueue(chunk), request.before);
    this.#waits = !!request.answered?.length;
    ({ state: this.#state, interrupts: this.#interrupts } = agent.getSnapshot());
    this.#offs = [
      agent.subscribe(() => this.#look()),
      agent.on("error", (error) => this.#refused(error)),
      agent.on("warning", (warning) => /^(approval-|call-unknown)/.test(warning.code) && this.#refused(warning)),
      agent.on("custom", (event) => {
        // It stands after what came before it, which the snapshot does not have yet.
        agent.flush();
        this.#writer.data(event.type === "custom" ? event.name : event.type, event.data);
      }),
    ];
  }

  /** Asks the agent. */
  begin(): void {
    const { ask } = this.request;
    if (!ask) return this.#settle();
    // A call that makes no sense is rejected.
    ask().then(() => this.#settle(), (error: unknown) => this.finish({ type: "error", errorText: textOf(error) }));
    this.#look();
  }

  onClose(listener: () => void): void {
    this.#offs.push(listener);
  }

  /** Ends the stream. Returns false where it has ended before. */
  finish(chunk: UIMessageChunk): boolean {
    if (!this.#open) return false;
    this.#writer.end();
    this.controller.enqueue(chunk);
    this.close();
    this.controller.close();
    return true;
  }

  /** Nothing is written from now on. */
  close(): void {
    this.#open = false;
    for (const off of this.#offs) off();
  }

  #look(): void {
    const snapshot = this.agent.getSnapshot();
    this.#writer.write(turnAfter(snapshot, this.question(snapshot)));
    if (snapshot.state !== this.#state) this.#writer.data("state", this.#state = snapshot.state, "state");
    for (const interrupt of newInterrupts(snapshot.interrupts, this.#interrupts)) this.#writer.data("interrupt", interrupt, interrupt.id);
    this.#interrupts = snapshot.interrupts;
    const isOpen = (call: ToolCall): boolean => !!this.request.answered?.includes(call.id) && isUnanswered(call);
    if (this.#waits && !snapshot.toolCalls.some(isOpen)) this.#waits = false;
    if (this.#settled && !this.#waits && !isBusy(snapshot)) this.finish(lastOf(snapshot));
  }

  #settle(): void {
    if (!this.#open) return;
    this.#settled = true;
    this.agent.flush();
    this.#look();
  }

  /** An answer that the agent does not take. */
  #refused({ message }: { readonly message: string }): void {
    if (this.#waits) this.finish({ type: "error", errorText: message });
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** How a stream ends: as the last run did. */
function lastOf({ error, outcome, toolCalls }: AgentSnapshot): UIMessageChunk {
  if (error) return { type: "error", errorText: error.message };
  if (outcome === "aborted" || outcome === "cancelled") return { type: "abort" };
  return { type: "finish", finishReason: toolCalls.some(isUnanswered) ? "tool-calls" : "stop" };
}

// The client of a thread at the server, made of an agent and of what the page has already.

import type { AgentError, AgentErrorData } from "../api/error.js";
import type { AgentOptions, AgentSnapshot, Message, ResumeEntry, RunResult, SendReason, TransportRequest, TransportTarget } from "../api/types.js";
import type { Asking, RemoteClient, RequestInput } from "./client.js";

/** The helpers that this chunk receives from the page. */
export interface Kit {
  readonly AgentError: { new(data: AgentErrorData): AgentError; is(value: unknown): value is AgentError };
  answer(entry: ResumeEntry, run: RequestInput): unknown;
  edited(before: unknown, after: unknown, now: unknown): unknown;
  editedMessages<State>(before: readonly Message[], after: readonly Message[], at: AgentSnapshot<State>): AgentSnapshot<State>;
  messageKey(message: Message): string;
  messagesEdit(before: readonly Message[], after: readonly Message[]): unknown;
  toJson(value: unknown): string;
  toRunInput(options: AgentOptions): RequestInput;
  toTarget(options: AgentOptions, request: TransportRequest): TransportTarget | Promise<TransportTarget>;
  uuid(): string;
}

/** An agent, as far as this chunk knows it. */
export interface RemoteAgent<State> extends Pick<RemoteClient<State>, "options" | "emitter" | "disposed"> {
  readonly link: {
    readonly shared: { readonly home: { readonly at?: string | undefined }; readonly pending: { readonly list: readonly unknown[] } };
    busy(): boolean;
    live(): object | undefined;
    apply(edit: never): void;
  };
  readonly jobs: { start(run: never): Promise<RunResult>; join(runId: string): Promise<RunResult> };
  readonly saves: { use(): void; ready(): Promise<void> };
  readonly shown: { readonly first: AgentSnapshot<State>; confirmed(): AgentSnapshot<State>; show(): void };
  readonly remote: { prepare(reason: SendReason, input: Asking): Promise<unknown> | undefined };
}

/** The client of that agent. */
export function createClient<State>(kit: Kit, agent: RemoteAgent<State>): RemoteClient<State> {
  const { options, emitter, disposed, link, jobs, saves, shown, remote } = agent;
  const { confirmed: core, show: changed } = shown;
  const { AgentError, toJson } = kit;
  const currentOptions = (): AgentOptions => options() as AgentOptions;
  return {
    ...{ options, emitter, disposed, core, changed, uuid: kit.uuid, keyOf: kit.messageKey, isError: AgentError.is },
    use: () => saves.use(),
    ready: () => saves.ready(),
    busy: () => link.busy(),
    isOpen: () => !!link.live(),
    isRead: () => link.shared.home.at === "saved" && !link.shared.pending.list.length,
    begin: (id, json, opens) => jobs.start({ id, method: "submit", json, ifBusy: link.live() ? "drop" : "queue", quiet: true, opens } as never),
    join: (runId) => jobs.join(runId),
    answer: () => {
      const input = kit.toRunInput(currentOptions());
      const json = toJson({ ...input, messages: [], ifBusy: "drop" });
      remote.prepare("tool-results", input)?.catch(() => {});
      jobs.start({ id: input.runId, method: "submit", json, ifBusy: "drop" } as never).catch(() => {});
    },
    reply: (entry) => {
      jobs.start(kit.answer(entry, kit.toRunInput(currentOptions())) as never).catch(() => {});
    },
    first: () => (options().persist || options().restore ? core() : shown.first),
    edit: (before, after) => link.apply(kit.messagesEdit(before, after) as never),
    edited: (before, after, list) => kit.editedMessages(before, after, { ...core(), messages: list }).messages,
    editedState: (before, after, state) => kit.edited(before, after, state),
    input: () => kit.toRunInput(currentOptions()),
    target: async (request) => kit.toTarget(currentOptions(), request),
    error: (data) => new AgentError(data),
  };
}

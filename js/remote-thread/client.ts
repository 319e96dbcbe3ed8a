// The agent, as the thread at its server sees it: made of the agent and of what the page has already.

import type { AgentError, AgentErrorData } from "../api/error.js";
import type { AgentOptions, AgentSnapshot, AgentWarning, Message, ResumeEntry, RunResult } from "../api/types.js";
import type { SendReason, TransportRequest, TransportTarget } from "../api/types.js";

/** The input that goes with every request. */
export interface RequestInput {
  readonly runId: string;
  readonly tools: readonly unknown[];
  readonly context: readonly unknown[];
  readonly forwardedProps: unknown;
}

/** The input of a run that is asked for; it may be changed before. */
export interface Asking extends Partial<RequestInput> {
  readonly runId: string;
  messages?: readonly Message[];
  replaces?: string | undefined;
  ifBusy?: "queue" | "replace" | "drop" | "reject" | "steer" | undefined;
  newMessageId?: string;
}

/** The helpers that this chunk receives from the page. */
export interface Kit {
  readonly AgentError: { new(data: AgentErrorData): AgentError; is(value: unknown): value is AgentError };
  answer(entry: ResumeEntry, run: RequestInput): unknown;
  edited(before: unknown, after: unknown, now: unknown): unknown;
  editedMessages<State>(before: readonly Message[], after: readonly Message[], at: AgentSnapshot<State>): AgentSnapshot<State>;
  keepShown<State>(shown: AgentSnapshot<State>, next: AgentSnapshot<State>): AgentSnapshot<State>;
  messageKey(message: Message): string;
  messagesEdit(before: readonly Message[], after: readonly Message[]): unknown;
  toJson(value: unknown): string;
  toRunInput(options: AgentOptions): RequestInput;
  toTarget(options: AgentOptions, request: TransportRequest): TransportTarget | Promise<TransportTarget>;
  uuid(): string;
}

/** An agent, as far as this chunk knows it. */
export interface RemoteAgent<State> {
  options(): AgentOptions<State>;
  disposed(): boolean;
  readonly emitter: {
    emit(name: "error", error: AgentError): void;
    emit(name: "warning", warning: AgentWarning): void;
  };
  readonly link: {
    readonly shared: {
      readonly home: { readonly at?: string | undefined; readonly last?: string | undefined };
      readonly pending: { readonly list: readonly { readonly run?: { readonly id: string } | undefined }[] };
    };
    busy(): boolean;
    live(): object | undefined;
    apply(edit: never): void;
  };
  readonly jobs: { start(run: never): Promise<RunResult>; join(runId: string): Promise<RunResult> };
  readonly saves: { use(): void; ready(): Promise<void> };
  readonly shown: { readonly first: AgentSnapshot<State>; confirmed(): AgentSnapshot<State>; restored(saved: never): AgentSnapshot<State>; show(): void };
  readonly remote: { prepare(reason: SendReason, input: Asking): Promise<unknown> | undefined };
}

/** An agent whose server keeps the thread. */
export type RemoteClient<State> = ReturnType<typeof createClient<State>>;

/** How errors of the agent are made. */
export type Errors = Pick<RemoteClient<unknown>, "error" | "isError">;

/** The client of that agent. */
export function createClient<State>(kit: Kit, agent: RemoteAgent<State>) {
  const { options, emitter, disposed, link, jobs, saves, shown, remote } = agent;
  const { AgentError, toJson } = kit;
  const currentOptions = (): AgentOptions => options() as AgentOptions;
  /** Returns the input that a request would carry now. */
  const input = (): RequestInput => kit.toRunInput(currentOptions());
  const begin = (run: object): Promise<RunResult> => jobs.start({ method: "submit", ...run } as never);
  return {
    ...{ options, emitter, disposed, input, uuid: kit.uuid, keyOf: kit.messageKey, isError: AgentError.is, editedState: kit.edited },
    /** Returns the core's snapshot, without the hidden messages of a run that opens the thread. */
    core: shown.confirmed,
    /** Called when the shown snapshot may have changed. */
    changed: shown.show,
    /** Asks for the store, which another tab may have. */
    use: () => saves.use(),
    /** The store is this page's, and a save on its way has come. */
    ready: () => saves.ready(),
    /** Whether a run is in progress, or the core has yet to do what was called. */
    busy: () => link.busy(),
    /** Whether the core is there. */
    isOpen: () => !!link.live(),
    /** Whether what is shown is a save as it was read. */
    isRead: () => link.shared.home.at === "saved" && !link.shared.pending.list.length,
    /** The runs that wait for the core. */
    waiting: () => link.shared.pending.list.flatMap(({ run }) => run?.id ?? []),
    /** Begins a run that nobody has asked for, with this submit. `opens`: a save that the core begins with as one that has the run as its first. */
    begin: (id: string, json: string, opens: (save: string) => string) => begin({ id, json, ifBusy: link.live() ? "drop" : "queue", quiet: true, opens }),
    /** Joins a run that continues at the server. */
    join: (runId: string) => jobs.join(runId),
    /** Runs the agent with the results that the thread has. */
    answer: () => {
      const run = input();
      remote.prepare("tool-results", run)?.catch(() => {});
      begin({ id: run.runId, json: toJson({ ...run, messages: [], ifBusy: "drop" }), ifBusy: "drop" }).catch(() => {});
    },
    /** Replies to an interrupt, for a run that begins once each one has its reply. */
    reply: (entry: ResumeEntry) => {
      jobs.start(kit.answer(entry, input()) as never).catch(() => {});
    },
    /** Returns the beginning of the agent: a save, or what its options say. */
    first: () => (options().persist || options().restore ? shown.confirmed() : shown.first),
    /** Returns the thread that the core has, or begins with: what is shown may have a part of an answer that was lost with a core. */
    begun: (): AgentSnapshot<State> => {
      const { at, last } = link.shared.home;
      const confirmed = shown.confirmed();
      return at === "saved" ? kit.keepShown(confirmed, shown.restored(JSON.parse(last!) as never)) : confirmed;
    },
    /** Changes the messages by hand, by what makes the first list the second one. */
    edit: (before: readonly Message[], after: readonly Message[]) => link.apply(kit.messagesEdit(before, after) as never),
    /** Applies to a third list the edit that leads from the first list to the second. */
    edited: (before: readonly Message[], after: readonly Message[], messages: readonly Message[]) =>
      kit.editedMessages(before, after, { ...shown.confirmed(), messages }).messages,
    /** The thread before it is opened. */
    thread: shown.first.thread,
    /** Where a request goes, as the options say. */
    target: async (request: TransportRequest) => kit.toTarget(currentOptions(), request),
    error: (data: AgentErrorData) => new AgentError(data),
  };
}

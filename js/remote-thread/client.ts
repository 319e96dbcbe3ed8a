// The agent, as the thread at its server sees it.

import type { AgentError, AgentErrorData } from "../api/error.js";
import type { AgentOptions, AgentSnapshot, AgentWarning, Message, ResumeEntry, RunResult, TransportRequest, TransportTarget } from "../api/types.js";

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
  ifBusy?: "queue" | "replace" | "drop" | "reject";
  newMessageId?: string;
}

/** How errors of the agent are made. */
export interface Errors {
  error(data: AgentErrorData): AgentError;
  isError(value: unknown): value is AgentError;
}

/** An agent whose server keeps the thread. */
export interface RemoteClient<State> extends Errors {
  options(): AgentOptions<State>;
  /** Returns the core's snapshot, without the hidden messages of a run that opens the thread. */
  core(): AgentSnapshot<State>;
  readonly emitter: {
    emit(name: "error", error: AgentError): void;
    emit(name: "warning", warning: AgentWarning): void;
  };
  disposed(): boolean;
  /** Asks for the store, which another tab may have. */
  use(): void;
  /** The store is this page's, and a save on its way has come. */
  ready(): Promise<void>;
  /** Whether a run is in progress, or the core has yet to do what was called. */
  busy(): boolean;
  /** Whether the core is there. */
  isOpen(): boolean;
  /** Whether what is shown is a save as it was read. */
  isRead(): boolean;
  /** Begins a run that nobody has asked for, with this submit. `opens`: a save that the core begins with as one that has the run as its first. */
  begin(id: string, json: string, opens: (save: string) => string): Promise<RunResult>;
  /** Joins a run that continues at the server. */
  join(runId: string): Promise<RunResult>;
  /** Runs the agent with the results that the thread has. */
  answer(): void;
  /** Replies to an interrupt, for a run that begins once each one has its reply. */
  reply(entry: ResumeEntry): void;
  /** Returns the beginning of the agent: a save, or what its options say. */
  first(): Pick<AgentSnapshot<State>, "messages" | "state">;
  /** Changes the messages by hand, by what makes the first list the second one. */
  edit(before: readonly Message[], after: readonly Message[]): void;
  /** Returns the input that a request would carry now. */
  input(): RequestInput;
  /** Where a request goes, as the options say. */
  target(request: TransportRequest): TransportTarget | Promise<TransportTarget>;
  /** Called when the shown snapshot may have changed. */
  changed(): void;
  /** Applies to a third list the edit that leads from the first list to the second. */
  edited(before: readonly Message[], after: readonly Message[], list: readonly Message[]): readonly Message[];
  /** The same of a state. */
  editedState(before: unknown, after: unknown, state: unknown): unknown;
  uuid(): string;
  keyOf(message: Message): string;
}

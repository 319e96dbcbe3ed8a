// The saves of an agent: what a store gives the agent.

import type { AgentWarning } from "./agent.js";
import type { AgentError } from "./error.js";
import type { CommonOptions } from "./options.js";
import type { SavedAgent } from "./saving.js";
import type { AgentSnapshot } from "./snapshot.js";

/** The saves of an agent, of the application's or of a store; where it has neither, it begins with nothing. */
export interface Saves {
  /** Shows the save, or asks for it. */
  begin(): void;
  /** A save on its way has come. */
  ready(): Promise<void>;
  /** Somebody uses the agent. */
  use(): void;
  /** Called when the snapshot has changed. */
  changed(): void;
  /** No agent of the thread is there. */
  alone(): void;
  /** No run is in progress. */
  rest(): void;
  /** The end of a run is told. */
  ended(): void;
  /** Why no run may be sent now and no call executed, if so. */
  refusal(): AgentError | undefined;
  /** Saves the agent as it is. */
  save(): void;
  /** The core wants this written, as in `Client.save`. */
  write(json: string, done: () => void, changes?: string): void;
  /** This save cannot be used, as in `Client.quarantine`. */
  quarantine(json: string): void;
  /** The thread is another one. */
  renew(): void;
  dispose(): void;
}

/** The options that are about saves. */
export type SavesOptions = Pick<CommonOptions, "persist" | "threadId" | "restore" | "saving" | "resume" | "autoAttach">;

/** The part of it that comes with the core. */
interface SavesParts {
  readonly calls: { unclaimed(): boolean; works(): boolean };
  stopped(at: AgentSnapshot<unknown>): AgentSnapshot<unknown>;
}

/** Something that is pending: whether it needs a session, and what it changes of a submit that waits. */
interface PendingPart {
  readonly acts?: boolean | undefined;
  readonly runId?: string;
  readonly waiting?: string;
}

/** The state of the link, as a suspension changes it. */
interface SharedState {
  home: { readonly at?: string | undefined; readonly last?: string | undefined; readonly live?: { end(): void } | undefined };
  readonly pending: {
    readonly list: readonly PendingPart[];
    confirmed(): AgentSnapshot<unknown>;
    /** After the thread: what is pending, and of that the submits that wait, and what was decided, as a save has them. */
    parted(): readonly [unknown, list: readonly PendingPart[], queue: readonly object[], acts: readonly object[]];
    end(shown?: AgentSnapshot<unknown>, still?: readonly unknown[]): void;
    show(on?: AgentSnapshot<unknown>): void;
  };
  settleAll(outcome: "disconnected" | "aborted"): void;
}

/** The thread that the saves are of. */
export interface SavesClient {
  options(): SavesOptions;
  read(): { readonly error?: { readonly code?: string | undefined } | undefined };
  disposed(): boolean;
  readonly emitter: {
    emit(name: "warning", warning: AgentWarning): void;
  };
  readonly members: { watched(): boolean; present(): readonly unknown[] };
  readonly shown: { readonly first: Pick<SavedAgent, "messages" | "state"> };
  readonly jobs: { rejoin(runId: string): void };
  /** The calls of the page, once the core has come. */
  readonly source: { parts(): SavesParts | undefined };
  readonly channel: { readonly current: { close(): void } | undefined; reconnect(): void } | undefined;
  /** The thread at the server: a run that opens it is in no save, and keeps the store with its page. */
  readonly remote: { readonly thread: { isBusy(): boolean; hasFailed(): boolean; leave(): void } | undefined };
  /** The link to the core, which says more of these. */
  readonly link: {
    load(): Promise<void>;
    live(): object | undefined;
    busy(): boolean;
    save(): string;
    awaitSave(): void;
    restore(shown?: undefined, json?: string): void;
    readonly shared: SharedState;
  };
}

/** How an agent begins. */
export interface Beginning {
  /** Shows a save, if it is one, and continues from it: from nothing without one. Throws if it is of no use. */
  show(value: unknown, text?: string): void;
  /** Reports that there is none that could be used. */
  refuse(cause: unknown): void;
}

/** Opens the saves of an agent. Comes with a store. */
export type OpenSaves = (options: SavesOptions, agent: SavesClient, beginning: Beginning) => Saves;

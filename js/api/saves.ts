// The saves of an agent: what a store gives the agent.

import type { AgentWarning } from "./agent.js";
import type { AgentError } from "./error.js";
import type { CommonOptions } from "./options.js";
import type { SavedAgent } from "./saving.js";

/** The saves of an agent, of the application's or of a store; where it has neither, it begins with nothing. */
export interface Saves {
  /** Shows the save, or asks for it. */
  begin(): void;
  /** A save on its way has come. */
  ready(): Promise<void>;
  /** Somebody uses the agent; `acts`: in a way that changes something. */
  use(acts: boolean): void;
  /** What is shown has changed. */
  changed(): void;
  /** No run is in progress. */
  rest(): void;
  /** The agent owns its save, or has none to own. */
  owns(): boolean;
  /** Why no run may be sent now and no call executed, if so. */
  refusal(): AgentError | undefined;
  /** Saves the agent as it is. */
  save(): void;
  /** The core wants this written, as in `Client.save`. */
  write(json: string, holds: boolean, done: () => void): void;
  /** The thread is another one. */
  renew(): void;
  dispose(): void;
}

/** What of the options is about saves. */
export type SavesOptions = Pick<CommonOptions, "persist" | "restore" | "saving" | "resume" | "autoAttach">;

/** The agent that the saves are of. */
export interface SavesClient {
  options(): SavesOptions;
  disposed(): boolean;
  readonly emitter: {
    on(name: "finish", listener: () => void): () => void;
    emit(name: "warning", warning: AgentWarning): void;
  };
  readonly view: { watched(): boolean; readonly first: Pick<SavedAgent, "messages" | "state"> };
  readonly runs: { rejoin(runId: string): void };
  readonly line: { readonly current: { close(): void } | undefined; reconnect(): void } | undefined;
  /** The thread at the server: a run that opens it is in no save. */
  readonly remote: { readonly thread: { saved(json: string): string } | undefined };
  /** The link to the core, which says more of these. */
  readonly link: {
    load(): Promise<void>;
    open(): boolean;
    busy(): boolean;
    save(): string;
    awaitSave(): void;
    suspend(): string;
    strand(): string | undefined;
  };
}

/** How an agent begins. */
export interface Beginning {
  /** Shows a save, if it is one, and continues from it: from nothing without one. Throws if it is of no use. */
  show(value: unknown, text?: string): void;
  /** There is none that could be used. */
  refuse(cause: unknown): void;
}

/** What comes with a store: how an agent is saved there. */
export type OpenSaves = (given: SavesOptions, agent: SavesClient, beginning: Beginning) => Saves;

// Files that go with a message, and the submit that waits for them.

import type { RunResult, SubmitInput } from "./agent.js";
import type { AgentSnapshot } from "./snapshot.js";

/** A file of the composer, or of a submit that waits for it. Immutable: one that did not change keeps its identity. */
export interface Attachment {
  readonly id: string;
  /** The file's name without its path, without control and direction characters, at most 255 characters long. */
  readonly name: string;
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
  /** The kind of its content part. */
  readonly kind: "image" | "audio" | "video" | "document";
  readonly status: "uploading" | "ready" | "error";
  /** From 0 to 1. */
  readonly progress: number;
  /** `lost`: it was restored from a save that was made before the upload had ended; the page has to give the file again. */
  readonly error?: "too-large" | "type" | "upload" | "lost";
  /** Why the upload failed. */
  readonly message?: string;
  /** An object URL of the file, while it is here: for the preview of an image, for example. */
  readonly previewUrl?: string;
}

/** An agent, as what holds its submits sees it. */
export interface HoldingAgent {
  /** Shows what `fold` makes of a snapshot. The holder is asked about every other submit. Without both nothing is held. */
  hold(fold?: <State>(at: AgentSnapshot<State>) => AgentSnapshot<State>, holder?: SubmitHolder): void;
}

/** Holds submits until their content is there. `createAttachments` makes one. */
export interface SubmitHolder {
  /**
   * Submits with `submit` once the parts are there, after what is held already. Without parts of its own it is a submit that comes
   * after one that is held.
   */
  hold<State>(agent: HoldingAgent, input: SubmitInput<State>, submit: (input: SubmitInput<State>) => Promise<RunResult>): Promise<RunResult>;
  /** Takes a submit back that is held: all of this agent without an id. False: it is not held here. */
  cancel(agent: HoldingAgent, id?: string): boolean;
}

// A connection that is kept open over several answers: what a transport gives the agent.

import type { AgentError } from "./error.js";
import type { AgentOptions } from "./options.js";
import type { Connection } from "./snapshot.js";
import type { KeepOpenOptions, RetryOptions, RunTarget, TransportRequest, TransportTarget } from "./transport.js";

/** One connection, while it lasts. */
export interface Wire {
  /** Resolves once something can be sent. */
  readonly opened: Promise<void>;
  /** Its frames as the body of a response, each a piece of its own. */
  readonly response: Promise<Response>;
  /** Sends a text. Resolves with the server's response, if the server sends one beside the frames, or with `false` if the text was not sent. */
  send(text: string): boolean | Promise<Response>;
  /** Nothing can be sent, and messages go another way. */
  readonly mute?: boolean;
}

/** The events of a wire other than its frames. */
export interface WireEvents {
  /** It is open, for the first time or again. */
  opened(): void;
  /** It is lost, and is being opened again by itself. */
  paused(): void;
}

/** How a transport opens a wire. */
export type OpenWire = (request: TransportRequest, signal: AbortSignal, events: WireEvents) => Promise<Wire>;

/** The part of a transport whose connections are kept open. */
export interface ChannelSource {
  readonly settings: KeepOpenOptions;
  readonly open: OpenWire;
  /** Loads what makes one, which is a chunk of its own. */
  create(client: ChannelClient): Promise<Channel>;
}

/** The agent that a channel is for. */
export interface ChannelClient {
  /** As it is now, for a transport may be replaced. */
  source(): ChannelSource | undefined;
  options(): AgentOptions;
  run(): RunTarget;
  /** Frames wait that no run takes. */
  unread(): void;
  /** Whether another message waits for this run to end. */
  overtaken(): boolean;
  changed(): void;
  /** It is lost for good, between two answers. */
  failed(error: AgentError): void;
  readonly kit: PageKit;
}

/** The page's helpers that the chunk of a channel receives. */
export interface PageKit {
  readonly AgentError: typeof AgentError;
  /** Objects that may not be collected. */
  readonly retained: Set<object>;
  /** Calls a function of the application's, whose error goes no further. */
  call(listener: () => void): void;
  /** The option `retry` with its defaults. */
  retryTimes(retry: AgentOptions["retry"]): { readonly [Name in Exclude<keyof RetryOptions, "posts">]-?: number };
  /** Gives the methods of the object, without holding it. */
  weakly<Target extends object>(target: Target): Target;
  /** Calls back when the object has been collected. */
  whenCollected(target: object, end: () => void): void;
}

/** Frames that wait to be read. */
export interface Unread {
  /** The last answer ended with a pause, and nobody has asked anything since. */
  readonly continues: boolean;
  /** There is text among it, and not only what happens beside it. */
  readonly hasText: boolean;
}

/** A connection that is kept open. */
export interface Channel {
  state(): Omit<Connection, "lastEventId">;
  /** The way of a run. */
  target(request: TransportRequest): TransportTarget;
  /** Opens it. Rejects when it is given up. `holds`: somebody listens. */
  connect(holds: boolean): Promise<void>;
  unread(): Unread | undefined;
  /** The answer is over: the user says something else. */
  endAnswer(): void;
  send(text: string): boolean | Promise<Response>;
  /** The network is back. */
  online(): void;
  /** No run is in progress. */
  rest(): void;
  close(): void;
}

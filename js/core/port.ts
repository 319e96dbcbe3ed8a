// The port to a core: a core in this page is one itself; worker mode has one of its own (js/worker/link.ts).

import type { Host, Session } from "../glue/core.js";
import type { Core } from "./loader.js";

/** A session that performs what follows from a call. */
export interface OpenSession extends Session {
  /** Calls the session, then performs all that follows. False if it was lost over it, which the host hears of. Throws what the call throws. */
  enter(entry?: (session: Session) => void): boolean;
  /** Ends what it works on, and begins nothing: it is lost. A core that has trapped is not called for that. */
  abandon(): void;
}

/** The host of a session. */
export interface SessionHost extends Host {
  /** Without a number it is only noted. */
  save(number: number | undefined, part: boolean, json: string): void;
  /** The session is lost; `died`: with its worker. False if it was the home of the thread no longer. */
  lost(cause: unknown, died?: boolean): boolean;
}

/** Opens sessions of a core that answers later. */
export interface RemotePort {
  /** A session that begins with these settings, these messages and this state, each JSON text. */
  open(options: string, messages: string | undefined, state: string | undefined, host: SessionHost): OpenSession;
  /** Whether it leads nowhere any longer: another one has to be asked for. */
  gone(): boolean;
}

/** Where sessions are opened. */
export type Port = RemotePort | (Core & { readonly gone?: undefined });

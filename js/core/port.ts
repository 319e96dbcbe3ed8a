// The port to a core: where sessions are opened. The page's is here; worker mode has one of its own (js/worker/link.ts).

import type { CoreSession, Host, Session } from "../glue/core.js";
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

/** Joins a session of the core with its host (driver.ts, which comes beside the core). */
export type Drive = (core: CoreSession, host: Host) => OpenSession;

/** Opens sessions. */
export interface Port {
  /** A session that begins with these settings, these messages and this state, each JSON text. `drive` opens one of a core in this page. */
  open(options: string, messages: string | undefined, state: string | undefined, host: SessionHost, drive: Drive): OpenSession;
  /** Whether it leads nowhere any longer: another one has to be asked for. */
  gone?(): boolean;
}

/** The port to a core in this page. */
export const portTo = ({ CoreSession }: Core): Port => ({
  open: (options, messages, state, host, drive) => drive(new CoreSession(options, messages, state), host),
});

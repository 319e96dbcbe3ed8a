// The port to a core: where sessions are opened. The page's is here; worker mode has one of its own (js/worker/link.ts).

import type { Host, Session } from "../glue/core.js";
import type { Core } from "./loader.js";

/** Opens sessions. */
export interface Port {
  /** A session that begins with these settings, these messages and this state, each JSON text. It calls the host. */
  open(options: string, messages: string | undefined, state: string | undefined, host: Host): Session;
  /** Whether it leads nowhere any longer: another one has to be asked for. */
  gone?(): boolean;
}

/** The port to a core in this page. */
export const portTo = ({ Session }: Core): Port => ({ open: (...args) => new Session(...args) });

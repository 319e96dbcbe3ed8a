// What the parts of an agent know of it and of one another. Each takes a `Pick` of this; agent.ts makes it.

import type { Saves } from "../api/saves.js";
import type { AgentOptions, AgentSnapshot } from "../api/types.js";
import type { Emitter } from "../base/emitter.js";
import type { Link } from "../core/client.js";
import type { SessionOptions } from "../glue/core.js";
import type { Source } from "./beside.js";
import type { History } from "./history.js";
import type { KeptLine } from "./kept-line.js";
import type { Remote } from "./remote.js";
import type { Runs } from "./runs.js";
import type { View } from "./view.js";

/** An agent, as its parts see it. */
export interface Self<State> {
  /** To be read at the time of every call, so that a binding can keep callbacks and headers fresh. */
  options(): AgentOptions<State>;
  /** What is shown. */
  read(): AgentSnapshot<State>;
  disposed(): boolean;
  readonly settings: SessionOptions;
  readonly emitter: Emitter;
  /** Once there is a checkpoint. */
  readonly history: History<State> | undefined;
  readonly view: View<State>;
  readonly link: Link<State>;
  /** Of a transport that keeps one, once it is needed. */
  readonly line: KeptLine<State> | undefined;
  /** The same, made if there is none yet. What makes it comes with the core. */
  keepLine(): KeptLine<State>;
  readonly runs: Runs<State>;
  readonly saves: Saves;
  readonly remote: Remote<State>;
  /** What comes beside the core. */
  readonly source: Pick<Source<unknown>, "beside" | "parts">;
  /** Throws once the agent is disposed of. */
  alive(): void;
  /** Before anything that changes something. */
  act(): void;
}

// The parts of an agent, as they see each other. Each takes a `Pick` of this; agent.ts makes it.

import type { AgentOptions, AgentSnapshot } from "../api/types.js";
import type { Emitter } from "../base/emitter.js";
import type { Member } from "../thread/members.js";
import type { Thread } from "./thread.js";
import type { View } from "./view.js";

/** An agent, as its parts see it. */
export interface Self<State> {
  readonly thread: Thread<State>;
  readonly member: Member<State>;
  /** To be read at the time of every call, so that a binding can keep callbacks and headers fresh. */
  options(): AgentOptions<State>;
  /** Returns the snapshot. */
  read(): AgentSnapshot<State>;
  disposed(): boolean;
  readonly emitter: Emitter;
  readonly view: View<State>;
  /** Throws once the agent is disposed of. */
  alive(): void;
  /** Before anything that changes something. */
  act(): void;
}

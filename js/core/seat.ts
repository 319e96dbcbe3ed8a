// A session of a link, as its parts see it and each other: its host, its calls, the ends of its runs.

import type { Cause } from "./cause.js";
import type { Checks } from "./checks.js";
import type { LinkClient, LinkState, Live, OpenHome } from "./client.js";
import type { Patches } from "./patches.js";
import type { SessionHost } from "./port.js";

/** A session that is, or was, the home of a thread. */
export interface Seat<State> extends Pick<Live<State>, "ask" | "flush"> {
  readonly client: LinkClient<State>;
  readonly shared: LinkState<State>;
  /** The home that it is, if it is. */
  home(): OpenHome<State> | undefined;
  /** Whether its changes are shown as they come. */
  shows(): boolean;
  /** It has said this save, or what has changed since. Returns its home, if it is one. */
  said(json: string, part?: boolean): OpenHome<State> | undefined;
  /** Does it once the snapshot shows all that has led to it. */
  onceShown(action: () => void): void;
  live(): object;
  readonly cause: Cause;
  readonly checks: Checks<State> | undefined;
  readonly patches: Patches;
  readonly task: SessionHost["task"];
  readonly fail: SessionHost["lost"];
}

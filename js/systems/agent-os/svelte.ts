// agentOS in Svelte: stores that read a list of frames. They see frames only, never rows of a ledger.

import { derived, readable, type Readable } from "svelte/store";
import { createFrameStore, type FrameStore } from "./store.js";
import type { Frame } from "./types.js";
import { type Activity, activitiesOf, type Reduction, reduceFrames } from "./views.js";

/** A store of frames, with what it holds as Svelte's stores. */
export interface SvelteFrameStore {
  /** The store that takes the frames. */
  readonly store: FrameStore;
  readonly frames: Readable<readonly Frame[]>;
  /** The run that the frames describe. */
  readonly projection: Readable<Reduction>;
  /** Everything that the frames describe, in order. */
  readonly activities: Readable<readonly Activity[]>;
}

/**
 * A store of frames for components: `$projection` and `$activities` follow it.
 *
 * @example
 * const { store, projection } = createAgUiSvelteFrameStore();
 * agent.on("event", (event) => store.append(event as Frame));
 */
export function createAgUiSvelteFrameStore(initial: Iterable<Frame> = []): SvelteFrameStore {
  const store = createFrameStore(initial);
  const following = <Value>(read: () => Value): Readable<Value> =>
    readable(read(), (set) => {
      set(read());
      return store.subscribe(() => set(read()));
    });
  return { store, frames: following(store.getFrames), projection: following(store.getSnapshot), activities: following(store.getActivities) };
}

/**
 * The run that a store's frames describe.
 *
 * @example
 * const projection = agUiProjectionReadable(frames);
 */
export function agUiProjectionReadable(frames: Readable<readonly Frame[]>): Readable<Reduction> {
  return derived(frames, reduceFrames);
}

/**
 * Everything that a store's frames describe, in order.
 *
 * @example
 * const activities = agUiActivitiesReadable(frames);
 */
export function agUiActivitiesReadable(frames: Readable<readonly Frame[]>): Readable<readonly Activity[]> {
  return derived(frames, activitiesOf);
}

import { createListeners } from "../../base/listeners.js";
import type { Frame } from "./types.js";
import { frameReducer, type Reduction } from "./views.js";

/** A list of frames that notifies its listeners of changes. */
export interface FrameStore {
  /** Reduces the frames. The same object until they change. */
  getSnapshot(): Reduction;
  /** The frames. The same list until they change. */
  getFrames(): readonly Frame[];
  /** Tells of every call that changes something, once, though it may have added nothing. Returns how to end it. */
  subscribe(listener: () => void): () => void;
  append(frame: Frame): void;
  appendMany(frames: Iterable<Frame>): void;
  /** Begins anew, with these frames. */
  reset(frames?: Iterable<Frame>): void;
}

/**
 * A store of frames, in the shape that React's `useSyncExternalStore` takes.
 *
 * @example
 * const store = createFrameStore();
 * agent.on("event", (event) => store.append(event as Frame));
 * const run = useSyncExternalStore(store.subscribe, store.getSnapshot);
 */
export function createFrameStore(initial: Iterable<Frame> = []): FrameStore {
  let all: Frame[] = [...initial];
  let reducer = frameReducer();
  /** How many frames it has reduced. */
  let reduced = 0;
  // A list that was handed out is not changed later.
  let frames: readonly Frame[] | undefined;
  let snapshot: Reduction | undefined;
  const listeners = createListeners();
  const notify = (): void => {
    frames = snapshot = undefined;
    listeners.notify();
  };
  const reduce = (): Reduction => {
    for (; reduced < all.length; reduced++) reducer.take(all[reduced]!);
    return reducer.read();
  };
  return {
    getSnapshot: () => (snapshot ??= reduce()),
    getFrames: () => (frames ??= all.slice()),
    subscribe: listeners.subscribe,
    append: (frame) => {
      all.push(frame);
      notify();
    },
    appendMany: (more) => {
      // All of them or, where reading them throws, none.
      for (const frame of [...more]) all.push(frame);
      notify();
    },
    reset: (next = []) => {
      all = [...next];
      reducer = frameReducer();
      reduced = 0;
      notify();
    },
  };
}

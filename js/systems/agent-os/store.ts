import { createListeners } from "../../base/listeners.js";
import type { Frame } from "./types.js";
import { frameReducer, type Reduction } from "./views.js";

/** A list of frames that notifies its listeners of changes. */
export type FrameStore = ReturnType<typeof createFrameStore>;

/**
 * A store of frames, in the shape that React's `useSyncExternalStore` takes.
 *
 * @example
 * const store = createFrameStore();
 * agent.on("event", (event) => store.append(event as Frame));
 * const run = useSyncExternalStore(store.subscribe, store.getSnapshot);
 */
export function createFrameStore(initial: Iterable<Frame> = []) {
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
    /** Reduces the frames. The same object until they change. */
    getSnapshot: (): Reduction => (snapshot ??= reduce()),
    /** The frames. The same list until they change. */
    getFrames: (): readonly Frame[] => (frames ??= all.slice()),
    /** Tells of every call that changes something, once, though it may have added nothing. Returns how to end it. */
    subscribe: listeners.subscribe,
    append: (frame: Frame): void => {
      all.push(frame);
      notify();
    },
    appendMany: (more: Iterable<Frame>): void => {
      // All of them or, where reading them throws, none.
      for (const frame of [...more]) all.push(frame);
      notify();
    },
    /** Begins anew, with these frames. */
    reset: (next: Iterable<Frame> = []): void => {
      all = [...next];
      reducer = frameReducer();
      reduced = 0;
      notify();
    },
  };
}

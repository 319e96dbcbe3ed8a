import type { Frame } from "./types.js";
import { type Reduction, reduceFrames } from "./views.js";

/** A list of frames that tells when it has changed. */
export interface FrameStore {
  /** What the frames come to. The same object until they change. */
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
  let frames: readonly Frame[] = [...initial];
  let snapshot: Reduction | undefined;
  const listeners = new Set<{ listener: () => void }>();
  const set = (next: readonly Frame[]): void => {
    frames = next;
    snapshot = undefined;
    for (const entry of [...listeners]) if (listeners.has(entry)) entry.listener();
  };
  return {
    getSnapshot: () => (snapshot ??= reduceFrames(frames)),
    getFrames: () => frames,
    subscribe: (listener) => {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    append: (frame) => set([...frames, frame]),
    appendMany: (more) => set([...frames, ...more]),
    reset: (next = []) => set([...next]),
  };
}

import { createListeners } from "../../base/listeners.js";
import type { Frame } from "./types.js";
import { Activities, frameReducer, type Activity } from "./views.js";

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
  // A list that was handed out is not changed later.
  let frames: readonly Frame[] | undefined;
  const run = createReading(() => all, frameReducer);
  const activities = createReading<readonly Activity[]>(() => all, () => new Activities());
  const listeners = createListeners();
  const notify = (anew = false): void => {
    frames = undefined;
    run.changed(anew);
    activities.changed(anew);
    listeners.notify();
  };
  return {
    /** Reduces the frames. The same object until they change. */
    getSnapshot: run.read,
    /** Everything that the frames describe, in order. The same list until they change. */
    getActivities: activities.read,
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
      notify(true);
    },
  };
}

/** A view of frames, which takes each of them once. */
function createReading<Value>(frames: () => readonly Frame[], create: () => { take(frame: Frame): void; read(): Value }) {
  let view = create();
  let taken = 0;
  let value: Value | undefined;
  return {
    read: (): Value => {
      for (const all = frames(); taken < all.length; taken++) view.take(all[taken]!);
      return (value ??= view.read());
    },
    /** There are more, or others, which are taken from the first on. */
    changed: (anew: boolean): void => {
      value = undefined;
      if (anew) [view, taken] = [create(), 0];
    },
  };
}

"use client";
// agentOS in React: hooks that read a list of frames, or a store of them. They see frames only, never rows of a ledger.

import { useMemo, useSyncExternalStore } from "react";
import type { FrameStore } from "./store.js";
import type { Frame } from "./types.js";
import { type Activity, activitiesOf, type Reduction, reduceFrames } from "./views.js";

export { createFrameStore, createFrameStore as createAgUiReactFrameStore } from "./store.js";
export type { FrameStore } from "./store.js";

/**
 * The run that a store's frames describe. Renders again when they change.
 *
 * @example
 * const store = useMemo(() => createFrameStore(), []);
 * const { status, text } = useAgUiFrameStore(store);
 */
export function useAgUiFrameStore(store: FrameStore): Reduction {
  return useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
}

/**
 * The run that frames describe, computed once for a list of them.
 *
 * @example
 * const { text, toolCalls } = useAgUiProjection(frames);
 */
export function useAgUiProjection(frames: readonly Frame[]): Reduction {
  return useMemo(() => reduceFrames(frames), [frames]);
}

/**
 * Everything that frames describe, in order, computed once for a list of them.
 *
 * @example
 * const activities = useAgUiActivities(frames);
 */
export function useAgUiActivities(frames: readonly Frame[]): readonly Activity[] {
  return useMemo(() => activitiesOf(frames), [frames]);
}

// Compares two values of the state. The same object has not changed: snapshots share it.

import type { JsonObject } from "../../api/protocol.js";
import { isObject } from "../../base/json.js";
import { preview } from "./text.js";

/** One place of the state that has changed, with short JSON of what was there and what is. */
export interface Difference {
  /** A JSON Pointer. */
  readonly path: string;
  /** Absent: there was nothing. */
  readonly before?: string;
  /** Absent: there is nothing. */
  readonly after?: string;
}

/** Differences of one change that are listed, and levels that are looked into. */
const maxDifferences = 100;
const maxDepth = 64;

/** The places that differ, at most a hundred; `more` says that there are others. */
export function diff(before: unknown, after: unknown): { readonly differences: readonly Difference[]; readonly more: boolean } {
  const differences: Difference[] = [];
  let more = false;

  const note = (path: string, old: { value: unknown } | undefined, next: { value: unknown } | undefined): void => {
    if (differences.length >= maxDifferences) more = true;
    else differences.push({ path, ...(old && { before: preview(old.value) }), ...(next && { after: preview(next.value) }) });
  };
  const compare = (path: string, old: unknown, next: unknown, depth: number): void => {
    if (old === next || more) return;
    if (depth < maxDepth && Array.isArray(old) && Array.isArray(next)) lists(path, old, next, depth);
    else if (depth < maxDepth && isObject(old) && isObject(next)) objects(path, old, next, depth);
    else note(path, { value: old }, { value: next });
  };
  const objects = (path: string, old: JsonObject, next: JsonObject, depth: number): void => {
    for (const key of Object.keys(old)) {
      const at = `${path}/${escape(key)}`;
      if (!Object.hasOwn(next, key)) note(at, { value: old[key] }, undefined);
      else compare(at, old[key], next[key], depth + 1);
      if (more) return;
    }
    for (const key of Object.keys(next)) {
      if (!Object.hasOwn(old, key)) note(`${path}/${escape(key)}`, undefined, { value: next[key] });
      if (more) return;
    }
  };
  const lists = (path: string, old: readonly unknown[], next: readonly unknown[], depth: number): void => {
    const shorter = Math.min(old.length, next.length);
    let same = 0;
    while (same < shorter && old[same] === next[same]) same++;
    let tail = 0;
    while (tail < shorter - same && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
    const [oldEnd, nextEnd] = [old.length - tail, next.length - tail];
    for (let i = same; i < Math.max(oldEnd, nextEnd) && !more; i++) {
      const at = `${path}/${i}`;
      if (i >= oldEnd) note(at, undefined, { value: next[i] });
      else if (i >= nextEnd) note(at, { value: old[i] }, undefined);
      else compare(at, old[i], next[i], depth + 1);
    }
  };

  compare("", before, after, 0);
  return { differences, more };
}

/** Whether one of the places lies within the other. */
export function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

const escape = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

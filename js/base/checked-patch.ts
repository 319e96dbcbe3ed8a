// JSON Patch from a server, as the ngaf product applies it: each operation is looked at before it changes the draft.
//
// Against RFC 6902: `replace` sets a member that is not there, `add` one past the end of a list appends.

import { Draft, has, type PlainObject } from "./draft.js";
import { change, unescaped } from "./json-patch.js";

/** An operation, as it came. */
export interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

/** The most that the copies of one patch may add, in characters of JSON. */
const copied = 10 * 2 ** 20;
// A pointer is empty before its first slash: the draft has the document there.
const base = [""];

/**
 * The document after the patch, and whether RFC 6902 would have refused it. Throws if an operation fails; the document
 * stays what it was.
 */
export function applyOperations(document: unknown, operations: readonly Operation[]): { value: unknown; lenient: boolean } {
  const draft = new Draft({ "": document });
  let lenient = false;
  let room = copied;

  const set = (op: "add" | "replace" | "remove", path: string[], value?: unknown): void => {
    const last = path.length - 1;
    const holder = valueAt(draft, path.slice(0, last));
    if (op === "add" && Array.isArray(holder)) {
      if (path[last] === "-") path[last] = `${holder.length}`;
      const index = toIndex(path[last]!, holder.length + 1);
      lenient ||= index > holder.length;
    } else if (op === "remove" || Array.isArray(holder)) valueAt(draft, path);
    else lenient ||= op === "replace" && !has(holder as PlainObject, path[last]!);
    change(draft, base, op, path, value);
  };

  for (const { op, path: pointer, from, value } of operations) {
    const path = toPath(pointer);
    // The document as a whole can only be replaced.
    if (op === "add" || op === "replace" || (op === "remove" && pointer)) set(op, path, value);
    else if (op === "move" || op === "copy") {
      const source = toPath(from);
      const found = valueAt(draft, source);
      if (op === "move") set("remove", source);
      else {
        // Values that are shared in memory are written out in JSON.
        room -= JSON.stringify(found)?.length ?? 0;
        if (room < 0) throw new Error("its copies are too large");
        draft.share(found);
      }
      set("add", path, found);
    } else if (op !== "test") throw new Error(`no operation ${op}`);
    else if (!equal(valueAt(draft, path), value)) throw new Error(`${pointer} is another value`);
  }
  return { value: draft.root[""], lenient };
}

/** A JSON pointer as a path of the draft. */
function toPath(pointer: unknown): string[] {
  if (typeof pointer !== "string" || !/^(\/|$)/.test(pointer)) throw new Error(`${pointer} is no JSON Pointer`);
  return pointer.split("/").map(unescaped);
}

/** The value that the path leads to; throws where there is none. */
function valueAt({ root }: Draft, path: readonly string[]): unknown {
  let at: unknown = root;
  for (const key of path) {
    if (Array.isArray(at)) at = at[toIndex(key, at.length - 1)];
    else if (typeof at === "object" && at && has(at, key)) at = (at as PlainObject)[key];
    else throw new Error(`nothing at ${key}`);
  }
  return at;
}

function toIndex(key: string, last: number): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Infinity;
  if (index > last) throw new Error(`nothing at ${key}`);
  return index;
}

function equal(one: unknown, other: unknown): boolean {
  if (one === other || typeof one !== "object" || typeof other !== "object" || !one || !other) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => has(other, key) && equal((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]))
  );
}

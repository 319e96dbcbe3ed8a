// RFC 6902: one operation on a document within a snapshot. The core has proven that it applies.

import { read, write, type Draft, type Path, type PlainObject } from "./draft.js";

/** An operation; `from` and `value` are there where the operation has them. */
export type Pointed = { op: string; path: string; from: string; value: unknown };

/** Applies an operation to the document at `base`. */
export function patchDocument(draft: Draft, base: Path, { op, path, from, value }: Pointed): void {
  const moves = op === "move" || op === "copy";
  if (op === "test" || (op === "move" && from === path)) return;
  if (moves) {
    const source = resolve(draft, base, from);
    value = draft.get(source);
    if (op === "move") remove(draft, source, base.length);
    // A copied value stands in two places: it may no longer be changed in place.
    else draft.share(value);
  } else if (op === "remove") {
    return remove(draft, resolve(draft, base, path), base.length);
  }
  const target = resolve(draft, base, path);
  const key = target[target.length - 1]!;
  const at = draft.open(target);
  if (op !== "replace" && target.length > base.length && Array.isArray(at)) at.splice(key as number, 0, value);
  else write(at, key, value);
}

/** Removes what the path leads to. A document as a whole, whose path has the length `top`, becomes null. */
function remove(draft: Draft, path: Path, top: number): void {
  const at = draft.open(path);
  const key = path[path.length - 1]!;
  if (path.length === top) write(at, key, null);
  else if (Array.isArray(at)) at.splice(key as number, 1);
  else delete at[key];
}

/** A JSON pointer as a path: the tokens under a list become indices, `-` its end. */
function resolve(draft: Draft, base: Path, pointer: string): Path {
  const path = [...base];
  if (!pointer) return path;
  let at = draft.get(base);
  for (const token of pointer.slice(1).split("/")) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const key = Array.isArray(at) ? (name === "-" ? at.length : Number(name)) : name;
    path.push(key);
    at = read(at as PlainObject, key);
  }
  return path;
}

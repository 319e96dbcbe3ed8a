// RFC 6902: one operation on a document within a draft. It is known to apply: by the core, or by checked-patch.ts.

import { read, write, type Draft, type Key, type Path, type PlainObject } from "./draft.js";

/** An operation; `from` and `value` are there where the operation has them. */
export type Pointed = { op: string; path: string; from: string; value: unknown };

/** Applies an operation to the document at `base`. */
export function patchDocument(draft: Draft, base: Path, { op, path, from, value }: Pointed): void {
  if (op === "test" || (op === "move" && from === path)) return;
  if (op === "move" || op === "copy") {
    const source = resolve(draft, base, from);
    value = draft.get(source);
    if (op === "move") change(draft, base, "remove", source);
    // A copied value stands in two places: it may no longer be changed in place.
    else draft.share(value);
    op = "add";
  }
  change(draft, base, op, resolve(draft, base, path), value);
}

/** Adds, replaces or removes a value of the document at `base`. Removed as a whole, the document becomes null. */
export function change(draft: Draft, base: Path, op: string, path: Path, value?: unknown): void {
  const at = draft.open(path);
  const key = path[path.length - 1] as Key & number;
  const removes = op === "remove";
  if (op === "replace" || path.length === base.length) write(at, key, removes ? null : value);
  else if (Array.isArray(at)) at.splice(key, removes ? 1 : 0, ...(removes ? [] : [value]));
  else if (removes) delete at[key];
  else write(at, key, value);
}

/** The key that a token of a JSON pointer stands for. */
export const unescaped = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

/** A JSON pointer as a path: the tokens under a list become indices, `-` its end. */
function resolve(draft: Draft, base: Path, pointer: string): Path {
  const path = [...base];
  if (!pointer) return path;
  let at = draft.get(base);
  for (const token of pointer.slice(1).split("/")) {
    const name = unescaped(token);
    const key = Array.isArray(at) ? (name === "-" ? at.length : Number(name)) : name;
    path.push(key);
    at = read(at as PlainObject, key);
  }
  return path;
}

// JSON Patch in the page, as the ngaf product applies it. Nothing is changed in place: what an operation does not touch is shared.
//
// Against RFC 6902: `replace` sets a member that is not there, `add` one past the end of a list appends.

const has = (object: object, key: string): boolean => Object.prototype.hasOwnProperty.call(object, key);

/** An operation, as it came. */
export interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

/** The most that the copies of one patch may add, in characters of JSON. */
const copied = 10 * 2 ** 20;

/**
 * The document after the patch, and whether RFC 6902 would have refused it. Throws if an operation fails; the document
 * stays what it was.
 */
export function applyOperations(document: unknown, operations: readonly Operation[]): { value: unknown; lenient: boolean } {
  let value = document;
  let lenient = false;
  let room = copied;

  const add = (root: unknown, path: readonly string[], added: unknown, replaces: boolean): unknown =>
    change(root, path, (holder, key) => {
      if (!Array.isArray(holder)) {
        lenient ||= replaces && !has(holder, key);
        return put(holder, key, added);
      }
      const last = replaces ? holder.length - 1 : holder.length + 1;
      const index = key === "-" && !replaces ? holder.length : toIndex(key, last);
      lenient ||= index > holder.length;
      return splice(holder, index, replaces ? 1 : 0, added);
    }, () => added);

  const remove = (root: unknown, path: readonly string[]): unknown =>
    change(root, path, (holder, key) => {
      if (Array.isArray(holder)) return splice(holder, toIndex(key, holder.length - 1), 1);
      if (!has(holder, key)) throw new Error(`nothing at ${key}`);
      const { [key]: _, ...rest } = holder;
      return rest;
    }, () => {
      throw new Error("the root cannot be removed");
    });

  for (const { op, path, from, value: operand } of operations) {
    const target = toPath(path);
    switch (op) {
      case "add":
      case "replace":
        value = add(value, target, operand, op === "replace");
        break;
      case "remove":
        value = remove(value, target);
        break;
      case "move": {
        const source = toPath(from);
        const moved = read(value, source);
        value = add(remove(value, source), target, moved, false);
        break;
      }
      case "copy": {
        const copy = read(value, toPath(from));
        // Values that are shared in memory are written out in JSON.
        room -= JSON.stringify(copy)?.length ?? 0;
        if (room < 0) throw new Error("its copies are too large");
        value = add(value, target, copy, false);
        break;
      }
      case "test":
        if (!equal(read(value, target), operand)) throw new Error(`${String(path)} is another value`);
        break;
      default:
        throw new Error(`no operation ${String(op)}`);
    }
  }
  return { value, lenient };
}

type Holder = Record<string, unknown> | unknown[];

/** Changes what holds the last key of the path, and copies what holds that. */
function change(
  root: unknown,
  path: readonly string[],
  last: (holder: Holder & Record<string, unknown>, key: string) => unknown,
  whole: () => unknown,
): unknown {
  if (!path.length) return whole();
  // Not recursive: a pointer may be as long as a frame.
  const holders: Holder[] = [];
  let at = root;
  for (const key of path) {
    if (typeof at !== "object" || !at) throw new Error(`nothing to hold ${key}`);
    holders.push(at as Holder);
    if (holders.length < path.length) at = read(at, [key]);
  }
  let changed = last(holders.pop() as Holder & Record<string, unknown>, path[path.length - 1]!);
  while (holders.length) {
    const holder = holders.pop()!;
    const key = path[holders.length]!;
    changed = Array.isArray(holder) ? splice(holder, toIndex(key, holder.length - 1), 1, changed) : put(holder, key, changed);
  }
  return changed;
}

function read(root: unknown, path: readonly string[]): unknown {
  let at = root;
  for (const key of path) {
    if (Array.isArray(at)) at = at[toIndex(key, at.length - 1)];
    else if (typeof at === "object" && at && has(at, key)) at = (at as Record<string, unknown>)[key];
    else throw new Error(`nothing at ${key}`);
  }
  return at;
}

function splice(list: readonly unknown[], at: number, count: number, ...added: unknown[]): unknown[] {
  const copy = list.slice();
  copy.splice(at, count, ...added);
  return copy;
}

/** A copy with the member, whatever its name. */
function put(object: object, key: string, value: unknown): unknown {
  return Object.defineProperty({ ...object }, key, { value, writable: true, enumerable: true, configurable: true });
}

function toPath(pointer: unknown): string[] {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || pointer[0] !== "/") throw new Error(`${String(pointer)} is no JSON Pointer`);
  return pointer.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function toIndex(key: string, last: number): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Infinity;
  if (index > last) throw new Error(`no place ${key} in the list`);
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

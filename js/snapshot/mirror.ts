// Applies the core's patches to the snapshot, copy on write: the only code that builds snapshot objects.
//
// A patch is a JSON text, a list of operations that are applied in order. Paths are keys and indices from the root:
//
//   ["=", path, value]             set
//   ["~", path, value]             set, but keep the identity of every sub-tree that is deeply equal
//   ["+", path, text, ...paths]    append to a string, and to further ones
//   ["-", path]                    delete a member
//   ["p", path, operations]        RFC 6902; the core has proven that it applies
//   ["o", path, items]             rebuild a list: [from, to] keeps old elements, anything else is a new one
//   ["c", [], data]                a checkpoint: the snapshot as it is between two operations
//
// A long patch comes in parts (src/wire/cutter.rs), so that neither the text nor the operations of one take long:
//
//   {"steps": [[beginning, up], …], "path": [key, …]}
//
// A part continues in the container in which the last one stopped, at first the list of operations. A step adds elements or
// members to it, and leaves so many levels. The path leads into what the part itself has opened: a key, or null for the last
// element. Complete operations are applied; the snapshot is to be shown when all of them are.
//
// Keys come from servers. A name that `Object.prototype` knows is defined as an own property, never assigned, and only
// own properties are read: `__proto__` and `constructor` are plain data.
//
// The snapshot of a checkpoint is made when it is asked for, from the one before the patch and the operations up to it:
// what is seldom read costs nothing else, however many there are and however large the snapshot is.

import { AgentError, type AgentErrorData } from "../api/error.js";
import type { Checkpoint } from "../api/snapshot.js";

/** The core's data of a checkpoint, without the number that the page gives it. */
export type CheckpointData = Omit<Checkpoint, "id">;
/** Is called at each checkpoint, with what gives the snapshot of then. */
export type Mark<Root> = (data: CheckpointData, then: () => Root) => void;

type Key = string | number;
type Path = readonly Key[];
type PlainObject = Record<Key, unknown>;
type Pointed = { op: string; path: string; from: string; value: unknown };
type PatchOperation =
  | ["=" | "~", Path, unknown]
  | ["+", Path, string, ...Path[]]
  | ["-", Path]
  | ["p", Path, readonly Pointed[]]
  | ["o", Path, readonly unknown[]]
  | ["c", Path, CheckpointData];
type ParsedPart = { readonly steps: readonly [PlainObject | unknown[], number][]; readonly path: readonly (string | null)[] };

const plain = Object.prototype;
const has = plain.hasOwnProperty;
const misfit = "The patch does not fit the snapshot";
// Members of objects that are copied for a small patch at most. An element of a list costs a fraction of one.
const most = 1024;
const elements = 8;

/** A patch on its way into the snapshot: the one given stays as it is, also when the patch does not fit, which throws. */
export interface Patching<Root> {
  /** Takes the patch, or the next part of it. */
  take(json: string): void;
  /** Applies the next operation; false: there is none that has come. */
  step(): boolean;
  /** Whether all of the patch has come. */
  readonly whole: boolean;
  /** Whether it comes in parts: else it is short. */
  readonly parted: boolean;
  /** Whether much was copied for it: more than a page should copy for each event. */
  readonly large: boolean;
  /** The snapshot, once all is applied. */
  readonly snapshot: Root;
}

/** The snapshot after the patch, which has come as a whole. */
export function applyPatch<Root extends object>(root: Root, patch: string, checkpoint?: Mark<Root>): Root {
  const patching = beginPatch(root, checkpoint);
  patching.take(patch);
  return applied(patching);
}

function applied<Root>(patching: Patching<Root>): Root {
  while (patching.step());
  return patching.snapshot;
}

/** Begins to apply a patch. `known`: all of its operations, where they are there. */
export function beginPatch<Root extends object>(root: Root, checkpoint?: Mark<Root>, known?: PatchOperation[]): Patching<Root> {
  let operations: PatchOperation[] = known ?? [];
  let done = 0;
  // The containers of the patch's text that are open.
  let opened: (PlainObject | unknown[])[] = known ? [] : [operations];
  let parted = false;
  // Containers that this patch has made, so it may change them in place: each is copied at most once.
  const fresh = new Set<unknown>();
  let next = root as unknown as PlainObject;
  let copied = 0;
  const draft = (): PlainObject => (next = own(next));

  /** The container itself if this patch has made it, else a copy. */
  const own = (container: unknown): PlainObject => {
    if (fresh.has(container)) return container as PlainObject;
    if (typeof container !== "object" || !container) throw new Error(misfit);
    const list = Array.isArray(container);
    const copy = list ? container.slice() : { ...container };
    copied += list ? container.length / elements : Object.keys(copy).length;
    fresh.add(copy);
    return copy as PlainObject;
  };

  const take = (json: string): void => {
    const given: PatchOperation[] | ParsedPart = JSON.parse(json);
    if (Array.isArray(given)) {
      operations = given;
      opened = [];
      return;
    }
    parted = true;
    for (const [more, up] of given.steps) {
      const at = opened[opened.length - 1];
      if (Array.isArray(at)) { for (const item of more as unknown[]) at.push(item); }
      else for (const key of Object.keys(more)) write(at!, key, (more as PlainObject)[key]);
      opened.length -= up;
    }
    for (const key of given.path) {
      const at = opened[opened.length - 1] as PlainObject;
      opened.push(read(at, key ?? (at["length"] as number) - 1) as PlainObject);
    }
  };

  const step = (): boolean => {
    // The last operation may continue in the next part.
    if (done >= operations.length - Math.min(opened.length, 1)) return false;
    run(operations[done++]!);
    return true;
  };

  /** The container that holds the path's last key, ready to be changed. */
  const open = (path: Path): PlainObject => {
    let at = draft();
    for (let i = 0; i < path.length - 1; i++) {
      const key = path[i]!;
      const child = own(read(at, key));
      write(at, key, child);
      at = child;
    }
    return at;
  };

  const get = (path: Path): unknown => path.reduce<unknown>((at, key) => read(at as PlainObject, key), next);

  const run = (operation: PatchOperation): void => {
    if (operation[0] === "c") {
      const all = operations;
      const end = done;
      let made: Root | undefined;
      const then = (): Root => (made ??= applied(beginPatch(root, undefined, all.slice(0, end))));
      return checkpoint?.({ ...operation[2], runId: next["runId"] as string }, then);
    }
    const path = operation[1];
    const key = path[path.length - 1]!;
    // Values that stay as they are, or are absent, are not copied.
    const old = get(path);
    if (operation[0] === "~") {
      // A checkpoint that is made of the operations has the same parts, which do not change with the snapshot.
      operation[2] = keep(old, operation[2], share);
      (operation as PatchOperation)[0] = "=";
    }
    if (operation[0] === "-" ? old === undefined : operation[0] === "=" && old === operation[2]) return;
    const at = open(path);
    switch (operation[0]) {
      case "+":
        write(at, key, ((read(at, key) as string | undefined) ?? "") + operation[2]);
        for (let i = 3; i < operation.length; i++) run(["+", operation[i] as Path, operation[2]]);
        return;
      case "=":
        if (Array.isArray(at) && (key as number) > at.length) throw new Error(misfit);
        write(at, key, path.length > 1 ? operation[2] : atRoot(key, operation[2]));
        return;
      case "-":
        // The snapshot itself keeps its members, so that its shape never changes.
        if (path.length > 1) delete at[key];
        else at[key] = undefined;
        return;
      case "p":
        for (const inner of operation[2]) patchOne(path, inner);
        return;
      case "o": {
        const before = read(at, key) as unknown[];
        const [first, ...rest] = operation[2];
        // A list that only grows is not copied again for each part.
        if (fresh.has(before) && Array.isArray(first) && !first[0] && first[1] === before.length && !rest.some(Array.isArray)) {
          for (const item of rest) before.push(item);
          return;
        }
        const list = operation[2].flatMap((item) => (Array.isArray(item) ? before.slice(item[0], item[1]) : [item]));
        write(at, key, list);
        fresh.add(list);
        copied += list.length / elements;
        return;
      }
      default:
        throw new Error(`Unknown operation ${JSON.stringify(operation[0])}`);
    }
  };

  /** One operation of RFC 6902 on the document at `base`. */
  const patchOne = (base: Path, { op, path, from, value }: Pointed): void => {
    const moves = op === "move" || op === "copy";
    if (op === "test" || (op === "move" && from === path)) return;
    if (moves) {
      const source = resolve(base, from);
      value = get(source);
      if (op === "move") remove(source, base.length);
      // A copied value stands in two places: it may no longer be changed in place.
      else share(value);
    } else if (op === "remove") {
      return remove(resolve(base, path), base.length);
    }
    const target = resolve(base, path);
    const key = target[target.length - 1]!;
    const at = open(target);
    if (op !== "replace" && target.length > base.length && Array.isArray(at)) at.splice(key as number, 0, value);
    else write(at, key, value);
  };

  /** It is not changed in place from now on: it stands in something that this patch has not made, or in what a checkpoint is made of. */
  const share = (value: unknown): void => {
    if (fresh.delete(value)) Object.values(value as object).forEach(share);
  };

  const remove = (path: Path, top: number): void => {
    const at = open(path);
    const key = path[path.length - 1]!;
    if (path.length === top) write(at, key, null);
    else if (Array.isArray(at)) at.splice(key as number, 1);
    else delete at[key];
  };

  /** A JSON pointer as a path: the tokens under a list become indices, `-` its end. */
  const resolve = (base: Path, pointer: string): Path => {
    const path = [...base];
    if (!pointer) return path;
    let at = get(base);
    for (const token of pointer.slice(1).split("/")) {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      const key = Array.isArray(at) ? (name === "-" ? at.length : Number(name)) : name;
      path.push(key);
      at = read(at as PlainObject, key);
    }
    return path;
  };

  return {
    take,
    step,
    get whole() {
      return !opened.length;
    },
    get parted() {
      return parted;
    },
    get large() {
      return copied > most;
    },
    get snapshot() {
      return next as unknown as Root;
    },
  };
}

function read(container: PlainObject | undefined, key: Key): unknown {
  return container != null && has.call(container, key) ? container[key] : undefined;
}

function write(container: PlainObject, key: Key, value: unknown): void {
  if (key in plain) {
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    container[key] = value;
  }
}

/** Members of the snapshot itself: absent is `undefined`, and the error is a real one. */
function atRoot(key: Key, value: unknown): unknown {
  if (key === "state") return value;
  return key === "error" && value ? new AgentError(value as AgentErrorData) : (value ?? undefined);
}

/**
 * The new value, with every part of the old one in its place that is deeply equal. The new one is ours to change. `kept` is called
 * with the containers that stay.
 */
export function keep(old: unknown, value: unknown, kept?: (part: unknown) => void): unknown {
  if (old === value || typeof old !== "object" || typeof value !== "object" || !old || !value) return value;
  if (Array.isArray(value)) {
    if (!Array.isArray(old)) return value;
    let same = value.length === old.length;
    for (let i = 0; i < value.length; i++) {
      value[i] = keep(old[i], value[i], kept);
      same &&= value[i] === old[i];
    }
    if (same) kept?.(old);
    return same ? old : value;
  }
  if (Array.isArray(old)) return value;
  const keys = Object.keys(value);
  let same = keys.length === Object.keys(old).length;
  for (const key of keys) {
    const before = read(old as PlainObject, key);
    const part = keep(before, read(value as PlainObject, key), kept);
    write(value as PlainObject, key, part);
    same &&= part === before;
  }
  if (same) kept?.(old);
  return same ? old : value;
}

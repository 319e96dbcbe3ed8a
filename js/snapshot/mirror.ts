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
// The snapshot of a checkpoint is made when it is asked for, from the one before the patch and the operations up to it:
// what is seldom read costs nothing else, however many there are and however large the snapshot is.

import { AgentError, type AgentErrorData } from "../api/error.js";
import type { AgentSnapshot, Checkpoint } from "../api/snapshot.js";
import { Draft, misfit, read, write, type Key, type Path, type PlainObject } from "../base/draft.js";
import { patchDocument, type Pointed } from "../base/json-patch.js";

/** The core's data of a checkpoint, without the number that the page gives it. */
export type CheckpointData = Omit<Checkpoint, "id">;
/** Is called at each checkpoint, with what gives the snapshot of then. */
export type Mark<Root> = (data: CheckpointData, then: () => Root) => void;

type PatchOperation =
  | ["=" | "~", Path, unknown]
  | ["+", Path, string, ...Path[]]
  | ["-", Path]
  | ["p", Path, readonly Pointed[]]
  | ["o", Path, readonly unknown[]]
  | ["c", Path, CheckpointData];
type ParsedPart = { readonly steps: readonly [PlainObject | unknown[], number][]; readonly path: readonly (string | null)[] };

// Members of objects that are copied for a small patch at most. An element of a list costs a fraction of one.
const most = 1024;
const elements = 8;

/** The snapshot after the patch, which has come as a whole. */
export const applyPatch = <Root extends object>(root: Root, patch: string, checkpoint?: Mark<Root>): Root =>
  applied(new Patching(root, checkpoint, JSON.parse(patch)));

function applied<Root extends object>(patching: Patching<Root>): Root {
  while (patching.step());
  return patching.snapshot;
}

/** A patch on its way into the snapshot: the one given stays as it is, also when the patch does not fit, which throws. */
export class Patching<Root extends object> {
  /** Whether it comes in parts: else it is short. */
  parted = false;
  private readonly draft: Draft;
  private all: PatchOperation[];
  private done = 0;
  /** The containers of the patch's text that are open. */
  private readonly opened: (PlainObject | unknown[])[];

  /** @param operations all of them, where they are there */
  constructor(private readonly root: Root, private readonly checkpoint?: Mark<Root>, operations?: PatchOperation[]) {
    this.draft = new Draft(root as unknown as PlainObject);
    this.all = operations ?? [];
    this.opened = operations ? [] : [this.all];
  }

  /** Whether all of the patch has come. */
  get whole(): boolean {
    return !this.opened.length;
  }

  /** Whether much was copied for it: more than a page should copy for each event. */
  get large(): boolean {
    let copied = 0;
    for (const made of this.draft.fresh) copied += Array.isArray(made) ? made.length / elements : Object.keys(made as object).length;
    return copied > most;
  }

  /** The snapshot, once all is applied. */
  get snapshot(): Root {
    return this.draft.root as unknown as Root;
  }

  /** Takes the patch, or the next part of it. */
  take(json: string): void {
    const parsed: PatchOperation[] | ParsedPart = JSON.parse(json);
    const { opened } = this;
    if (Array.isArray(parsed)) {
      this.all = parsed;
      opened.length = 0;
      return;
    }
    this.parted = true;
    for (const [more, up] of parsed.steps) {
      const at = opened[opened.length - 1];
      if (Array.isArray(at)) { for (const item of more as unknown[]) at.push(item); }
      else for (const key of Object.keys(more)) write(at!, key, (more as PlainObject)[key]);
      opened.length -= up;
    }
    for (const key of parsed.path) {
      const at = opened[opened.length - 1] as PlainObject;
      opened.push(read(at, key ?? (at["length"] as number) - 1) as PlainObject);
    }
  }

  /** Applies the next operation; false: there is none that has come. The last one may continue in the next part. */
  step(): boolean {
    if (this.done >= this.all.length - Math.min(this.opened.length, 1)) return false;
    const operation = this.all[this.done++]!;
    if (operation[0] === "c") this.mark(operation[2]);
    else apply(this.draft, operation);
    return true;
  }

  private mark(data: CheckpointData): void {
    const { root, checkpoint, all, done } = this;
    let made: Root | undefined;
    const then = (): Root => (made ??= applied(new Patching(root, undefined, all.slice(0, done))));
    checkpoint?.({ ...data, runId: this.draft.root["runId"] as string }, then);
  }
}

function apply(draft: Draft, operation: Exclude<PatchOperation, ["c", ...unknown[]]>): void {
  const path = operation[1];
  const key = path[path.length - 1]!;
  // Values that stay as they are, or are absent, are not copied.
  const old = draft.get(path);
  if (operation[0] === "~") {
    // A checkpoint that is made of the operations has the same parts, which do not change with the snapshot.
    operation[2] = keep(old, operation[2], (part) => draft.share(part));
    (operation as PatchOperation)[0] = "=";
  }
  if (operation[0] === "-" ? old === undefined : operation[0] === "=" && old === operation[2]) return;
  const at = draft.open(path);
  switch (operation[0]) {
    case "+":
      write(at, key, ((read(at, key) as string | undefined) ?? "") + operation[2]);
      for (let i = 3; i < operation.length; i++) apply(draft, ["+", operation[i] as Path, operation[2]]);
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
      for (const inner of operation[2]) patchDocument(draft, path, inner);
      return;
    case "o":
      return rebuild(draft, at, key, operation[2]);
    default:
      throw new Error(misfit);
  }
}

/** Makes the list of `key` anew, from ranges of the old one and new elements. */
function rebuild(draft: Draft, at: PlainObject, key: Key, items: readonly unknown[]): void {
  const before = read(at, key) as unknown[];
  const [first, ...rest] = items;
  // A list that only grows is not copied again for each part.
  if (draft.fresh.has(before) && Array.isArray(first) && !first[0] && first[1] === before.length && !rest.some(Array.isArray)) {
    for (const item of rest) before.push(item);
    return;
  }
  const list = items.flatMap((item) => (Array.isArray(item) ? before.slice(item[0], item[1]) : [item]));
  write(at, key, list);
  draft.fresh.add(list);
}

/** Members of the snapshot itself: absent is `undefined`, and the error is a real one. */
function atRoot(key: Key, value: unknown): unknown {
  if (key === "state") return value;
  return key === "error" && value ? new AgentError(value as AgentErrorData) : (value ?? undefined);
}

/** The new value, with every part of the old one in its place that is deeply equal. `onKept` is called with the containers that stay. */
export function keep(old: unknown, value: unknown, onKept?: (part: unknown) => void): unknown {
  const isList = Array.isArray(value);
  if (old === value || typeof old !== "object" || typeof value !== "object" || !old || !value || isList !== Array.isArray(old)) return value;
  const keys = isList ? value : Object.keys(value);
  let next = value as PlainObject;
  let same = keys.length === (isList ? (old as unknown[]) : Object.keys(old)).length;
  for (let at = 0; at < keys.length; at++) {
    const key: Key = isList ? at : keys[at];
    // The places of a list are its own.
    const before = isList ? (old as PlainObject)[key] : read(old as PlainObject, key);
    const after = isList ? next[key] : read(next, key);
    const part = keep(before, after, onKept);
    // Others may hold what was given.
    if (part !== after && next === value) next = (isList ? value.slice() : { ...value }) as PlainObject;
    if (part !== after) write(next, key, part);
    same &&= part === before;
  }
  if (same) onKept?.(old);
  return same ? old : next;
}

/** The next snapshot, with the parts of the one that is shown in their places that are deeply equal. */
export function keepShown<State>(shown: AgentSnapshot<State>, next: AgentSnapshot<State>): AgentSnapshot<State> {
  let kept = next;
  for (const name of ["messages", "toolCalls", "state"] as const) {
    const part = keep(shown[name], next[name]);
    if (part !== next[name]) kept = { ...kept, [name]: part };
  }
  return kept;
}

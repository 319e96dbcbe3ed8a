// A snapshot that is changed, copy on write: each container on the way to a change is copied once, and what was given stays as it is.
//
// Keys come from servers. A name that `Object.prototype` knows is defined as an own property, never assigned, and only
// own properties are read: `__proto__` and `constructor` are plain data.

export type Key = string | number;
/** Keys and indices from the snapshot itself. */
export type Path = readonly Key[];
export type PlainObject = Record<Key, unknown>;

const plain = Object.prototype;
const has = plain.hasOwnProperty;
/** The message of an error: the patch is not one of this snapshot. */
export const misfit = "The patch does not fit the snapshot";
// An element of a list costs a fraction of a member of an object.
const elements = 8;

/** A snapshot that is changed. A class, because each patch needs one: methods that are closures would cost a small patch a third more. */
export class Draft {
  /** Containers that this draft has made, so they may be changed in place. */
  private readonly fresh = new Set<unknown>();
  /** How many members were copied. */
  copied = 0;

  /** @param root the snapshot, which becomes that with the changes */
  constructor(public root: PlainObject) {}

  get(path: Path): unknown {
    let at: unknown = this.root;
    for (const key of path) at = read(at as PlainObject, key);
    return at;
  }

  /** The container that holds the path's last key, ready to be changed. */
  open(path: Path): PlainObject {
    let at = (this.root = this.ownCopy(this.root));
    for (let i = 0; i < path.length - 1; i++) {
      const key = path[i]!;
      const child = this.ownCopy(read(at, key));
      write(at, key, child);
      at = child;
    }
    return at;
  }

  /** Whether the draft has made this container. */
  owns(container: unknown): boolean {
    return this.fresh.has(container);
  }

  /** Notes a list that was made for the draft. */
  made(list: readonly unknown[]): void {
    this.fresh.add(list);
    this.copied += list.length / elements;
  }

  /** It is not changed in place from now on: it stands in something else as well. */
  share(value: unknown): void {
    if (this.fresh.delete(value)) { for (const part of Object.values(value as object)) this.share(part); }
  }

  /** The container itself if this draft has made it, else a copy. */
  private ownCopy(container: unknown): PlainObject {
    if (this.fresh.has(container)) return container as PlainObject;
    if (typeof container !== "object" || !container) throw new Error(misfit);
    if (Array.isArray(container)) {
      const list = container.slice();
      this.made(list);
      return list as unknown as PlainObject;
    }
    const copy = { ...container } as PlainObject;
    this.fresh.add(copy);
    this.copied += Object.keys(copy).length;
    return copy;
  }
}

export function read(container: PlainObject | undefined, key: Key): unknown {
  return container != null && has.call(container, key) ? container[key] : undefined;
}

export function write(container: PlainObject, key: Key, value: unknown): void {
  if (key in plain) {
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    container[key] = value;
  }
}

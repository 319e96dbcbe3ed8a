// A value that is changed, copy on write: each container on the way to a change is copied once, and what was given stays as it is.
//
// Keys come from servers. A name that `Object.prototype` knows is defined as an own property, never assigned, and only
// own properties are read: `__proto__` and `constructor` are plain data.

export type Key = string | number;
/** Keys and indices from the value itself. */
export type Path = readonly Key[];
export type PlainObject = Record<Key, unknown>;

const plain = Object.prototype;
/** The message of an error: the patch is not one of this snapshot. */
export const misfit = "The patch does not fit the snapshot";

/** A value that is changed. A class, because each patch needs one: methods that are closures would cost a small patch a third more. */
export class Draft {
  /** Containers that this draft has made, so they may be changed in place. */
  readonly fresh = new Set<unknown>();

  /** @param root the value, which becomes that with the changes */
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

  /** It is not changed in place from now on: it stands in something else as well. */
  share(value: unknown): void {
    if (this.fresh.delete(value)) { for (const part of Object.values(value as object)) this.share(part); }
  }

  /** The container itself if this draft has made it, else a copy. */
  private ownCopy(container: unknown): PlainObject {
    if (this.fresh.has(container)) return container as PlainObject;
    if (typeof container !== "object" || !container) throw new Error(misfit);
    const copy = Array.isArray(container) ? container.slice() : { ...container };
    this.fresh.add(copy);
    return copy as PlainObject;
  }
}

/** Whether it has the member itself. */
export const has = (object: object, key: Key): boolean => plain.hasOwnProperty.call(object, key);

export function read(container: PlainObject | undefined, key: Key): unknown {
  return container != null && has(container, key) ? container[key] : undefined;
}

export function write(container: PlainObject, key: Key, value: unknown): void {
  if (key in plain) {
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    container[key] = value;
  }
}

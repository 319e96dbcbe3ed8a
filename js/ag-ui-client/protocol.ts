// Versions of servers before AG-UI 1.0.

/** The version that requests declare. Not of `@ag-ui/core`, which may be an older one where a library pins it. */
export const PROTOCOL_VERSION = "1.0";

export function isVersion(version: unknown): version is string {
  return typeof version === "string" && /^\d+(\.\d+){0,3}/.test(version);
}

/** Whether the first of two versions, numbers with dots between them, is before the second. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const [a = 0, b = 0] = [one![at], other![at]];
    if (a !== b) return a < b;
  }
  return false;
}

const resolving = new WeakSet<object>();

/** The newest version that a subclass names under one of the two names. `base` has both names. */
export function overridden(agent: object, base: object, name: "maxVersion" | "maxProtocolVersion"): string | undefined {
  // The getter of a subclass may lead back to the other name.
  if (resolving.has(agent)) return undefined;
  resolving.add(agent);
  try {
    for (let at = agent; at && at !== base; at = Object.getPrototypeOf(at)) {
      const found = Object.getOwnPropertyDescriptor(at, name);
      if (found) return found.get ? found.get.call(agent) : found.value;
    }
    return undefined;
  } finally {
    resolving.delete(agent);
  }
}

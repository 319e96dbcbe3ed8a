// Chunks: each continues the last one of its kind, unless it names another id. The official client makes a START of the first one,
// and an END after the last.

/** There are no chunks yet. */
export function createChunks() {
  let last: { readonly id: string; readonly key: string; close?(): void } | undefined;
  /** Closes the items that chunks have opened. */
  const close = (): void => {
    const { close: end } = last ?? {};
    last = undefined;
    end?.();
  };
  return {
    /** The id that a chunk is about. `start` opens what the chunks before it did not, and may return what closes it. */
    continue: (kind: string, id: string, start: (id: string) => (() => void) | void): string => {
      const to = id || (last?.key.startsWith(kind) ? last.id : "unknown");
      const key = kind + to;
      if (last?.key === key) return to;
      close();
      const end = start(to);
      last = { id: to, key, ...(end && { close: end }) };
      return to;
    },
    close,
    /** It is left as it is. */
    forget: (): void => void (last = undefined),
  };
}

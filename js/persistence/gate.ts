// Holds the calls of an agent while its save is on the way.

export interface Gate {
  /** Settles when it opens; nothing while it is open. */
  readonly closed: Promise<void> | undefined;
  close(): void;
  open(): void;
}

/** A gate that is open. */
export function createGate(): Gate {
  let closed: Promise<void> | undefined;
  let release = (): void => {};
  return {
    get closed() {
      return closed;
    },
    close: () => {
      closed ??= new Promise((resolve) => (release = resolve));
    },
    open: () => {
      release();
      closed = undefined;
    },
  };
}

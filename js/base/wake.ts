// The end of waiting: the network is back, or somebody looks at the page again.

/** Gives a switch: while it is on, `wake` is called whenever waiting may have become pointless. */
export function createWaker(wake: () => void): (on: boolean) => void {
  let was = false;
  const seen = (): void => {
    if (document.visibilityState === "visible") wake();
  };
  return (on) => {
    // Workers have no document, and Node has neither.
    if (on === was || typeof addEventListener !== "function") return;
    was = on;
    const change = on ? "addEventListener" : "removeEventListener";
    globalThis[change]("online", wake);
    if (typeof document === "object") document[change]("visibilitychange", seen);
  };
}

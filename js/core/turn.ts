// When work leaves the page its turn, and how it comes back.

/** How long is worked before the page has its turn: half of a frame. */
export const sliceMs = 8;

/** Calls back when the page has had its turn. By a message: nested timers wait for 4 ms, those of a hidden page for a second. */
export function turn(callback: () => void): void {
  // jsdom has none.
  if (typeof MessageChannel !== "function") return void setTimeout(callback);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    // A port that listens keeps Node alive.
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}

/** Of Node's modules what `play.mjs` imports, for the page. */

/** A page takes all that is written at once. */
export const once = () => Promise.resolve();

export function setTimeout(ms, value, { signal } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = globalThis.setTimeout(() => resolve(value), ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export const setImmediate = () => setTimeout(0);

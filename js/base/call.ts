/** Calls a function of the application's. What it throws is reported and harms nobody else. */
export function call<Args extends unknown[]>(listener: ((...args: Args) => void) | undefined, ...args: Args): void {
  try {
    listener?.(...args);
  } catch (error) {
    if (typeof reportError === "function") reportError(error);
    else console.error(error);
  }
}

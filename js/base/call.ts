/** The value, or what the function says. */
export function ask<Value, Args extends unknown[]>(provider: Value | ((...args: Args) => Value), ...args: Args): Value {
  return typeof provider === "function" ? (provider as (...args: Args) => Value)(...args) : provider;
}

/** Calls a function of the application's. An error that it throws is reported and goes no further. */
export function call<Args extends unknown[]>(listener: ((...args: Args) => void) | undefined, ...args: Args): void {
  try {
    listener?.(...args);
  } catch (error) {
    if (typeof reportError === "function") reportError(error);
    else console.error(error);
  }
}

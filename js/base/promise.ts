/** Whether it is a promise, also one of another realm, as test runners have them. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as Promise<Value> | undefined)?.then === "function";
}

/** Calls it, and one of the others with what comes of that, now or later. */
export function settle<Value>(method: () => Value | Promise<Value>, done: (value: Value) => void, failed: (cause: unknown) => void): void {
  let value: Value | Promise<Value>;
  try {
    value = method();
  } catch (cause) {
    return failed(cause);
  }
  if (isPromise(value)) value.then(done, failed);
  else done(value);
}

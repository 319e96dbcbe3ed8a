/** Whether it is a promise, also one of another realm, as test runners have them. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as Promise<Value> | undefined)?.then === "function";
}

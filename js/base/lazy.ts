/** The object, with a member that is made when it is first read. */
export function lazily<Value extends object, Key extends keyof Value>(object: Value, key: Key, make: () => Value[Key]): Value {
  return Object.defineProperty(object, key, {
    enumerable: true,
    configurable: true,
    get: () => {
      const value = make();
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      return value;
    },
  });
}

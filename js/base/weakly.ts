/** The methods of the object, without holding it. Once it is collected they do nothing. */
export function weakly<Target extends object>(target: Target): Target {
  const reference = new WeakRef(target);
  const method = (name: string) => (...args: unknown[]): unknown => {
    const alive = reference.deref() as Record<string, (...args: unknown[]) => unknown> | undefined;
    return alive?.[name]!(...args);
  };
  return Object.fromEntries(Object.keys(target).map((name) => [name, method(name)])) as Target;
}

/** Parses a text. `otherwise`: the result for one that is not JSON. */
export function parseJson(text: unknown, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch {
    return otherwise;
  }
}

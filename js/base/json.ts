/** The value that a text is JSON of. `otherwise`: the result for a text that is not JSON. */
export function parseJson(text: unknown, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch {
    return otherwise;
  }
}

// A policy and its capability tokens as the core reads them. It comes with the core.

/** The policy of which this is a copy: JSON text. */
export function toPolicy(copy: string): string {
  const { capabilities, ...rest } = JSON.parse(copy) as { capabilities?: readonly unknown[] };
  const json = JSON.stringify(rest);
  return capabilities === undefined ? json : `${json.slice(0, -1)}${json === "{}" ? "" : ","}"capabilities":${toList(capabilities)}}`;
}

/** The list of capabilities. A string stays as it is, for its digits. */
export const toList = (capabilities: readonly unknown[]): string =>
  // The core reports a value that is no list.
  Array.isArray(capabilities)
    ? `[${capabilities.map((token) => (typeof token === "string" ? token : (JSON.stringify(token) ?? "null"))).join(",")}]`
    : (JSON.stringify(capabilities) ?? "null");

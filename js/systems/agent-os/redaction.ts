// Summaries of values that must not be shown, and a check that no such value was let through.

/** Why a value is not shown. */
export type RedactionReason = "run_input" | "run_output" | "tool_arguments" | "tool_result" | "provider_error";

/** The stand-in for a value: its type and size, never the value. */
export type RedactedSummary =
  & { readonly redacted: true; readonly reason: RedactionReason }
  & (
    | { readonly type: "string"; readonly bytes: number }
    | { readonly type: "array"; readonly items: number }
    | { readonly type: "object"; readonly keys: readonly string[] }
    | { readonly type: "null" | "boolean" | "number" | "undefined" }
  );

/**
 * The summary of a value. `bytes` counts UTF-8; `keys` are sorted.
 *
 * @example
 * redactedSummary({ b: 1, a: 2 }, "tool_result"); // { redacted: true, reason: "tool_result", type: "object", keys: ["a", "b"] }
 */
export function redactedSummary(value: unknown, reason: RedactionReason): RedactedSummary {
  const base = { redacted: true, reason } as const;
  if (typeof value === "string") return { ...base, type: "string", bytes: new TextEncoder().encode(value).length };
  if (Array.isArray(value)) return { ...base, type: "array", items: value.length };
  if (value === null) return { ...base, type: "null" };
  if (typeof value === "object") {
    return { ...base, type: "object", keys: Object.keys(value).sort((one, other) => one.localeCompare(other)) };
  }
  if (typeof value === "boolean") return { ...base, type: "boolean" };
  return { ...base, type: typeof value === "number" ? "number" : "undefined" };
}

/**
 * The same as text, as calls and results carry it.
 *
 * @example
 * redactedText("hello", "run_input"); // '{"redacted":true,"reason":"run_input","type":"string","bytes":5}'
 */
export function redactedText(value: unknown, reason: RedactionReason): string {
  return JSON.stringify(redactedSummary(value, reason));
}

const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  redacted: (value) => value === true,
  reason: (value) => typeof value === "string",
  type: (value) => typeof value === "string",
  bytes: (value) => typeof value === "number",
  items: (value) => typeof value === "number",
  keys: (value) => Array.isArray(value) && value.every((key) => typeof key === "string"),
};

/** Whether a value is a summary already: one with any other member could carry the value itself. @internal */
export function isSummary(value: unknown): boolean {
  if (typeof value !== "object" || value === null || (value as { redacted?: unknown }).redacted !== true) return false;
  return Object.entries(value).every(([name, member]) => Object.hasOwn(MEMBERS, name) && MEMBERS[name]!(member));
}

/** The texts that must not stand in a frame. */
export interface FrameSafetyRules {
  /** Texts that must not be a part of one. */
  readonly forbiddenLiterals?: Iterable<string>;
  /** Patterns that must not match in one. */
  readonly forbiddenPatterns?: Iterable<RegExp | { readonly source: string; readonly flags?: string }>;
}

/** A text that it stands in. */
export interface FrameSafetyIssue {
  readonly kind: "literal" | "pattern";
  readonly frameIndex: number;
  /** As `$.value.files[0].url`. */
  readonly path: string;
  /** The literal, or the pattern's source: without the escapes that `RegExp` gives to slashes. */
  readonly match: string;
}

/**
 * Looks for secrets in frames: in the values that are texts, not in the names of members. An empty literal is left out. It
 * is evidence for tests, and no filter of what goes out.
 *
 * @example
 * const issues = verifyFrameSafety(frames, { forbiddenLiterals: [apiKey], forbiddenPatterns: [/sk-live-\w+/] });
 * assert.deepEqual(issues, []);
 */
export function verifyFrameSafety(frames: Iterable<unknown>, rules: FrameSafetyRules): FrameSafetyIssue[] {
  const literals = [...(rules.forbiddenLiterals ?? [])].filter((literal) => literal !== "");
  // Copies: a pattern that is sticky or global remembers where it was, and is not ours to change.
  const patterns = [...(rules.forbiddenPatterns ?? [])].map(({ source, flags }) => ({
    match: source.replaceAll("\\/", "/"),
    pattern: new RegExp(source, flags),
  }));
  const issues: FrameSafetyIssue[] = [];
  let frameIndex = 0;
  const look = (text: string, path: string): void => {
    for (const match of literals) if (text.includes(match)) issues.push({ kind: "literal", frameIndex, path, match });
    for (const { pattern, match } of patterns) {
      pattern.lastIndex = 0;
      if (pattern.test(text)) issues.push({ kind: "pattern", frameIndex, path, match });
    }
  };
  for (const frame of frames) {
    // A stack of our own: what is nested deeply must not end the walk.
    const stack: [unknown, string][] = [[frame, "$"]];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const [value, path] = next;
      if (typeof value === "string") look(value, path);
      if (typeof value !== "object" || value === null) continue;
      const inner: [unknown, string][] = Array.isArray(value)
        ? value.map((item, at) => [item, `${path}[${at}]`])
        : Object.entries(value).map(([key, item]) => [item, `${path}.${key}`]);
      for (const item of inner.reverse()) stack.push(item);
    }
    frameIndex++;
  }
  return issues;
}

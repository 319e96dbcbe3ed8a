// The rules of warnings: the table of docs/rules.md, which the build reads.

import { rules } from "../../glue/rules.js";

/** A row of docs/rules.md. */
export interface Rule {
  /** Its tags; none where no rule of the protocol is broken. */
  readonly tags: readonly string[];
  readonly codes: readonly string[];
  /** The requirement of the rule, or the oddity. */
  readonly asks: string;
  /** How the client handles it. */
  readonly becomes: string;
}

/** The rule that a warning or an error names: that of its tag and code, else of its tag; without a tag, what is said of its code. */
export function ruleOf({ code, rule }: { readonly code?: string | undefined; readonly rule?: string | undefined }): Rule | undefined {
  const coded = code === undefined ? [] : rules.filter(({ codes }) => codes.includes(code));
  if (rule === undefined) return coded.find(({ tags }) => !tags.length) ?? coded[0];
  return coded.find(({ tags }) => tags.includes(rule)) ?? rules.find(({ tags }) => tags.includes(rule)) ?? coded[0];
}

// The rows of docs/rules.md, of which the build makes a table.

import { rules } from "../glue/rules.js";

/** The rule of a code that belongs to one rule only. */
export function ruleOf(code: string): string | null {
  const rows = rules.filter(({ codes }) => codes.includes(code));
  const [tag, ...others] = new Set(rows.flatMap(({ tags }) => (tags.length > 0 ? tags : [""])));
  return others.length === 0 && tag ? tag : null;
}

/** The requirement of a rule. */
export function asksOf(rule: string | null, code: string): string | undefined {
  const rows = rules.filter(({ tags, codes }) => (rule === null ? codes.includes(code) : tags.includes(rule)));
  return (rows.find(({ codes }) => codes.includes(code)) ?? rows[0])?.asks;
}

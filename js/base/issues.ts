// Words for a validator's issues.

import type { StandardIssue } from "../api/tools.js";

/** All issues in one line, each with the path that it is at. */
export function issuesText(issues: readonly StandardIssue[]): string {
  const texts = issues.map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length ? `${keys.join(".")}: ${message}` : message;
  });
  return texts.join("; ");
}

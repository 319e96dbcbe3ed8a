/** Runs that the page's own tools take part in. */

/**
 * The result that a follow-up run brings: of the last message, if that is a tool's. A string that is no JSON is the result's
 * `text`. None: undefined, the run begins.
 */
export function continued(input) {
  const last = input.messages.at(-1);
  if (last?.role !== "tool") return undefined;
  try {
    return { toolCallId: last.toolCallId, ...JSON.parse(last.content) };
  } catch {
    return { toolCallId: last.toolCallId, text: last.content };
  }
}

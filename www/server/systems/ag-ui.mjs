/** AG-UI 1.0: `POST /agent/<scenario>` with a `RunAgentInput`. https://docs.ag-ui.com */
import { parse, problem } from "../http.mjs";
import { scenarios } from "../scenarios.mjs";

/** A body that is a `RunAgentInput`, checked as far as the scenarios lean on it. */
export function readInput(text) {
  const input = parse(text);
  if (typeof input.threadId !== "string" || typeof input.runId !== "string" || !Array.isArray(input.messages)) {
    throw problem(400, "The request is no RunAgentInput: threadId, runId and messages are required.");
  }
  return input;
}

/** The members of a request that tests read. */
export const receivedInput = (input) => ({
  messages: input.messages.length,
  lastMessage: input.messages.at(-1),
  state: input.state,
  resume: input.resume,
  tools: input.tools?.length ?? 0,
});

/** Server-sent events with nothing but data. */
export const dataFrame = (event) => `data: ${JSON.stringify(event)}\n\n`;

export const agUi = {
  name: "ag-ui",
  paths: ["/agent/*"],
  scenarios,
  read: readInput,
  received: receivedInput,
  frame: dataFrame,
};

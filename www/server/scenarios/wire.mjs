/** The same story told in other words on the wire: the page must not notice. */
import { finished, result, started, text } from "../events.mjs";
import { pieces, tokens, wait } from "../steps.mjs";

/** No START, no END: chunks open a message, continue it, and close it by opening the next one. */
export const chunks = {
  name: "chunks",
  title: "Chunk events",
  about: "The shorthand of the protocol: chunks without start and end.",
  prompt: "Answer in shorthand.",
  *run(input) {
    const { runId } = input;
    const [messageId, toolCallId] = [`${runId}-note`, `${runId}-call`];
    yield started(input);
    for (const [index, delta] of tokens("Let me look that up.").entries()) {
      yield { type: "TEXT_MESSAGE_CHUNK", delta, ...(index === 0 ? { messageId, role: "assistant" } : {}) };
      yield wait(30);
    }
    const opening = { toolCallId, toolCallName: "look_up", parentMessageId: messageId };
    for (const [index, delta] of pieces(JSON.stringify({ term: "shorthand", limit: 3 }), 5).entries()) {
      yield { type: "TOOL_CALL_CHUNK", delta, ...(index === 0 ? opening : {}) };
      yield wait(60);
    }
    yield result(toolCallId, { found: 3 });
    for (const [index, delta] of tokens("Found in three places, all of them brief.").entries()) {
      yield { type: "TEXT_MESSAGE_CHUNK", delta, ...(index === 0 ? { messageId: `${runId}-answer`, role: "assistant" } : {}) };
      yield wait(30);
    }
    yield finished(input);
  },
};

let frames = 0;

/** A byte order mark, CRLF and CR, comments, ids, event names, data over several lines: all of it allowed. */
export const crlf = {
  name: "crlf",
  title: "Unusual framing",
  about: "CRLF, comments, ids and a byte order mark on the wire.",
  prompt: "Use all of the event-stream format.",
  frame(event) {
    const start = event.type === "RUN_STARTED" ? "\uFEFFretry: 1500\r\n" : "";
    const lines = JSON.stringify(event, undefined, 1).split("\n");
    frames += 1;
    const eol = frames % 2 === 0 ? "\r\n" : "\r";
    const data = lines.map((line) => `data: ${line}${eol}`).join("");
    return `${start}: keep-alive${eol}id: ${frames}${eol}event: message${eol}${data}${eol}`;
  },
  *run(input) {
    yield started(input);
    yield* text(`${input.runId}-answer`, "Line ends of three kinds, comments in between, and not a word of it lost.");
    yield finished(input);
  },
};

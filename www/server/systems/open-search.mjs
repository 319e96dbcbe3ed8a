/**
 * OpenSearch's AG-UI agent: a stream of `data:` lines that ends with a second RUN_FINISHED, names its custom events
 * `Custom`, and reads the body only when the head of the answer is out, so that even a bad request is an error frame.
 */
import { streamHead } from "../http.mjs";
import { continued } from "../page-tools.mjs";
import { mark, pieces, tokens, wait } from "../steps.mjs";
import { dataFrame } from "./ag-ui.mjs";

const required = ["threadId", "runId", "state", "messages", "tools", "context", "forwardedProps"];

let nanos = 118_722_000;
let clock = Date.UTC(2026, 5, 12, 12);

const messageId = () => `msg_${(nanos += 1001)}`;
const ends = (input) => ({ type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId });

function read(text) {
  let input;
  try {
    input = JSON.parse(text);
  } catch (error) {
    throw new Error(`Failed to parse request: ${error.message}`);
  }
  const missing = required.filter((name) => input?.[name] === undefined);
  if (missing.length > 0) throw new Error(`Failed to parse request: not an AG-UI input, no ${missing.join(", ")}`);
  return input;
}

function* begin(input) {
  yield { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
  yield mark("start");
}

function* say(id, content) {
  yield { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" };
  for (const delta of tokens(content)) {
    yield { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta };
    yield wait(24);
  }
  yield { type: "TEXT_MESSAGE_END", messageId: id };
}

function* call(toolCallId, toolCallName, args, parentMessageId) {
  yield { type: "TOOL_CALL_START", toolCallId, toolCallName, ...(parentMessageId && { parentMessageId }) };
  yield { type: "TOOL_CALL_ARGS", toolCallId, delta: "" };
  for (const delta of pieces(JSON.stringify(args), 7)) {
    yield { type: "TOOL_CALL_ARGS", toolCallId, delta };
    yield wait(40);
  }
  yield { type: "TOOL_CALL_END", toolCallId };
}

const tokenUsage = () => {
  const model = {
    model_name: "claude-sonnet",
    model_url: "https://bedrock.example/model/claude-sonnet/converse-stream",
    model_id: "mdl-1",
    input_tokens: 812,
    output_tokens: 64,
    total_tokens: 876,
  };
  const value = { per_model_usage: [{ ...model, cache_read_input_tokens: 0, call_count: 1 }], per_turn_usage: [{ turn: 1, ...model }] };
  return { type: "Custom", name: "token_usage", value };
};

const text = {
  name: "text",
  title: "A tool of the cluster",
  about: "The cluster runs the tool; the run says what it cost, and twice that it is over.",
  prompt: "Which indices are there?",
  *run(input) {
    yield* begin(input);
    const id = messageId();
    const toolCallId = `tooluse_${nanos}`;
    yield* say(id, "I'll list the indices first.");
    yield* call(toolCallId, "ListIndexTool", { indices: ["logs-*"] }, id);
    yield wait(600);
    const content = 'row,health,index\n1,green,"logs-2026.06"\n';
    yield { type: "TOOL_CALL_RESULT", messageId: messageId(), toolCallId, content, role: "tool" };
    yield mark("result");
    yield* say(messageId(), "You have **one** log index, and it is healthy.");
    yield ends(input);
    yield tokenUsage();
    yield ends(input);
  },
};

/** A call of a tool that the page has: the run pauses, and the next request brings the result. */
const paused = (toolCallName, args, said, answered) =>
  function* (input) {
    yield* begin(input);
    const result = continued(input);
    const id = messageId();
    if (result === undefined) {
      yield* say(id, said);
      yield* call(`tooluse_${nanos}`, toolCallName, args, id);
      yield ends(input);
    } else yield* say(id, answered(result));
    yield ends(input);
  };

const query = {
  name: "query",
  title: "A tool of the page",
  about: "The agent fills the page's query bar, and goes on with what the page says.",
  prompt: "Show me the server errors.",
  run: paused(
    "update_query",
    { query: "source=logs | where status>=500", language: "PPL" },
    "Updating the query bar.",
    ({ success }) => (success === true ? "Done: the query bar asks for them, **42** events match." : "The query bar did not take it."),
  ),
};

const approval = {
  name: "approval",
  title: "A tool to be approved",
  about: "The page asks you before the agent hears about your window.",
  prompt: "Fit the dashboard to my screen.",
  run: paused(
    "read_window",
    {},
    "How large is your window?",
    ({ width, height, text: reason, error }) =>
      width > 0 ? `Your window has ${width} × ${height} pixels; two columns it is.` : `Then I leave it as it is (${error ?? reason ?? "denied"}).`,
  ),
};

const error = {
  name: "error",
  title: "An error without a type",
  about: "Older clusters end with a frame that is no event.",
  prompt: "Summarize the last hour.",
  *run(input) {
    yield* begin(input);
    yield* say(messageId(), "In the last hour there");
    yield { error: 'Error processing request: Error from remote service: "throttled"' };
  },
};

export const openSearch = {
  name: "open-search",
  paths: ["/_plugins/_ml/agents/*/_execute/stream"],
  scenarios: [text, query, approval, error],
  read,
  frame: ({ type, ...rest }) => dataFrame(type === undefined ? rest : { type, timestamp: clock += 7, ...rest }),
  refuse(failure, response) {
    response.writeHead(200, streamHead).end(`data: {"error": "${failure.message.replaceAll('"', '\\"')}"}\n\n`);
  },
};

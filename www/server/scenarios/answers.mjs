/** Answers that are nothing but text. */
import { finished, lastWords, started, text } from "../events.mjs";
import { mark, wait } from "../steps.mjs";
import { atlas } from "./atlas.mjs";

export const short = {
  name: "short",
  title: "Short answer",
  about: "One message of Markdown.",
  prompt: "What is AG-UI, in a few lines?",
  *run(input) {
    yield started(input);
    yield mark("start");
    yield wait(250);
    yield* text(
      `${input.runId}-answer`,
      "**AG-UI** is an open protocol between an agent and the page that shows it. The agent answers one request with a " +
        "stream of small events:\n\n" +
        "- *text*, as it is written\n- *tool calls*, with arguments that grow\n- *state*, as a snapshot and patches\n\n" +
        "The page folds them into one picture:\n\n" +
        '```js\nimport { createAgent } from "ag-ui-wasm";\n\nconst agent = createAgent({ url: "/agent/short" });\n' +
        'await agent.submit("Hello!");\nconsole.log(agent.getSnapshot().messages);\n```\n\n' +
        "That is all there is to it. More in the [documentation](https://docs.ag-ui.com).",
    );
    yield finished(input);
  },
};

export const long = {
  name: "long",
  title: "Long answer",
  about: "Five thousand tokens of headings, tables, lists and code.",
  prompt: "Write me a small atlas of rivers, with a table for each.",
  *run(input) {
    yield started(input);
    yield wait(300);
    yield* text(`${input.runId}-answer`, atlas, { ms: 3 });
    yield finished(input);
  },
};

export const slow = {
  name: "slow",
  title: "Slow model",
  about: "Two seconds of silence, then a token now and then. Try Stop.",
  prompt: "Take your time.",
  *run(input) {
    yield started(input);
    yield wait(2000);
    yield* text(
      `${input.runId}-answer`,
      "Some models think for a while, and some servers are far away. The page stays yours while they do: you can scroll, " +
        "write the next question, which then waits in the queue, or stop the run, which keeps what has been said so far.",
      { ms: 320 },
    );
    yield finished(input);
  },
};

export const echo = {
  name: "echo",
  title: "Echo",
  about: "Says again what you said. Send several at once: they queue.",
  prompt: "Is there an echo?",
  *run(input) {
    yield started(input);
    yield mark("start");
    yield* text(`${input.runId}-answer`, `You said: ${lastWords(input)}`, { ms: 60 });
    yield finished(input);
  },
};

/** Scenarios that need the page's help: its tools, its user's consent, and its patience with the network. */
import { call, finished, started, text, words } from "../events.mjs";
import { continued } from "../page-tools.mjs";
import { cut, mark, wait } from "../steps.mjs";

/** A run that ends with a call of the page's, and the next one that brings its result. */
const asks = (name, args, said, answered) =>
  function* (input) {
    yield started(input);
    const result = continued(input);
    const messageId = `${input.runId}-answer`;
    if (result === undefined) {
      yield* text(messageId, said, { half: false });
      yield* call(`${input.runId}-call`, name, args, { parentMessageId: messageId });
      yield mark("called");
    } else {
      yield mark("continued");
      yield* text(messageId, answered(result), { half: false });
    }
    yield finished(input);
  };

export const color = {
  name: "color",
  title: "A tool of the page",
  about: "The page runs it at once, and the agent goes on with the result.",
  prompt: "Give this page another color.",
  run: asks(
    "set_accent",
    { color: "plum" },
    "Something warmer, then.",
    ({ color: given }) => (given === undefined ? "It did not take, I'm afraid." : `There: the page is **${given}** now.`),
  ),
};

export const screen = {
  name: "screen",
  title: "A tool to be approved",
  about: "The page asks you before the agent hears about your window.",
  prompt: "Fit the dashboard to my screen.",
  run: asks(
    "read_window",
    {},
    "How large is your window?",
    ({ width, height, text: reason }) => width > 0 ? `With **${width} × ${height}** pixels, two columns it is.` : `Then I leave it as it is. (${reason})`,
  ),
};

export const reconnect = {
  name: "reconnect",
  title: "A tunnel",
  about: "The connection is lost in mid-sentence; the page asks for the rest of the run.",
  prompt: "Tell me about the journey.",
  numbered: true,
  *run(input) {
    const messageId = `${input.runId}-answer`;
    yield started(input);
    yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    yield* words(messageId, "The train goes into the tunnel at the ninth kilometer, and ");
    yield mark("lost");
    yield wait(400);
    if (!input.joins) yield cut();
    yield* words(messageId, "comes out of it at the eleventh, with the sea on the left.");
    yield { type: "TEXT_MESSAGE_END", messageId };
    yield finished(input);
  },
};

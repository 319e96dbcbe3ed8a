import { finished, reasoning as think, started, text } from "../events.mjs";
import { mark, wait } from "../steps.mjs";

/** The first thought has an id of its own and stays a message; the second shares the answer's id and folds into it. */
export const reasoning = {
  name: "reasoning",
  title: "Reasoning",
  about: "Thoughts that fold away once the answer begins.",
  prompt: "A bat and a ball cost 1.10 together. The bat costs 1 more than the ball. What does the ball cost?",
  *run(input) {
    const { runId } = input;
    yield started(input);
    yield* think(
      `${runId}-plan`,
      "This is an old riddle with a tempting wrong answer, so it is worth writing the equations down before saying anything.",
    );
    yield wait(200);
    yield* think(
      `${runId}-answer`,
      "Let the ball cost x. Then the bat costs x + 1.\n\nTogether: x + (x + 1) = 1.10, so 2x = 0.10 and x = 0.05.\n\n" +
        "Check: 0.05 + 1.05 = 1.10, and 1.05 − 0.05 = 1. Good. The tempting answer, 0.10, would make the bat cost 1.10 and " +
        "the two together 1.20.",
    );
    yield mark("answer");
    yield* text(
      `${runId}-answer`,
      "The ball costs **5 cents**.\n\nWith the ball at *x*, the bat is *x* + 1, and together they are 2*x* + 1 = 1.10, " +
        "so *x* = 0.05. Ten cents, which comes to mind first, would make the two cost 1.20.",
    );
    yield finished(input);
  },
};

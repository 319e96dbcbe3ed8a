import { finished, lastWords, started, text } from "../events.mjs";
import { mark, wait } from "../steps.mjs";

const SIZE = 1000;

const questions = [
  "How far is it to the harbor?",
  "And if I take the tram?",
  "What do people eat there?",
  "Can I pay by card?",
  "Is there a quieter way back?",
];

const answers = [
  "About **two kilometers**, most of it downhill. Count on twenty-five minutes with a look at the shop windows.",
  "Line 18 goes every twelve minutes:\n\n1. get on at the *old bridge*\n2. get off at the fourth stop\n3. follow the gulls",
  "Fish, mostly. On Thursdays there is soup:\n\n| Soup | Price |\n| :-- | --: |\n| Caldo verde | 3.20 |\n| Fish | 4.80 |",
  "Nearly everywhere. The kiosk by the water takes coins only, `EUR` and no others.",
  "> Up the steps behind the church.\n\nSteep, but you have the gardens to yourself.",
];

/** A thread that was in progress before this page was opened: it comes in one piece. */
function* history(threadId) {
  for (let index = 0; index < SIZE / 2; index += 1) {
    const turn = index + 1;
    yield { id: `${threadId}-u${turn}`, role: "user", content: `${turn}. ${questions[index % questions.length]}` };
    yield { id: `${threadId}-a${turn}`, role: "assistant", content: answers[index % answers.length] };
  }
}

export const thread = {
  name: "thread",
  title: "A thousand messages",
  about: "A long thread arrives at once; the next answer streams under it.",
  prompt: "Open our old conversation.",
  *run(input) {
    const { threadId, runId } = input;
    yield started(input);
    if (input.messages.length < SIZE) {
      // A snapshot keeps the local order and appends what is new, so the question comes again, with an id of the
      // server's, after the thread it asks for.
      const question = { id: `${runId}-question`, role: "user", content: lastWords(input) };
      yield { type: "MESSAGES_SNAPSHOT", messages: [...history(threadId), question] };
      yield mark("snapshot");
      yield wait(400);
    }
    yield* text(
      `${runId}-answer`,
      "Here we are again. You had asked about the way to the harbor, the tram, the soup, the money and the way back, " +
        "a hundred times each, and I had never tired of it. **What would you like to know today?**",
    );
    yield finished(input);
  },
};

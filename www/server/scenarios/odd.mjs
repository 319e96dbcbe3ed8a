import { delta, finished, snapshot, started, text } from "../events.mjs";
import { raw } from "../steps.mjs";

/** Events that a tolerant reader survives: each of these is reported and left out, and the run continues. */
export const odd = {
  name: "odd",
  title: "Broken frames",
  about: "Frames that are broken, unknown or out of place: reported, and the answer goes on.",
  prompt: "Are you all right?",
  *run(input) {
    yield started(input);
    yield raw('data: {"type": "TEXT_MESSAGE_CONTENT", "messageId\n\n');
    yield raw("data: [1, 2, 3]\n\n");
    yield raw('data: {"messageId": "m", "delta": "no type"}\n\n');
    yield { type: "TELEPATHY_STARTED", messageId: "m" };
    // A literal with __proto__ would set the prototype; parsed, it is a key like any other.
    yield snapshot(JSON.parse('{ "mood": "fine", "__proto__": { "polluted": true }, "constructor": "plain", "big": 9007199254740993 }'));
    yield delta({ op: "replace", path: "/mood", value: "broken" }, { op: "remove", path: "/nowhere" });
    yield* text(`${input.runId}-answer`, "Never better. Four frames were odd, one patch did not fit, and here I am.");
    yield finished(input);
  },
};

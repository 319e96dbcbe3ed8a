// The recording that the first page plays: events and pauses as docs/recordings.md has them, written by the demo's own helpers.

import { pathToFileURL } from "node:url";
import { at } from "../paths.mjs";

// The demo's server is not typed.
const { call, finished, result, started, text } = await import(pathToFileURL(at("www/server/events.mjs")).href);
const { wait } = await import(pathToFileURL(at("www/server/steps.mjs")).href);

const run = { threadId: "thread", runId: "run" };

function* script() {
  yield started(run);
  yield wait(400);
  yield* text("m1", "I'll look that up.", { half: false, ms: 40 });
  yield* call("c1", "search_trains", { from: "Lisbon", to: "Porto", date: "2026-12-04", latestArrival: "14:00" }, { parentMessageId: "m1" });
  yield wait(700);
  yield result("c1", { trains: [["08:09", "10:58", 31.9], ["09:39", "12:28", 28.4]].map(([departs, arrives, price]) => ({ departs, arrives, price })) });
  yield wait(300);
  yield* text("m2", "Take the 09:39: it is cheaper, and you sleep longer.", { half: false, ms: 45 });
  yield finished(run);
}

/** As JSON Lines. */
export const recording = () =>
  [...script()].flatMap((step) => (step.step === undefined ? [JSON.stringify(step)] : step.step === "wait" ? [String(step.ms)] : [])).join("\n");

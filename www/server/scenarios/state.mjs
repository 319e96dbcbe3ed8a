import { delta, finished, snapshot, started, words } from "../events.mjs";
import { mark, wait } from "../steps.mjs";

const stops = [
  { day: 1, place: "Ribeira", note: "Arrive by train, walk along the Douro", hours: 4, cost: 18 },
  { day: 1, place: "Livraria Lello", note: "Tickets for 16:30", hours: 1, cost: 16 },
  { day: 2, place: "Serralves", note: "Museum and park", hours: 5, cost: 48 },
  { day: 2, place: "Foz", note: "Tram 1 to the sea, supper at the lighthouse", hours: 3, cost: 55 },
  { day: 3, place: "Bolhão market", note: "Breakfast, in case of rain", hours: 2, cost: 22 },
];

const said = [
  "A weekend in Porto, then. First the river, ",
  "and the bookshop when the crowds thin out. ",
  "The second day belongs to Serralves, ",
  "the evening to the sea. ",
  "And for the rain, a market with a roof.",
];

/** A travel plan that the agent builds up: one snapshot, then patches between the words. */
export const state = {
  name: "state",
  title: "Shared state",
  about: "A travel plan the agent fills in, patch by patch. Watch the state panel.",
  prompt: "Plan a weekend in Porto for two, and keep it under 200 euros.",
  *run(input) {
    const messageId = `${input.runId}-answer`;
    yield started(input);
    yield snapshot({
      trip: { city: "Porto", from: "2026-12-04", nights: 2, travelers: 2 },
      status: "planning",
      stops: [],
      budget: { currency: "EUR", limit: 200, spent: 0 },
    });
    yield mark("snapshot");
    yield wait(500);
    yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    let spent = 0;
    for (const [index, stop] of stops.entries()) {
      spent += stop.cost;
      yield* words(messageId, said[index]);
      yield delta(
        { op: "add", path: "/stops/-", value: { ...stop, booked: false } },
        { op: "replace", path: "/budget/spent", value: spent },
      );
      yield mark("stop");
      yield wait(450);
    }
    yield { type: "TEXT_MESSAGE_END", messageId };
    for (const [index] of stops.entries()) {
      yield wait(250);
      yield delta({ op: "replace", path: `/stops/${index}/booked`, value: true });
    }
    yield delta({ op: "replace", path: "/status", value: "booked" }, { op: "add", path: "/confirmation", value: "PRT-4821" });
    yield finished(input);
  },
};

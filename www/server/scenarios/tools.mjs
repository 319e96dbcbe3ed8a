import { finished, result, started, text } from "../events.mjs";
import { mark, pieces, wait } from "../steps.mjs";

const calls = [
  {
    name: "search_trains",
    args: {
      from: "Lisbon",
      to: "Porto",
      date: "2026-12-04",
      passengers: [{ kind: "adult", count: 2 }],
      filters: { direct: true, latestArrival: "14:00" },
    },
    result: {
      trains: [
        { number: "AP 121", departs: "08:09", arrives: "10:58", price: 31.9 },
        { number: "AP 123", departs: "09:39", arrives: "12:28", price: 28.4 },
      ],
    },
  },
  {
    name: "get_forecast",
    args: { place: "Porto", days: 3, units: "metric", include: ["rain", "wind", "sunset"] },
    result: { days: [{ sky: "sun", high: 16 }, { sky: "cloud", high: 15 }, { sky: "rain", high: 13 }] },
  },
];

/** Two calls side by side: their arguments come interleaved, their results in the other order. */
export const tools = {
  name: "tools",
  title: "Tool calls",
  about: "Two calls side by side, with arguments that grow as they stream.",
  prompt: "Find a morning train from Lisbon to Porto on 4 December, and will it rain?",
  *run(input) {
    const { runId } = input;
    const parentMessageId = `${runId}-calls`;
    const ids = calls.map((_, index) => `${runId}-call-${index + 1}`);
    yield started(input);
    yield* text(parentMessageId, "I'll look up trains and the weather at the same time.", { half: false });

    for (const [index, { name }] of calls.entries()) {
      yield { type: "TOOL_CALL_START", toolCallId: ids[index], toolCallName: name, parentMessageId };
    }
    yield mark("args");
    const parts = calls.map(({ args }) => pieces(JSON.stringify(args), 6));
    const longest = Math.max(...parts.map((part) => part.length));
    for (let at = 0; at < longest; at += 1) {
      for (const [index, part] of parts.entries()) {
        if (part[at] === undefined) continue;
        yield { type: "TOOL_CALL_ARGS", toolCallId: ids[index], delta: part[at] };
        yield wait(45);
      }
      if (at === 3 || at === 9) yield mark("args");
    }
    for (const toolCallId of ids) yield { type: "TOOL_CALL_END", toolCallId };
    yield mark("called");
    for (const index of [1, 0]) {
      yield wait(700);
      yield result(ids[index], calls[index].result);
      yield mark("result");
    }

    yield wait(300);
    yield* text(
      `${runId}-answer`,
      "Two direct trains arrive before two:\n\n| Train | Departs | Arrives | Fare |\n| :-- | --: | --: | --: |\n" +
        "| AP 121 | 08:09 | 10:58 | €31.90 |\n| AP 123 | 09:39 | 12:28 | €28.40 |\n\n" +
        "Take the **09:39**: it is cheaper, and you sleep longer. Porto has sun on the first day and rain on the third, " +
        "so keep the bookshop for Sunday.",
    );
    yield finished(input);
  },
};

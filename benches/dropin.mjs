// Row 12: the surface of the official client over our core, and the official client itself, in the processor's time of Node.
// In a page that renders, a steady trickle of deltas costs what the page's own rendering costs: these figures are the client's.

import assert from "node:assert/strict";
import * as official from "@ag-ui/client";
import * as ours from "ag-ui-wasm/ag-ui-client";
import { processorTime, quantile, ratio, alternate } from "./measure.mjs";
import { spread, time } from "./report.mjs";
import { answer, reads } from "./workload.mjs";

/** @typedef {import("./report.mjs").Line} Line */

const nothing = () => {};
/** @param {string[]} names */
const listening = (names) => Object.fromEntries(names.map((name) => [name, nothing]));

/** Which hooks the libraries' own subscribers have. */
const copilotKit = listening([
  "onRunInitialized",
  "onRunStartedEvent",
  "onRunFinishedEvent",
  "onRunErrorEvent",
  "onRunFailed",
  "onRunFinalized",
  "onToolCallResultEvent",
  "onStateSnapshotEvent",
  "onStateDeltaEvent",
  "onTextMessageStartEvent",
  "onMessagesSnapshotEvent",
  "onNewMessage",
  "onMessagesChanged",
  "onStateChanged",
]);
const assistantUi = listening([
  "onRunFinalized",
  "onRunFailed",
  "onRunErrorEvent",
  "onRunStartedEvent",
  "onRunFinishedEvent",
  "onTextMessageStartEvent",
  "onTextMessageContentEvent",
  "onTextMessageEndEvent",
  "onToolCallStartEvent",
  "onToolCallArgsEvent",
  "onToolCallEndEvent",
  "onToolCallResultEvent",
  "onStateSnapshotEvent",
  "onStateDeltaEvent",
  "onMessagesSnapshotEvent",
  "onCustomEvent",
  "onRawEvent",
  "onReasoningMessageStartEvent",
  "onReasoningMessageContentEvent",
  "onReasoningMessageEndEvent",
  "onEvent",
]);

const messages = Array.from({ length: 500 }, (_, at) => ({ id: `m${at}`, role: at % 2 ? "assistant" : "user", content: "x".repeat(1024) }));
/** @param {object[]} events */
const frames = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
const begin = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const end = { type: "RUN_FINISHED", threadId: "t", runId: "r" };

/** @param {number} deltas */
const textRun = (deltas) => [
  begin,
  { type: "TEXT_MESSAGE_START", messageId: "new", role: "assistant" },
  ...Array.from({ length: deltas }, () => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "new", delta: "a few words " })),
  { type: "TEXT_MESSAGE_END", messageId: "new" },
  end,
];

const argsText = JSON.stringify({ document: "eight it".repeat(4 * 1024 - 2) });
const argsRun = [
  begin,
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" },
  ...(argsText.match(/.{1,8}/gs) ?? []).map((piece) => ({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: piece })),
  { type: "TOOL_CALL_END", toolCallId: "c" },
  end,
];

/**
 * The processor's time of one run.
 *
 * @param {any} client @param {object} subscriber @param {object[]} events @param {object} [config]
 */
async function run({ HttpAgent }, subscriber, events, config) {
  const body = reads(frames(events), 10);
  let requested = NaN;
  const fetch = async () => {
    requested = processorTime();
    return answer(body);
  };
  const agent = new HttpAgent({ url: "http://agent.test/", fetch, initialMessages: messages, ...config });
  agent.subscribe(subscriber);
  await agent.runAgent();
  const spent = processorTime() - requested;
  assert.ok(agent.messages.length === messages.length + 1);
  return spent;
}

/** Milliseconds a delta: what a longer run takes more. @param {any} client @param {object} subscriber @param {number} more @param {object} [config] */
async function delta(client, subscriber, more, config) {
  const base = await run(client, subscriber, textRun(50), config);
  const long = await run(client, subscriber, textRun(50 + more), config);
  return Math.max(long - base, 0.001) / more;
}

/** @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* dropIn({ full }) {
  const rounds = full ? 9 : 3;
  /** @type {[string, object, number, object?][]} */
  const kinds = [
    ["no hooks but onMessagesChanged", { onMessagesChanged: nothing }, 200],
    ["CopilotKit's hooks", copilotKit, 50],
    ["assistant-ui's hooks", assistantUi, 50],
    ["assistant-ui's hooks, joinDeltas", assistantUi, 50, { joinDeltas: true }],
  ];
  for (const [name, subscriber, target, config] of kinds) {
    const figures = await alternate(
      { official: () => delta(official, subscriber, 300), ours: () => delta(ours, subscriber, config ? 60_000 : 6000, config) },
      rounds,
    );
    const times = ratio(figures.official, figures.ours);
    yield {
      row: 12,
      work: `a delta, 500 messages of 1 KB, ${name}`,
      ours: time(quantile(figures.ours, 0.5)),
      other: `@ag-ui/client ${time(quantile(figures.official, 0.5))}`,
      ratio: spread(times),
      target: `≥ ${target}`,
      met: times.median >= target,
      data: figures,
    };
  }
  for (const [name, config] of /** @type {[string, object?][]} */ ([["hook"], ["hook, joinDeltas", { joinDeltas: true }]])) {
    const subscriber = { onToolCallArgsEvent: nothing };
    const figures = await alternate({ official: () => run(official, subscriber, argsRun), ours: () => run(ours, subscriber, argsRun, config) }, full ? 5 : 2);
    const times = ratio(figures.official, figures.ours);
    yield {
      row: 12,
      work: `arguments of 32 KB, 8 a delta, ${name}`,
      ours: time(quantile(figures.ours, 0.5)),
      other: `@ag-ui/client ${time(quantile(figures.official, 0.5))}`,
      ratio: spread(times),
      target: "",
      met: undefined,
      data: figures,
    };
  }
}

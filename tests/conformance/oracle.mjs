// The official client as a judge: runs a case with `@ag-ui/client` 1.0.0 and puts what came out into the words of cases.
//
//   node tests/conformance/oracle.mjs --update     runs tests/fixtures/conformance/cases.jsonl again, and writes `expect`
//   node tests/conformance/oracle.mjs FILE.jsonl   prints the cases of a file with `expect` filled in

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { answer, contents, parseCases } from "./cases.mjs";

// The client freezes what subscribers get while it is developed with, and says on the console what it drops.
process.env.NODE_ENV = "production";
const { HttpAgent } = await import("@ag-ui/client");

/** @typedef {import("./cases.mjs").Case} Case */
/** @typedef {import("./cases.mjs").Expectation} Expectation */
/** @typedef {import("./cases.mjs").Failure} Failure */

const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** @param {any} value */
const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** Long enough for all that a read sets going: the client waits for nothing but promises. */
export const pace = async () => {
  for (let turn = 0; turn < 2; turn++) await new Promise((done) => setImmediate(done));
};

/**
 * The official client's results for a case: all that may be observed, with the ids that it mints as they are.
 *
 * @param {Case} given
 * @param {boolean} [slowly]  each read is applied before the next one comes
 * @returns {Promise<Expectation>}
 */
export async function runOfficial(given, slowly = true) {
  /** @type {any} */
  let request;
  /** How many reads there were when the run failed. */
  let failedAt = 0;
  const told = { reads: 0, enough: false };
  const { initial = {}, threadId = "t", peerCeiling, params = {} } = given;
  class Agent extends HttpAgent {
    get maxProtocolVersion() {
      return peerCeiling ?? super.maxProtocolVersion;
    }
  }
  const agent = new Agent({
    url: "http://agent.test/",
    threadId,
    agentId: "judge",
    initialMessages: plain(initial.messages ?? []),
    initialState: plain(initial.state ?? {}),
    fetch: async (/** @type {any} */ _url, /** @type {any} */ init) => {
      request = JSON.parse(init.body);
      return answer(given, slowly ? pace : undefined, told);
    },
  });
  if ("state" in initial) agent.state = plain(initial.state);
  if (initial.pendingInterrupts) agent.pendingInterrupts = plain(initial.pendingInterrupts);

  /** @type {string[]} */
  const callbacks = [];
  /** @type {any} */
  let pendingToolCallIds;
  const subscriber = new Proxy({}, {
    get: (_, hook) => {
      if (typeof hook !== "string" || !hook.startsWith("on")) return undefined;
      return (/** @type {any} */ given) => {
        callbacks.push(hook);
        if (hook === "onRunFinishedEvent") pendingToolCallIds = plain(given.pendingToolCallIds);
      };
    },
  });

  /** @type {Record<string, any>} */
  const seen = {};
  const quiet = hush();
  const lost = strays();
  try {
    const { result, newMessages } = await agent.runAgent(params, subscriber);
    Object.assign(seen, { result: plain(result), newMessages: plain(newMessages) });
  } catch (error) {
    seen.error = failure(error);
    failedAt = told.reads;
  }
  // Results that a failure has overtaken, or nobody waits for. The client reads on when it has failed.
  told.enough = true;
  for (let turn = 0; turn < 4; turn++) await pace();
  return {
    ...seen,
    messages: plain(agent.messages),
    state: plain(agent.state) ?? null,
    request: request && { ...request, runId: params.runId || "$run" },
    pendingInterrupts: plain(agent.pendingInterrupts),
    pendingToolCallIds,
    ...quiet.end(),
    callbacks,
    unhandled: lost.end(),
    failedAt,
  };
}

/**
 * The `expect` of a case.
 *
 * @param {Case} given
 * @param {Expectation} seen
 * @returns {Expectation}
 */
export function expectation(given, { messages, state, error, ...more }) {
  const observed = (given.observe ?? []).filter((name) => more[name] !== undefined).map((name) => [name, more[name]]);
  const expect = { messages, state, ...(error && { error }), ...Object.fromEntries(observed) };
  const known = new Set(contents(given).match(uuid));
  /** @type {string[]} */
  const minted = [];
  const named = JSON.stringify(expect).replace(uuid, (id) => {
    if (known.has(id)) return id;
    if (!minted.includes(id)) minted.push(id);
    return `$mint${minted.indexOf(id) + 1}`;
  });
  return JSON.parse(named);
}

/** Rules by what is wrong with an event, and by the event. */
const wrong = [
  { of: /already in progress/, rules: { TEXT_MESSAGE_START: "V9", TOOL_CALL_START: "V14", REASONING: "V24" } },
  { of: /No active/i, rules: { TEXT_MESSAGE_CONTENT: "V11", TEXT_MESSAGE_END: "V12", TOOL_CALL: "V18", REASONING: "V26", SUBAGENT: "V34" } },
  { of: /match its parent message/, rules: { TOOL_CALL_START: "V15" } },
  { of: /is owned by/, rules: { TOOL_CALL_START: "V17" } },
  {
    of: /opener's subagent/,
    rules: {
      TEXT_MESSAGE_START: "V10",
      TEXT_MESSAGE: "V13",
      TOOL_CALL_START: "V16",
      TOOL_CALL: "V19",
      REASONING_ENCRYPTED_VALUE: "V28",
      REASONING_START: "V25",
      REASONING_MESSAGE_START: "V25",
      REASONING: "V27",
      ACTIVITY_DELTA: "V30",
    },
  },
  { of: /has already errored/, rules: { "": "V1" } },
  { of: /has already finished with/, rules: { "": "V2" } },
  { of: /run is still active/, rules: { RUN_STARTED: "V4" } },
  { of: /is already active\./, rules: { SUBAGENT_STARTED: "V31" } },
  { of: /already finished in this run/, rules: { SUBAGENT_STARTED: "V32" } },
  { of: /not been started in this run/, rules: { SUBAGENT_STARTED: "V33" } },
  { of: /for step/, rules: { STEP_FINISHED: "V22" } },
  { of: /while .* still active/, rules: { RUN_FINISHED: "V38" } },
];

/** Messages that name no event in their first words. */
const beginnings = {
  "Invalid event:": "T10",
  "HTTP ": "T4",
  "Failed to getReader": "T5",
  "SSE buffer": "T12",
  "Protobuf message size": "T14",
  "The binary stream ended": "T15",
  "Failed to decode protocol buffer": "T16",
  "First event must": "V3",
  "First ": "C7",
  "Ambiguous ": "C5",
  "Step ": "V21",
  "Thread has ": "A2",
  "Interrupt ": "A3",
};

/** The rule that a failure of the official client is about. @param {string} message */
function ruleOf(message) {
  const event = /^Cannot send (?:event type )?'(\w+)'/.exec(message)?.[1];
  if (event !== undefined) {
    const rules = Object.entries(wrong.find(({ of }) => of.test(message))?.rules ?? {});
    return rules.find(([start]) => event.startsWith(start))?.[1];
  }
  if (message.startsWith("Cannot continue ")) return message.includes(": chunk subagentRunId ") ? "C2" : "C9";
  return Object.entries(beginnings).find(([start]) => message.startsWith(start))?.[1];
}

/** @param {any} error @returns {Failure} */
function failure(error) {
  if (Array.isArray(error?.issues)) {
    const paths = error.issues.map((/** @type {any} */ { path }) => `/${path.join("/")}`);
    return { kind: "schema", rule: "G4", paths: [...new Set(paths)].map(String) };
  }
  if (error instanceof SyntaxError) return { kind: "json", rule: "T9" };
  const message = String(error?.message ?? error);
  const rule = ruleOf(message);
  if (rule === undefined) return { kind: "other", message };
  return { kind: kindOf(rule), rule, ...(typeof error.status === "number" && { status: error.status }) };
}

/** The kind of failure, from the rule that reports it. @param {string} rule */
export function kindOf(rule) {
  const said = { T4: "http", T5: "http", T9: "json", T10: "frame" }[rule];
  const rooms = { A: "resume", C: "expand", G: "schema", L: "schema", P: "transport", T: "transport", V: "verify" };
  return said ?? rooms[/** @type {keyof typeof rooms} */ (rule.charAt(0))] ?? "other";
}

/** Keeps the console quiet, and counts what it was warned of. */
function hush() {
  const { warn, error, debug } = console;
  let warnings = 0;
  let failedPatches = 0;
  const take = (/** @type {unknown[]} */ ...said) => {
    warnings++;
    if (/^Failed to apply .*patch/i.test(String(said[0]))) failedPatches++;
  };
  Object.assign(console, { warn: take, error: () => {}, debug: () => {} });
  return { end: () => (Object.assign(console, { warn, error, debug }), { warnings, failedPatches }) };
}

/** Rejections that nobody handles: they would end the process. */
function strays() {
  /** @type {string[]} */
  const found = [];
  const take = (/** @type {any} */ reason) => void found.push(String(reason?.message ?? reason));
  // The test runner listens too, and would take them for failures of ours.
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", take);
  const end = () => {
    process.off("unhandledRejection", take);
    for (const other of others) process.on("unhandledRejection", other);
    return found;
  };
  return { end };
}

/** @param {Case[]} cases */
async function fill(cases) {
  const lines = [];
  for (const { expect: _, tolerant, ...given } of cases) {
    const expect = expectation(given, await runOfficial(given));
    lines.push(`${JSON.stringify({ ...given, expect, ...(tolerant && { tolerant }) })}\n`);
  }
  return lines.join("");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , file] = process.argv;
  const own = new URL("../fixtures/conformance/cases.jsonl", import.meta.url);
  if (file === "--update") writeFileSync(own, await fill(parseCases(readFileSync(own, "utf8"))));
  else if (file) process.stdout.write(await fill(parseCases(readFileSync(file, "utf8"))));
  else console.error("usage: node tests/conformance/oracle.mjs --update | FILE.jsonl");
}

// The built package against an agent server that is not ours: pydantic-ai from PyPI, with models that are functions.
//
//   node tests/real-server/run.mjs          makes the Python environment that it needs; 77: there is no Python for it
//
// PYTHON names an interpreter that has requirements.txt installed.

import { createAgent, tool } from "ag-ui-wasm";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Failure } from "../../tools/run.mjs";
import { ensurePython } from "../../tools/setup.mjs";
import { run } from "../cli/server.mjs";

/** @typedef {import("ag-ui-wasm").AgentSnapshot} Snapshot */

/** @type {import("node:child_process").ChildProcess} */
let server;
let address = "";
const python = process.env.PYTHON ?? (await findPython());

describe("pydantic-ai", { timeout: 60_000 }, () => {
  before(async () => {
    server = spawn(python, [fileURLToPath(new URL("server.py", import.meta.url))], { stdio: ["ignore", "pipe", "inherit"] });
    address = `http://127.0.0.1:${await firstLine(server)}`;
  });
  after(() => server.kill());

  test("streams a text answer", async () => {
    const { agent, seen } = start();
    const { outcome, runId } = await agent.submit("hello there");
    const snapshot = agent.getSnapshot();
    assert.equal(outcome, "success");
    assert.equal(snapshot.status, "idle");
    assert.equal(snapshot.runId, runId);
    assert.deepEqual(texts(snapshot), ["user: hello there", "assistant: Hello, wörld 👋🏽 שלום, 42."]);
    assert.deepEqual(snapshot.messages.map(({ delivery }) => delivery), ["complete", "complete"]);
    assert.ok((snapshot.timing?.firstTokenMs ?? -1) >= 0);

    assert.equal(seen[0]?.status, "running", "the run shows before anything has come");
    assert.deepEqual(texts(seen[0]), ["user: hello there"]);
    const answers = seen.flatMap(({ messages }) => messages.slice(1).map(({ content }) => /** @type {string} */ (content)));
    for (const [i, answer] of answers.entries()) assert.ok(answer.startsWith(answers[i - 1] ?? ""), "an answer only grows");
  });

  test("shows reasoning before the answer", async () => {
    const { agent } = start();
    await agent.submit("think");
    assert.deepEqual(texts(agent.getSnapshot()), ["user: think", "reasoning: Let me see.", "assistant: Done."]);
  });

  test("streams a tool call, and its result", async () => {
    const { agent, seen } = start();
    const { outcome } = await agent.submit("weather in Zürich");
    const snapshot = agent.getSnapshot();
    assert.equal(outcome, "success");
    assert.equal(snapshot.toolCalls.length, 1);
    const [call] = snapshot.toolCalls;
    assert.deepEqual(
      { id: call?.id, name: call?.name, args: call?.args, argsText: call?.argsText, status: call?.status, phase: call?.phase, result: call?.result },
      {
        id: "call-weather",
        name: "weather",
        args: { city: "Zürich" },
        argsText: '{"city": "Zürich"}',
        status: "complete",
        phase: "output-available",
        result: { city: "Zürich", celsius: 21 },
      },
    );
    assert.ok(snapshot.messages.some(({ id }) => id === call?.messageId), "the call names the message that holds it");
    assert.deepEqual(roles(snapshot), ["user", "assistant", "tool", "assistant"]);
    assert.equal(texts(snapshot).at(-1), 'assistant: It said: {"city":"Zürich","celsius":21}');

    const phases = [...new Set(seen.map(({ toolCalls }) => toolCalls[0]?.phase))];
    assert.ok(isInOrder(phases, [undefined, "input-streaming", "input-available", "executing", "output-available"]), `${phases}`);
  });

  test("keeps the results of two calls apart", async () => {
    const { agent } = start();
    await agent.submit("both");
    const { toolCalls, messages } = agent.getSnapshot();
    assert.deepEqual(
      toolCalls.map(({ id, args, result }) => [id, args["city"], /** @type {any} */ (result).city]),
      [
        ["call-rome", "Rome", "Rome"],
        ["call-kyiv", "Kyiv", "Kyiv"],
      ],
    );
    assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool", "tool", "assistant"]);
  });

  test("takes the state from a snapshot and a delta, and sends it back", async () => {
    const { agent } = start({ initialState: { title: "", steps: ["wash"] } });
    /** @type {unknown[]} */
    const custom = [];
    agent.on("custom", (event) => custom.push(event));
    await agent.submit("cook soup");
    assert.deepEqual(agent.getSnapshot().state, { title: "Soup", steps: ["wash", "boil", "season"] });
    assert.deepEqual(custom, [{ type: "custom", name: "progress", data: { percent: 50 } }]);
    await agent.submit("cook more soup");
    assert.deepEqual(agent.getSnapshot().state, { title: "Soup", steps: ["wash", "boil", "season", "boil", "season"] });
  });

  test("carries a conversation over several turns", async () => {
    const { agent } = start();
    await agent.submit("weather in Zürich");
    await agent.submit("hello again");
    await agent.submit("count");
    const snapshot = agent.getSnapshot();
    assert.equal(texts(snapshot).at(-1), "assistant: That was message 3; the first was 'weather in Zürich'.");
    assert.deepEqual(roles(snapshot), ["user", "assistant", "tool", "assistant", "user", "assistant", "user", "assistant"]);
    assert.equal(new Set(snapshot.messages.map(({ id }) => id)).size, 8);
  });

  test("asks for approval, and goes on with the answer", async () => {
    const { agent } = start();
    const { outcome } = await agent.submit("delete it");
    const [interrupt, ...others] = agent.getSnapshot().interrupts;
    assert.equal(outcome, "interrupted");
    assert.deepEqual(others, []);
    assert.equal(interrupt?.toolCallId, "call-delete");
    const resumed = await agent.resume([{ interruptId: interrupt?.id ?? "", status: "resolved", payload: { approved: true } }]);
    assert.equal(resumed.outcome, "success");
    const snapshot = agent.getSnapshot();
    assert.deepEqual(snapshot.interrupts, []);
    assert.equal(snapshot.toolCalls[0]?.result, "deleted /tmp/a");
    assert.equal(texts(snapshot).at(-1), "assistant: It said: deleted /tmp/a");
  });

  test("waits for tools of the page and for people, and goes on with their answers", async () => {
    /** @type {unknown[]} */
    const sent = [];
    const { agent } = start({
      tools: [
        tool({ name: "page_title", description: "The page's title", parameters: { type: "object", properties: {} }, execute: () => "Recipes" }),
        tool({
          name: "send",
          description: "Sends it",
          parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
          needsApproval: true,
          execute: (args) => {
            sent.push(args);
            return "sent";
          },
        }),
      ],
    });
    const first = await agent.submit("page please");
    assert.equal(first.outcome, "success");
    assert.deepEqual(first.pendingToolCallIds, ["call-send"], "somebody has to approve");
    assert.deepEqual(agent.getSnapshot().toolCalls.map(({ phase }) => phase), ["output-available", "awaiting-approval"]);
    agent.approve("call-send", { to: "one" });
    await until(agent, ({ messages, status }) => status === "idle" && messages.at(-1)?.role === "assistant");
    const snapshot = agent.getSnapshot();
    assert.deepEqual(sent, [{ to: "one" }], "with the arguments that were approved");
    assert.deepEqual(roles(snapshot), ["user", "assistant", "tool", "tool", "assistant"]);
    assert.equal(texts(snapshot).at(-1), "assistant: It said: sent");
    assert.equal(snapshot.error, undefined);
  });

  test("stops in mid-stream, and goes on afterwards", async () => {
    const { agent } = start();
    const run = agent.submit("wait for me");
    await until(agent, ({ messages }) => messages.at(-1)?.content === "One moment …");
    assert.equal(agent.getSnapshot().messages.at(-1)?.delivery, "streaming");
    await agent.stop();
    assert.equal((await run).outcome, "aborted");
    const snapshot = agent.getSnapshot();
    assert.equal(snapshot.status, "idle");
    assert.equal(snapshot.error, undefined);
    assert.deepEqual(texts(snapshot), ["user: wait for me", "assistant: One moment …"]);
    assert.equal(snapshot.messages[1]?.delivery, "aborted");
    assert.equal(await (await fetch(`${address}/abandoned`)).text(), "abandoned", "the server has been told");

    assert.equal((await agent.submit("hello again")).outcome, "success");
    assert.equal(agent.getSnapshot().messages.length, 4);
  });

  test("shows the failure of a run, with what came before it", async () => {
    const { agent } = start();
    const { outcome, error } = await agent.submit("fail please");
    assert.equal(outcome, "error");
    assert.equal(error?.kind, "run");
    assert.match(error?.message ?? "", /the model has failed/);
    const snapshot = agent.getSnapshot();
    assert.equal(snapshot.status, "error");
    assert.equal(snapshot.error, error);
    assert.deepEqual(texts(snapshot), ["user: fail please", "assistant: This will not"]);
  });

  test("shows an HTTP error, with what the server says", async () => {
    const { agent } = start({ fetch: (url, init) => fetch(url, { ...init, body: "{" }) });
    const { outcome, error } = await agent.submit("hello");
    assert.equal(outcome, "error");
    assert.equal(error?.kind, "http");
    assert.equal(error?.status, 422);
    assert.match(JSON.stringify(error?.body), /json_invalid/);
    assert.deepEqual(texts(agent.getSnapshot()), ["user: hello"]);
  });

  test("shows that nobody is there", async () => {
    const { agent } = start({ url: `${address}/nowhere` });
    assert.equal((await agent.submit("hello")).error?.status, 404);
  });

  test("retries what has failed", async () => {
    let broken = true;
    const { agent } = start({ fetch: (url, init) => fetch(url, broken ? { ...init, body: "{" } : init) });
    assert.equal((await agent.submit("hello again")).outcome, "error");
    broken = false;
    assert.equal((await agent.retry()).outcome, "success");
    assert.deepEqual(roles(agent.getSnapshot()), ["user", "assistant"]);
  });

  test("is judged by ag-ui-wasm check: it breaks no rule", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ag-ui-wasm-real-"));
    const turns = ["hello there", "think", "weather in Zürich", "both", "cook soup", "count"].map((message) => ({ message }));
    const asked = [{ message: "delete it" }, { resume: [{ payload: { approved: true } }] }];
    writeFileSync(join(folder, "script.json"), JSON.stringify({ state: { title: "", steps: [] }, turns: [...turns, ...asked] }));
    const record = join(folder, "recording.jsonl");
    const judged = await run(["check", `${address}/`, "--json", "--script", join(folder, "script.json"), "--record", record]);
    const { violations, framing, timing, official } = JSON.parse(judged.out);
    const recorded = readFileSync(record, "utf8");
    rmSync(folder, { recursive: true });
    assert.deepEqual(violations, []);
    assert.deepEqual([judged.status, judged.err], [0, ""]);
    assert.deepEqual([official.by, official.fails], ["client", false]);
    assert.deepEqual([framing.status, framing.kind, framing.lineEnds, framing.closes], [200, "sse", "lf", true]);
    // Each is that of the slowest turn, and not every turn has a token.
    for (const name of ["firstEventMs", "firstTokenMs"]) assert.ok(timing[name] > 0 && timing[name] <= timing.totalMs, `${name} of ${JSON.stringify(timing)}`);
    assert.equal(recorded.match(/^\{"request"/gm)?.length, 8, "a turn each");
  });

  test("reads what TestModel makes up", async () => {
    const { agent } = start({ url: `${address}/test-model` });
    assert.equal((await agent.submit("anything")).outcome, "success");
    const { toolCalls, messages } = agent.getSnapshot();
    assert.deepEqual(toolCalls.map(({ name, args, phase }) => ({ name, args, phase })), [{ name: "weather", args: { city: "a" }, phase: "output-available" }]);
    assert.equal(messages.at(-1)?.content, '{"weather":{"city":"a","celsius":21}}');
  });
});

/** An agent, and all that its listeners see. @param {Partial<import("ag-ui-wasm").AgentOptions>} [options] */
function start(options) {
  const agent = createAgent({ url: `${address}/`, notify: "sync", ...options });
  /** @type {Snapshot[]} */
  const seen = [];
  agent.subscribe(() => seen.push(agent.getSnapshot()));
  return { agent, seen };
}

/**
 * @param {import("ag-ui-wasm").Agent} agent
 * @param {(snapshot: Snapshot) => boolean} condition
 * @returns {Promise<void>}
 */
function until(agent, condition) {
  return new Promise((resolve) => {
    const check = () => {
      if (!condition(agent.getSnapshot())) return;
      off();
      resolve();
    };
    const off = agent.subscribe(check);
    check();
  });
}

const roles = (/** @type {Snapshot} */ { messages }) => messages.map(({ role }) => role);

/** @param {Snapshot | undefined} snapshot */
function texts(snapshot) {
  return (snapshot?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);
}

/** Whether the values are some of these, in their order. @param {unknown[]} values @param {unknown[]} order */
function isInOrder(values, order) {
  const places = values.map((value) => order.indexOf(value));
  return places.every((place, i) => place > (places[i - 1] ?? -1));
}

/** @param {import("node:child_process").ChildProcess} child @returns {Promise<string>} */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The server has ended with ${code}.`)));
    createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stdout) }).once("line", resolve);
  });
}

async function findPython() {
  try {
    return await ensurePython();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.log(`skipped: ${error.message}`);
    process.exit(77);
  }
}

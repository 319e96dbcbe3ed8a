// The program `ag-ui-wasm` as people and CI use it: what it prints, how it ends, what it records and serves.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { answerWith, broken, clean, said, stream } from "./bodies.mjs";
import { failed, finished, started } from "./faults.mjs";
import { program, run, serve } from "./server.mjs";

/** Without the official client beside it. */
const folder = mkdtempSync(join(tmpdir(), "ag-ui-wasm-check-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const inside = (/** @type {string[]} */ ...args) => run(args, { cwd: folder });
const file = (/** @type {string} */ name, /** @type {unknown} */ value) => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};

/** @type {(request: any, response: import("node:http").ServerResponse) => void} */
let answer;
/** @type {any[]} */
let requests = [];
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
before(async () => {
  server = await serve((request, response) => {
    requests.push({ headers: request.headers, input: request.body && JSON.parse(request.body) });
    answer(request, response);
  });
});
afterEach(() => (requests = []));
after(() => server.close());

/** @param {Buffer | string} body @param {Record<string, string>} [headers] @param {number} [status] */
const always = (body, headers = stream, status = 200) => {
  answer = (_request, response) => void response.writeHead(status, headers).end(body);
};

/** A server of a recording. @param {string[]} args */
async function replaying(...args) {
  const child = spawn(process.execPath, [program, "replay", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  return { url: String(url), end: () => child.kill() };
}

describe("check", () => {
  test("finds nothing wrong with a server that keeps the rules", async () => {
    always(clean);
    const { status, out, err } = await inside("check", server.url);
    assert.deepEqual([status, err], [0, ""]);
    assert.match(out, /✓ no violation/);
    assert.match(out, /framing {3}200 text\/event-stream, 5 frames, \d+ bytes, \d+ reads?, LF/);
    assert.match(out, /@ag-ui\/client 1\.0\.0 \(by the strict rules of this package\) reads it/);
    assert.equal(requests[0].input.messages[0].content, "Hello");
  });

  test("prints rule, code, event, place and what was expected", async () => {
    always(broken);
    const text = await inside("check", server.url, "--prompt", "go");
    assert.equal(text.status, 1);
    assert.match(text.out, /✗ 3 violations\n {2}turn 1, byte \d+: V12 {2}not-open {2}TEXT_MESSAGE_END\n {4}\S/);
    assert.equal(requests[0].input.messages[0].content, "go");

    const json = await inside("check", server.url, "--json");
    assert.equal(json.status, 1);
    const report = JSON.parse(json.out);
    assert.deepEqual(Object.keys(report), ["url", "violations", "timing", "framing", "official"]);
    assert.deepEqual(Object.keys(report.timing), ["firstEventMs", "firstTokenMs", "longestGapMs", "totalMs", "turns"]);
    const offsets = ['data: {"type":"TEXT_MESSAGE_END"', "data: {\r", 'data: {"type":"RUN_FINISHED"'].map((frame) => broken.lastIndexOf(frame));
    assert.deepEqual(
      report.violations.map((/** @type {any} */ { expected, ...violation }) => violation),
      [
        { rule: "V12", code: "not-open", eventType: "TEXT_MESSAGE_END", offset: offsets[0], turn: 1 },
        { rule: "T9", code: "frame-not-json", eventType: null, offset: offsets[1], turn: 1 },
        { rule: "G2", code: "property-unknown", eventType: "RUN_FINISHED", offset: offsets[2], turn: 1 },
      ],
    );
    assert.deepEqual([report.framing.lineEnds, report.framing.comments, report.framing.closes], ["mixed", 1, true]);
    const { by, fails, rule, offset, turn } = report.official;
    assert.deepEqual({ by, fails, rule, offset, turn }, { by: "core", fails: true, rule: "V12", offset: offsets[0], turn: 1 });

    const junit = await inside("check", server.url, "--junit");
    assert.equal(junit.status, 1);
    assert.match(junit.out, /<testsuite name="ag-ui-wasm check" tests="4" failures="3" errors="0"/);
    assert.match(junit.out, /name="V12 not-open TEXT_MESSAGE_END \(turn 1, byte \d+\)"><failure message="[^"]*&quot;m&quot;/);
  });

  test("asks the official client where it is installed", async () => {
    always(broken);
    const { out } = await run(["check", server.url, "--json"], { cwd: fileURLToPath(new URL("../..", import.meta.url)) });
    const { by, fails, message } = JSON.parse(out).official;
    assert.deepEqual([by, fails], ["client", true]);
    assert.match(message, /No active text message found/);
  });

  test("the agent's own failure breaks no rule", async () => {
    always(answerWith(started(), failed));
    const { status, out } = await inside("check", server.url);
    assert.equal(status, 0);
    assert.match(out, /turn 1: the run ended with RUN_ERROR: no/);
  });

  /** Servers that cannot be judged. @type {[string, () => void, RegExp][]} */
  const unjudged = [
    ["refuses who asks", () => always("", {}, 401), /HTTP 401/],
    ["is not there", () => always("nothing here", { "content-type": "text/plain" }, 404), /HTTP 404: nothing here/],
    ["answers with a page", () => always("<!doctype html><p>Hello", { "content-type": "text/html" }), /200 with text\/html, not with a stream of events/],
    ["speaks something else", () => always('data: {"choices":[]}\n\n'), /no event of AG-UI/],
    ["sends nothing", () => always(""), /no event of AG-UI/],
    ["sends comments", () => always(": alive\n\n"), /no event of AG-UI/],
    ["sends garbage", () => always(Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 131 + (at >> 3)) % 256))), /no event of AG-UI/],
    ["never answers", () => (answer = () => {}), /did not end within 0\.5 s/],
    [
      "never ends",
      () => (answer = (_request, response) => void response.writeHead(200, stream).write(answerWith(started(), ...said))),
      /did not end within 0\.5 s/,
    ],
  ];
  for (const [title, prepare, reason] of unjudged) {
    test(`does not judge a server that ${title}`, async () => {
      prepare();
      // Nobody has to be quick, but where the time is what is tested.
      const { status, out } = await inside("check", server.url, "--timeout", title.startsWith("never") ? "0.5" : "30");
      assert.equal(status, 2);
      assert.match(out, /✗ could not be judged: /);
      assert.doesNotMatch(out, /official/);
      assert.match(out, reason);
    });
  }

  test("does not judge nobody", async () => {
    const gone = await serve(() => {});
    await gone.close();
    const { status, out, err } = await inside("check", gone.url, "--json");
    assert.equal(status, 2);
    assert.match(err, /could not be judged: .*ECONNREFUSED/);
    assert.deepEqual(JSON.parse(out).violations, []);
  });

  test("a server whose second answer is empty has cut its run off", async () => {
    answer = ({ body }, response) => void response.writeHead(200, stream).end(JSON.parse(body).messages.length > 1 ? "" : clean);
    const { status, out } = await inside("check", server.url, "--json", "--script", file("two.json", { turns: [{ message: "a" }, { message: "b" }] }));
    assert.equal(status, 1);
    assert.deepEqual(JSON.parse(out).violations.map((/** @type {any} */ { rule, code, turn }) => [rule, code, turn]), [["T17", "truncated", 2]]);
  });

  test("equal violations are said once, and are all in the JSON", async () => {
    const ends = Array.from({ length: 300 }, () => ({ type: "TEXT_MESSAGE_END", messageId: "m" }));
    const body = answerWith(started(), ...ends, { type: "NEWS" }, finished());
    always(body);
    const { status, out } = await inside("check", server.url);
    assert.equal(status, 1);
    const last = body.lastIndexOf('data: {"type":"TEXT_MESSAGE_END"');
    assert.match(
      out,
      new RegExp(
        `✗ 301 violations\n {2}turn 1, byte \\d+: V12 {2}not-open {2}TEXT_MESSAGE_END\n.*\n.*\n {4}and 299 more, the last at turn 1, byte ${last}\n {2}turn 1, byte \\d+: G1`,
      ),
    );
    assert.ok(out.split("\n").length < 20, out);
    assert.equal(JSON.parse((await inside("check", server.url, "--json")).out).violations.length, 301);
  });

  test("a tool that answers at once does not make the server one that holds its body", async () => {
    answer = ({ body }, response) => {
      const call = { toolCallId: "c" };
      const calls = [{ type: "TOOL_CALL_START", toolCallName: "title", ...call }, { type: "TOOL_CALL_ARGS", delta: "{}", ...call }, {
        type: "TOOL_CALL_END",
        ...call,
      }];
      const first = JSON.parse(body).messages.at(-1).role === "user";
      response.writeHead(200, stream).write(answerWith(started(), ...(first ? calls : said), finished()));
      // The end of the body is a packet of its own.
      setTimeout(() => response.end(), 50);
    };
    const script = file("tool.json", { turns: [{ message: "hi", tools: [{ name: "title", result: "Recipes" }] }] });
    const { status, out } = await inside("check", server.url, "--script", script, "--json");
    const { framing, timing } = JSON.parse(out);
    assert.deepEqual([status, requests.length, framing.closes], [0, 2, true]);
    assert.doesNotMatch(framing.hints.join(), /stayed open/);
    assert.deepEqual(timing.turns.map((/** @type {any} */ { turn }) => turn), [1, 2]);
  });

  test("the slowest turn is named", async () => {
    answer = ({ body }, response) => {
      const slow = JSON.parse(body).messages.length > 1;
      response.writeHead(200, stream).flushHeaders();
      setTimeout(() => response.end(clean), slow ? 300 : 0);
    };
    const { out } = await inside("check", server.url, "--script", file("slow.json", { turns: [{ message: "a" }, { message: "b" }] }));
    assert.match(out, /timing {4}first event \d[\d.]* ms \(turn 2\), /);
  });

  for (const [type, body] of /** @type {const} */ ([
    ["text/plain", broken.toString("latin1")],
    [
      "application/json",
      `[\n  ${
        [started(), { type: "TEXT_MESSAGE_END", messageId: "{[\\" }, started({ runId: "]" }), finished({ runId: "]" })].map((event) => JSON.stringify(event))
          .join(",\n  ")
      }\n]`,
    ],
    ["", [started(), { type: "TEXT_MESSAGE_END", messageId: "m" }, finished()].map((event) => `${JSON.stringify(event)}\n`).join("")],
  ])) {
    test(`places in a body of the type "${type}" are those of its frames`, async () => {
      always(Buffer.from(body, "latin1"), type ? { "content-type": type } : {});
      const { out } = await inside("check", server.url, "--json");
      const { violations } = JSON.parse(out);
      const { offset } = violations.find((/** @type {any} */ { eventType }) => eventType === "TEXT_MESSAGE_END");
      assert.match(body.slice(offset), /^(data: )?\{"type":"TEXT_MESSAGE_END"/);
      assert.equal(body.slice(0, offset).includes("TEXT_MESSAGE_END") && type !== "text/plain", false);
    });
  }

  test("the place of a long frame is its beginning", async () => {
    const long = { type: "RUN_FINISHED", threadId: "t", runId: "r", more: "x".repeat(300_000) };
    const body = answerWith(started(), ...said, long);
    always(body);
    const { violations } = JSON.parse((await inside("check", server.url, "--json")).out);
    assert.deepEqual(violations.map((/** @type {any} */ { code, offset }) => [code, offset]), [[
      "property-unknown",
      body.indexOf('data: {"type":"RUN_FINISHED"'),
    ]]);
  });

  test("a frame of many megabytes is read, and one beyond the limit is named", async () => {
    always(answerWith(started(), { type: "RAW", event: "x".repeat(9 * 2 ** 20) }, finished()));
    assert.equal((await inside("check", server.url)).status, 0);
    always(answerWith(started(), { type: "RAW", event: "x".repeat(12 * 2 ** 20) }, finished()));
    const { status, out } = await inside("check", server.url, "--json");
    assert.equal(status, 1);
    assert.deepEqual(JSON.parse(out).violations.map((/** @type {any} */ { rule, code }) => [rule, code]), [["T12", "frame-too-long"]]);
  });

  test("a body that stays open after its run is a hint, and does not hold the program", async () => {
    answer = (_request, response) => void response.writeHead(200, stream).write(clean);
    const { status, out } = await inside("check", server.url, "--json");
    assert.equal(status, 0);
    const { closes, hints } = JSON.parse(out).framing;
    assert.equal(closes, false);
    assert.match(hints.join(), /stayed open after the run/);
  });

  test("sends headers, and records none of them", async () => {
    always(clean);
    const record = join(folder, "secret.jsonl");
    const { status } = await inside(
      "check",
      `${server.url}?key=hidden`,
      "--header",
      "Authorization: Bearer secret",
      "--header",
      "X-Team: a: b",
      "--record",
      record,
    );
    assert.equal(status, 0);
    const { authorization, "x-team": team } = requests[0].headers;
    assert.deepEqual([authorization, team], ["Bearer secret", "a: b"]);
    assert.doesNotMatch(readFileSync(record, "utf8"), /secret|hidden|x-team/i);
  });

  test("plays a script: tools, state, a stop, an answer to an interrupt", async () => {
    answer = ({ body }, response) => {
      const { messages, resume, state } = JSON.parse(body);
      const last = messages.at(-1);
      response.writeHead(200, stream);
      if (last.content === "tool") {
        const call = { toolCallId: "c" };
        return void response.end(
          answerWith(started(), { type: "TOOL_CALL_START", toolCallName: "title", ...call }, { type: "TOOL_CALL_ARGS", delta: "{}", ...call }, {
            type: "TOOL_CALL_END",
            ...call,
          }, finished()),
        );
      }
      if (last.content === "long") return void response.write(answerWith(started(), ...said.slice(0, 2)));
      if (last.content === "ask")
        return void response.end(answerWith(started(), finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "sure?" }] } })));
      response.end(answerWith(started(), { type: "STATE_SNAPSHOT", snapshot: { ...state, resumed: Boolean(resume) } }, finished()));
    };
    const script = file("script.json", {
      state: { city: "Rome" },
      turns: [
        { message: "tool", tools: [{ name: "title", result: "Recipes" }] },
        { message: "long", stop: { afterEvents: 3 } },
        { message: "ask" },
        { resume: [{ payload: true }] },
      ],
    });
    const { status, out } = await inside("check", server.url, "--script", script, "--json", "--timeout", "20");
    assert.deepEqual([status, JSON.parse(out).violations], [0, []]);
    assert.deepEqual(requests.map(({ input }) => input.messages.at(-1).role), ["user", "tool", "user", "user", "user"]);
    assert.equal(requests[1].input.messages.at(-1).content, "Recipes");
    assert.deepEqual(requests[0].input.state, { city: "Rome" });
    assert.deepEqual(requests[4].input.resume, [{ interruptId: "i", status: "resolved", payload: true }]);
  });

  test("a script whose turn cannot be played is said so", async () => {
    always(answerWith(started(), finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "sure?" }] } })));
    const script = file("unanswered.json", { turns: [{ message: "ask" }, { message: "go on" }] });
    const { status, out } = await inside("check", server.url, "--script", script);
    assert.equal(status, 2);
    assert.match(out, /turn 2 of the script cannot be played: .*interrupt/);
  });
});

describe("arguments", () => {
  /** @type {[string[], RegExp][]} */
  const wrong = [
    [["judge"], /unknown command "judge": expected check, replay or new/],
    [["check"], /check expects one URL, FILE or -/],
    [["check", "localhost"], /localhost: .*ENOENT/],
    [["check", "run.jsonl", "--prompt", "hi"], /--prompt is of servers, and "run\.jsonl" is no URL/],
    [["check", "http://", "--json"], /"http:\/\/" is no URL/],
    [["check", "http://a.test", "--sarif", "--json"], /exclude each other/],
    [["check", "http://a.test", "--what"], /--what/],
    [["check", "http://a.test", "--dialect", "klingon"], /unknown dialect "klingon": expected agent-os/],
    [["check", "http://a.test", "--timeout", "soon"], /--timeout expects a number, not "soon"/],
    [["check", "http://a.test", "--header", "secret"], /--header expects "Name: value"/],
    [["check", "http://a.test", "--json", "--junit"], /exclude each other/],
    [["check", "http://a.test", "--script", "nowhere.json"], /nowhere\.json: .*ENOENT/],
    [["check", "http://a.test", "--record", "no/where.jsonl"], /no\/where\.jsonl cannot be written/],
    [["replay"], /replay expects one FILE/],
    [["replay", "nowhere.jsonl"], /nowhere\.jsonl: .*ENOENT/],
    [["replay", "a", "--fault", "flood"], /unknown fault "flood": expected drop/],
    [["replay", "a", "--cut", "half"], /--cut expects a number of bytes or events/],
    [["replay", "a", "--port", "99999"], /--port expects a number from 0 to 65535/],
  ];
  for (const [args, message] of wrong) {
    test(`${args.join(" ")}`, async () => {
      const { status, out, err } = await inside(...args);
      assert.deepEqual([status, out], [2, ""]);
      assert.match(err, message);
      assert.doesNotMatch(err, /\n {4}at |secret/);
    });
  }

  test("a script, or a recording, that is none is named with its place", async () => {
    const script = await inside("check", "http://a.test", "--script", file("bad.json", { turns: [{ text: "x" }] }));
    assert.deepEqual([script.status, /turns\[0\] has the unknown member "text": expected message, /.test(script.err)], [2, true], script.err);
    const recording = await inside("replay", file("bad.jsonl", '{"type":"RUN_STARTED"}\nwhat\n'));
    assert.deepEqual([recording.status, /Line 2 of the recording/.test(recording.err)], [2, true], recording.err);
  });

  test("--help and --version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../pkg/package.json", import.meta.url), "utf8"));
    assert.deepEqual(await inside("--version"), { status: 0, out: `${version}\n`, err: "" });
    for (const args of [[], ["--help"], ["check", "--help"]]) {
      const { status, out } = await inside(...args);
      assert.deepEqual([status, out.startsWith("Usage: ag-ui-wasm check URL")], [0, true]);
    }
  });
});

describe("replay", () => {
  const recording = join(folder, "bug.jsonl");
  /** @type {any} */
  let first;
  before(async () => {
    always(broken);
    const { out } = await inside("check", server.url, "--json", "--record", recording);
    first = JSON.parse(out);
  });

  /** The verdict of check about the replayed recording. @param {string[]} args */
  async function judged(...args) {
    const { url, end } = await replaying(recording, "--speed", "0", ...args);
    try {
      const { status, out } = await inside("check", url, "--json");
      return { status, report: JSON.parse(out) };
    } finally {
      end();
    }
  }
  const codes = (/** @type {any} */ { violations }) => violations.map((/** @type {any} */ { code }) => code);

  test("gives the same verdict", async () => {
    const { status, report } = await judged();
    assert.equal(status, 1);
    assert.deepEqual(report.violations, first.violations);
    assert.deepEqual(report.official, first.official);
    assert.deepEqual([report.framing.bytes, report.framing.lineEnds], [first.framing.bytes, first.framing.lineEnds]);
  });

  test("split characters and other line ends change no violation", async () => {
    const split = await judged("--fault", "split");
    assert.deepEqual(split.report.violations, first.violations);
    const lines = await judged("--fault", "crlf");
    assert.deepEqual([codes(lines.report), lines.report.framing.lineEnds, lines.report.official.fails], [codes(first), "crlf", true]);
  });

  test("a dropped connection and a cut body are truncated", async () => {
    for (const args of [["--fault", "drop"], ["--cut", "2events"], ["--cut", "60bytes"]]) {
      const { status, report } = await judged(...args);
      assert.deepEqual([status, codes(report).at(-1)], [1, "truncated"], args.join(" "));
    }
  });

  test("refuses and delays", async () => {
    assert.equal((await judged("--fault", "status=503")).status, 2);
    const { status, report } = await judged("--fault", "status=500");
    assert.deepEqual([status, report.violations[0].rule], [1, "T4"]);
    const delayed = await judged("--fault", "delay=150");
    assert.ok(delayed.report.timing.firstEventMs >= 149, JSON.stringify(delayed.report.timing));
  });

  test("serves pages of any origin", async () => {
    const { url, end } = await replaying(recording, "--speed", "0");
    const headers = { origin: "http://page.test", "access-control-request-headers": "authorization, content-type" };
    const asked = await fetch(url, { method: "OPTIONS", headers });
    assert.deepEqual([asked.status, asked.headers.get("access-control-allow-origin"), asked.headers.get("access-control-allow-headers")], [
      204,
      "http://page.test",
      "authorization, content-type",
    ]);
    const got = await fetch(url, { method: "POST", headers: { origin: "http://page.test" }, body: "{}" });
    assert.equal(got.headers.get("access-control-allow-origin"), "http://page.test");
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), broken);
    end();
  });
});

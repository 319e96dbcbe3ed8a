// `ag-ui-wasm check FILE`, and SARIF, which says where in a file a rule is broken.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Ajv } from "ajv";
import { broken, clean, said, stream } from "./bodies.mjs";
import { finished, started } from "./faults.mjs";
import { run, serve } from "./server.mjs";

/** Without the official client beside it. */
const folder = mkdtempSync(join(tmpdir(), "ag-ui-wasm-check-file-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const inside = (/** @type {string[]} */ ...args) => run(args, { cwd: folder });
const file = (/** @type {string} */ name, /** @type {unknown} */ value) => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};

/** @type {(request: any, response: import("node:http").ServerResponse) => void} */
let answer;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
before(async () => (server = await serve((request, response) => answer(request, response))));
after(() => server.close());

/** @param {Buffer | string} body */
const always = (body) => {
  answer = (_request, response) => void response.writeHead(200, stream).end(body);
};

describe("check of a file", () => {
  const recording = join(folder, "kept.jsonl");
  /** @type {any} */
  let live;
  before(async () => {
    answer = ({ body }, response) => {
      response.writeHead(200, stream).flushHeaders();
      setTimeout(() => response.end(JSON.parse(body).messages.length > 1 ? broken : clean), 30);
    };
    const script = file("twice.json", { turns: [{ message: "a" }, { message: "b" }] });
    live = JSON.parse((await inside("check", server.url, "--json", "--script", script, "--record", recording)).out);
  });
  const places = (/** @type {any} */ { violations }) => violations.map((/** @type {any} */ { line: _, ...violation }) => violation);

  test("finds in a recording what it found at the server, with its lines", async () => {
    const { status, out } = await inside("check", recording, "--json");
    const report = JSON.parse(out);
    assert.deepEqual([status, report.url, places(report)], [1, recording, live.violations]);
    const lines = readFileSync(recording, "utf8").split("\n");
    for (const { line, eventType } of report.violations) assert.ok(lines[line - 1]?.includes(eventType ?? "data: {"), `${line}: ${lines[line - 1]}`);
    assert.deepEqual([report.official, report.framing.bytes, report.framing.hints.length], [live.official, live.framing.bytes, 1]);
    assert.ok(report.timing.turns[1].firstEventMs >= 29, JSON.stringify(report.timing));
    assert.match((await inside("check", recording)).out, /✗ 3 violations\n {2}line \d+, turn 2, byte \d+: V12 /);
  });

  /** @type {[string, Buffer | string, RegExp][]} */
  const bodies = [
    ["an event stream", broken, /^data: \{"type":"TEXT_MESSAGE_END"/],
    [
      "events, one a line",
      [started(), ...said, { type: "TEXT_MESSAGE_END", messageId: "m" }, finished()].map((event) => `${JSON.stringify(event)}\n`).join(""),
      /^\{"type":"TEXT_MESSAGE_END"/,
    ],
    ["a list of events", JSON.stringify([started(), { type: "TEXT_MESSAGE_END", messageId: "m" }, finished()], null, 2), /^ {2}\{/],
  ];
  for (const [title, body, line] of bodies) {
    test(`judges ${title}, from standard input too`, async () => {
      const path = join(folder, "body");
      writeFileSync(path, body);
      const { status, out } = await inside("check", path, "--json");
      const report = JSON.parse(out);
      const found = report.violations.find((/** @type {any} */ { code }) => code === "not-open");
      assert.deepEqual([status, found?.rule], [1, "V12"]);
      assert.match(body.toString().split("\n")[found.line - 1] ?? "", line);
      assert.deepEqual([report.timing.firstEventMs, report.framing.hints.length], [null, title === "an event stream" ? 1 : 0]);
      const piped = await run(["check", "-", "--json"], { cwd: folder, input: body });
      assert.deepEqual([piped.status, JSON.parse(piped.out)], [1, { ...report, url: "-" }]);
      assert.doesNotMatch((await inside("check", path)).out, /timing/);
    });
  }

  test("a thread that was interrupted is read on, and a body that was left is no failure", async () => {
    const asked = finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "sure?" }] } });
    const events = [started(), asked, started(), ...said, finished()].map((event) => JSON.stringify(event));
    assert.equal((await inside("check", file("asked.jsonl", events.join("\n")))).status, 0);
    const left = [JSON.stringify({ request: {} }), ...events.slice(2, 4), '{"end":"open"}'].join("\n");
    assert.equal((await inside("check", file("left.jsonl", left))).status, 0);
    const cut = await inside("check", file("cut.jsonl", left.replace("open", "cut")), "--json");
    assert.deepEqual([cut.status, JSON.parse(cut.out).violations[0].code], [1, "truncated"]);
  });

  test("a file that holds nothing of AG-UI cannot be judged", async () => {
    const page = await inside("check", file("page.html", "<!doctype html><p>Hello"));
    assert.deepEqual([page.status, /no event of AG-UI/.test(page.out)], [2, true], page.out);
    const nothing = await inside("check", file("empty.jsonl", ""));
    assert.deepEqual([nothing.status, /empty\.jsonl is empty/.test(nothing.err)], [2, true], nothing.err);
    const damaged = await inside("check", file("damaged.jsonl", '{"type":"RUN_STARTED"}\nwhat\n'));
    assert.deepEqual([damaged.status, /Line 2 of the recording/.test(damaged.err)], [2, true], damaged.err);
  });
});

describe("--sarif", () => {
  const schema = JSON.parse(readFileSync(new URL("../fixtures/sarif/sarif-2.1.0.json", import.meta.url), "utf8"));
  const { id: _, $schema: __, ...draft } = schema;
  const valid = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(draft);

  test("is SARIF 2.1.0, with the bytes of a response and the lines of a file", async () => {
    always(broken);
    const recording = join(folder, "sarif.jsonl");
    const live = await inside("check", server.url, "--sarif", "--record", recording);
    const kept = await inside("check", recording, "--sarif");
    for (const { status, out } of [live, kept]) {
      assert.equal(status, 1);
      assert.ok(valid(JSON.parse(out)), JSON.stringify(valid.errors));
    }
    const [{ tool, results }] = JSON.parse(live.out).runs;
    assert.deepEqual(results.map((/** @type {any} */ { ruleId }) => ruleId), ["V12", "T9", "G2"]);
    for (const { ruleId, ruleIndex } of results) assert.equal(tool.driver.rules[ruleIndex].id, ruleId);
    assert.equal(tool.driver.rules[0].shortDescription.text, "an open message ends");
    const place = (/** @type {string} */ out) => JSON.parse(out).runs[0].results[0].locations[0].physicalLocation;
    assert.deepEqual(place(live.out), {
      artifactLocation: { uri: server.url },
      region: { byteOffset: broken.lastIndexOf('data: {"type":"TEXT_MESSAGE_END"') },
    });
    const { startLine } = place(kept.out).region;
    assert.match(readFileSync(recording, "utf8").split("\n")[startLine - 1] ?? "", /TEXT_MESSAGE_END/);
  });

  test("says that a server could not be judged", async () => {
    always("");
    const { status, out } = await inside("check", server.url, "--sarif");
    const log = JSON.parse(out);
    assert.equal(valid(log), true, JSON.stringify(valid.errors));
    const [{ executionSuccessful, toolExecutionNotifications }] = log.runs[0].invocations;
    assert.deepEqual([status, executionSuccessful, toolExecutionNotifications[0].message.text], [2, false, "the answer holds no event of AG-UI"]);
  });
});

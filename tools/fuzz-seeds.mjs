// The first inputs of the fuzz targets, made of the recordings: eight bytes that decide on cuts and on what the user does, and
// after them a body. `npm run fuzz` keeps them beside what libFuzzer has found.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { files } from "./fingerprint.mjs";
import { at } from "./paths.mjs";

/** Long recordings say the same again and again: so much of one is enough. */
const LONGEST = 6000;

const streams = files(at("tests/fixtures/corpus")).filter((file) => /\.(sse|body)$/.test(file));
const cases = readFileSync(at("tests/fixtures/conformance/cases.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const bodies = [
  ...streams.map((file) => readFileSync(file)),
  ...cases.filter(({ body }) => Array.isArray(body) && body.every((part) => typeof part === "string")).map(({ body }) => Buffer.from(body.join(""))),
];

/** @param {Buffer[]} buffers  each event of them, once a type */
function events(buffers) {
  const found = new Map();
  for (const buffer of buffers) {
    for (const line of buffer.toString().split(/\r\n|\r|\n/)) {
      const json = line.replace(/^data: ?/, "");
      const type = json.match(/"type": ?"(\w+)"/)?.[1];
      if (type && (found.get(type)?.length ?? 0) < 6) found.set(type, [...(found.get(type) ?? []), json]);
    }
  }
  return [...found.values()].flat();
}

/** @param {string} system */
const dialect = (system) =>
  files(at("tests/fixtures/dialects", system))
    .filter((file) => /\.(sse|jsonl)$/.test(file))
    .map((file) => readFileSync(file));

const operations = bodies.flatMap((body) => [...body.toString().matchAll(/"(?:delta|patch)": ?(\[.*\])/g)].map((match) => match[1] ?? ""));
const packets = JSON.parse(readFileSync(at("tests/fixtures/protobuf/cases.json"), "utf8")).map((/** @type {[string, unknown]} */ [base64]) => {
  const bytes = Buffer.from(base64, "base64");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
});
const saves = [
  { v: 1, threadId: "t", messages: [], state: {}, interrupts: [], handled: [], unsent: [], queue: [] },
  {
    v: 1,
    threadId: "t",
    runId: "r",
    running: true,
    messages: [{ id: "u", role: "user", content: "go" }],
    state: { n: 1.5 },
    interrupts: [{ id: "i", reason: "ask", expiresAt: "2030-01-01T00:00:00Z" }],
    handled: ["c"],
    unsent: ["c"],
    queue: [],
    lastEventId: "7",
    cursor: "7",
    behind: "u",
    checkpoint: { messages: [], state: {} },
  },
  {
    v: 1,
    threadId: "t",
    runId: "r",
    running: false,
    state: null,
    interrupts: [],
    handled: ["c", "d"],
    unsent: [],
    messages: [
      { id: "u", role: "user", content: "go" },
      {
        id: "a",
        role: "assistant",
        toolCalls: [{ id: "c", type: "function", function: { name: "search", arguments: "{}" } }, {
          id: "d",
          type: "function",
          function: { name: "confirm", arguments: '{"a":1}' },
        }],
      },
    ],
    queue: [{
      start: "submit",
      runId: "q",
      messages: [{ id: "u2", role: "user", content: "and" }],
      tools: [],
      context: [],
      forwardedProps: {},
      pageTools: [],
      maxFollowUps: 8,
    }],
    turn: {
      run: {
        start: "submit",
        runId: "r",
        messages: [],
        tools: [],
        context: [],
        forwardedProps: {},
        pageTools: [{ name: "search" }, { name: "confirm", needsApproval: true }],
        maxFollowUps: 8,
      },
      followUps: 0,
      calls: [{ id: "c", stage: "executing", manual: false, followUp: true }, { id: "d", stage: "waiting", manual: false, followUp: true }],
    },
  },
].map((save) => Buffer.from(JSON.stringify(save)));

/** @param {string} text */
const bytes = (text) => Buffer.from(text);
const single = events(bodies);
/** @type {Record<string, Buffer[]>} */
const seeds = {
  sse: bodies,
  json: [...single.map(bytes), bytes(single.map((json) => `data: ${json}\n`).join(""))],
  binary: [...packets.filter((/** @type {Buffer} */ _, /** @type {number} */ i) => i % 12 === 0), Buffer.concat(packets.slice(0, 40))],
  stream: bodies,
  legacy: bodies.filter((body) => body.includes("THINKING")).concat(bodies.slice(0, 40)),
  agent_os: dialect("agentos"),
  chio: dialect("chio"),
  hector: dialect("hector"),
  ngaf: dialect("ngaf"),
  open_search: dialect("opensearch"),
  patches: [
    bytes(operations.slice(0, 40).join("\n")),
    ...operations.slice(0, 60).map(bytes),
    bytes("abcdefghijkl\nmnop\nqrstuvw\n0123456789\nxyzABC\n".repeat(4)),
  ],
  saves,
  canonical: single.map(bytes),
  compact: bodies.map((body) => bytes(body.toString().replace(/^data: /gm, "").replace(/\n\n/g, "\n"))),
  session: bodies,
};

export const targets = Object.keys(seeds);

/**
 * Writes the inputs of a target into a folder; each is named by its content.
 *
 * @param {string} target @param {string} folder
 * @param {number} [long]  as long as this, from as many bodies as it takes
 */
export function writeSeeds(target, folder, long) {
  mkdirSync(folder, { recursive: true });
  const seedBodies = seeds[target] ?? [];
  for (const [i, body] of (long ? joined(seedBodies, long, glue[target]) : seedBodies).entries()) {
    const seed = createHash("sha256").update(`${target} ${i}`).digest().subarray(0, 8);
    const input = Buffer.concat([seed, body.subarray(0, long ?? LONGEST)]);
    writeFileSync(join(folder, createHash("sha256").update(input).digest("hex").slice(0, 16)), input);
  }
}

/** The bytes before, between and after bodies that make one. @type {Record<string, [string, string, string]>} */
const glue = {
  binary: ["", "", ""],
  json: ["[", ",", "]"],
  canonical: ["[", ",", "]"],
  saves: ['{"v":1,"threadId":"t","state":[', ",", ',0],"messages":[],"interrupts":[],"handled":[],"unsent":[],"queue":[]}'],
};

/**
 * Bodies one after the other, up to `length`.
 *
 * @param {Buffer[]} chosen @param {number} length @param {[string, string, string]} [around]
 */
function joined(chosen, length, [open, between, close] = ["", "\n\n", ""]) {
  const inputs = [];
  for (let first = 0; first < Math.min(chosen.length, 60); first += 3) {
    const parts = [Buffer.from(open)];
    let size = open.length + close.length;
    for (let i = first;; i = (i + 1) % chosen.length) {
      const part = Buffer.concat([Buffer.from(parts.length > 1 ? between : ""), /** @type {Buffer} */ (chosen[i])]);
      size += part.length;
      if (size > length && parts.length > 1) break;
      parts.push(part);
    }
    inputs.push(Buffer.concat([...parts, Buffer.from(close)]));
  }
  return inputs;
}

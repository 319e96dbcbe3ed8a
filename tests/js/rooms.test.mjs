// The rooms of CONTRIBUTING.md: which may know which. The table there and the one here are the same, and the sources keep to them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (/** @type {string[]} */ ...path) => readFileSync(join(root, ...path), "utf8");

/** The rooms that each room of `js` may import from. `glue` is made by the build; entries stand at the top and may use every room. */
const js = {
  api: [],
  base: ["api"],
  recordings: ["base"],
  testing: [],
  snapshot: ["api", "base"],
  network: ["api", "base"],
  threads: ["api", "base"],
  bindings: ["api"],
  inspector: ["api", "base", "recordings", "glue"],
  blocks: [],
  intents: ["api", "base", "snapshot", "glue"],
  core: ["api", "base", "snapshot", "intents", "glue"],
  thread: ["api", "base"],
  persistence: ["api", "base", "snapshot", "thread"],
  "remote-thread": ["api"],
  agent: ["api", "base", "snapshot", "network", "intents", "core", "thread", "remote-thread", "glue"],
  worker: ["api", "base", "snapshot", "intents", "core", "agent", "glue"],
  "systems/<name>": ["api", "base", "core"],
  turns: ["api"],
  "ai-sdk": ["api", "turns"],
  "assistant-ui": ["api", "bindings", "turns"],
  a2ui: ["api"],
  "mcp-apps": ["api"],
  traces: ["api"],
  announcer: ["api"],
  attachments: ["api", "base"],
  servers: ["api"],
  "ag-ui-client": ["api", "base", "snapshot", "core", "glue"],
  cli: ["api", "base", "recordings", "core", "agent", "glue"],
};

/** The rooms that each room of `src` may use. */
const src = {
  wire: [],
  guard: ["wire"],
  rules: ["wire"],
  document: ["wire"],
  thread: ["wire", "document"],
  dialect: ["wire", "guard"],
  pipeline: ["wire", "dialect", "rules", "thread"],
  session: ["wire", "dialect", "guard", "rules", "document", "thread", "pipeline"],
  stepper: ["wire", "rules", "thread", "pipeline", "session"],
  journal: ["wire", "dialect", "rules", "thread"],
  browser: ["wire", "guard", "session", "stepper", "journal"],
};

/** @typedef {{ from: string, to: string, where: string }} Arrow */

const roomOf = (/** @type {string} */ file) => {
  const [first = "", ...rest] = file.split("/");
  if (!rest.length) return "entry";
  return first === "systems" ? "systems/<name>" : first;
};

/** The imports of `js` that lead out of their room, static, dynamic or of types. @returns {Arrow[]} */
function jsArrows() {
  const arrows = [];
  for (const file of files("js", ".ts")) {
    const found = read("js", file).matchAll(/(?:\bfrom |\bimport\(|^import )"(\.{1,2}\/[^"]+)"/gm);
    for (const [, target = ""] of found) {
      const to = posix.join(posix.dirname(file), target);
      // A system knows no other system.
      const same = file.startsWith("systems/") ? to.startsWith(`${file.split("/").slice(0, 2).join("/")}/`) : roomOf(file) === roomOf(to);
      if (!same) arrows.push({ from: roomOf(file), to: roomOf(to), where: `js/${file} imports js/${to}` });
    }
  }
  return arrows;
}

/** The uses of `src` that lead out of their room, without unit tests. @returns {Arrow[]} */
function srcArrows() {
  const arrows = [];
  for (const file of files("src", ".rs").filter((file) => file.includes("/"))) {
    const [source = ""] = read("src", file).replace(/^\s*\/\/.*$/gm, "").split("#[cfg(test)]\nmod ");
    for (const [path, to = ""] of source.matchAll(/\bcrate::(\w+)/g)) {
      if (to !== roomOf(file)) arrows.push({ from: roomOf(file), to, where: `src/${file} uses ${path}` });
    }
  }
  return arrows;
}

const files = (/** @type {string} */ folder, /** @type {string} */ ending) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/")).filter((file) => file.endsWith(ending));

/** The rows of the table of rooms: what each may use. */
function tableRows() {
  const rows = read("CONTRIBUTING.md").matchAll(/^\| `((?:js|src)\/[^`]+)` \|.*\| ([^|]*) \|$/gm);
  return new Map([...rows].map(([, room = "", uses = ""]) => [room, [...uses.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).sort()]));
}

/** @type {[string, Record<string, string[]>, Arrow[]][]} */
const houses = [["js", js, jsArrows()], ["src", src, srcArrows()]];

for (const [house, rooms, arrows] of houses) {
  describe(house, () => {
    const known = arrows.filter(({ from }) => from !== "entry" && from !== "glue");

    test("a room uses only what it may", () => {
      assert.ok(known.length > 10, "the imports were read");
      assert.deepEqual(known.filter(({ from, to }) => !rooms[from]?.includes(to)).map(({ where }) => where), []);
    });

    test("what a room may use, it uses", () => {
      const unused = Object.entries(rooms).flatMap(([from, uses]) =>
        uses.filter((to) => !known.some((arrow) => arrow.from === from && arrow.to === to)).map((to) => `${from} → ${to}`)
      );
      assert.deepEqual(unused, []);
    });

    test("there is no circle: a room uses only rooms above it in the table", () => {
      const order = Object.keys(rooms);
      const up = Object.entries(rooms).flatMap(([from, uses]) =>
        uses.filter((to) => to !== "glue" && order.indexOf(to) >= order.indexOf(from)).map((to) => `${from} → ${to}`)
      );
      assert.deepEqual(up, []);
    });

    test("CONTRIBUTING.md says the same", () => {
      const table = tableRows();
      for (const [room, uses] of Object.entries(rooms)) {
        assert.deepEqual(table.get(`${house}/${room}`), uses.filter((name) => name !== "glue").sort(), `${house}/${room}`);
      }
      for (const room of table.keys()) if (room.startsWith(`${house}/`)) assert.ok(room.slice(house.length + 1) in rooms, room);
    });
  });
}

test("js/api is types only, apart from the class AgentError and the types of events", () => {
  const allowed = { "error.ts": ["const brand", "const members", "const membersOf", "export class AgentError"], "events.ts": ["export const eventTypes"] };
  for (const file of files("js/api", ".ts")) {
    const values = [...read("js/api", file).matchAll(/^(?:export )?(?:const|let|function|class|enum|async function) \w+/gm)].map(([line]) => line);
    assert.deepEqual(values, allowed[file] ?? [], file);
  }
});

test("no file of js is longer than 500 lines", () => {
  const long = files("js", ".ts").filter((file) => !file.startsWith("glue/")).filter((file) => read("js", file).split("\n").length > 500);
  assert.deepEqual(long, []);
});

test("what composes others is short: the agent, its link to the core, an open session", () => {
  const limits = { "agent/agent.ts": 150, "agent/thread.ts": 230, "core/link.ts": 120, "core/live.ts": 160 };
  for (const [file, most] of Object.entries(limits)) {
    const lines = read("js", file).split("\n").length;
    assert.ok(lines <= most, `js/${file} has ${lines} lines, at most ${most}: put what is new into a part of its own`);
  }
});

test("a type's name in src names one type, but for the classes that are exported under it", () => {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const file of files("src", ".rs")) {
    const [source = ""] = read("src", file).split("#[cfg(test)]\nmod ");
    for (const [, name = ""] of source.matchAll(/^(?: {4}pub(?:\([^)]*\))? |(?:pub(?:\([^)]*\))? )?)(?:struct|enum|trait|type|union) (\w+)/gm)) {
      // The names of `browser` are JavaScript's.
      const room = file.startsWith("browser/") ? `${name} in JavaScript` : name;
      found.set(room, (found.get(room) ?? new Set()).add(file));
    }
  }
  assert.ok(found.size > 200, `the types were read: ${found.size}`);
  assert.deepEqual([...found].filter(([, where]) => where.size > 1).map(([name, where]) => `${name}: ${[...where].join(", ")}`), []);
});

test("CONTRIBUTING.md lists every file that names all events, and the table of the guard", () => {
  const types = Object.keys(JSON.parse(read("tests/fixtures/events.json")));
  const names = types.map((type) => new RegExp(`\\b(?:${type}|${type.toLowerCase().replace(/(?:^|_)(.)/g, (_, first) => first.toUpperCase())})\\b`));
  const isPlace = (/** @type {string} */ file) => {
    const text = read(file);
    return names.every((name) => name.test(text));
  };
  const sources = [...files("src", ".rs").map((file) => `src/${file}`), ...files("js", ".ts").map((file) => `js/${file}`)];
  const places = [...sources.filter(isPlace), "docs/guard.md", "tests/fixtures/events.json"];
  const [, list = ""] = /\*\*A new event type\.\*\*.*\n(.*)/.exec(read("CONTRIBUTING.md")) ?? [];
  assert.deepEqual([...list.matchAll(/`([^`]+)`/g)].map(([, file]) => file).sort(), places.sort());
});

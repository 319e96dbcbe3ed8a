// The content of the tarball: exactly the needed files, and none that identifies the machine that made it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { documents } from "../../tools/documents.mjs";
import { oneFileName, withoutMaps } from "../../tools/sources.mjs";
import { addOns } from "../../tools/split.mjs";
import { packageFolder, packedFiles, root } from "./consumer.mjs";

const inPackage = readdirSync(packageFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(packageFolder, join(entry.parentPath, entry.name)))
  .sort();

test("pkg/ holds what is published only", async () => {
  assert.deepEqual(await packedFiles(), inPackage);
});

test("every source has its module and its types, and there is no other file", () => {
  const sources = readdirSync(join(root, "js"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("glue") && !name.endsWith("peer.d.ts"));
  const expected = [
    ...["package.json", "THIRD-PARTY-LICENSES.txt", "skills/ag-ui-wasm/SKILL.md", ...documents, "core.wasm", "full.wasm", oneFileName],
    ...["glue/core.js", "glue/core.d.ts", "glue/bytes.js", "glue/bytes.d.ts"],
    ...["glue/rules.js", "glue/rules.d.ts"],
    ...["glue/full.js", "glue/full.d.ts", "glue/base.js", "glue/base.d.ts", "glue/base-bytes.js", "glue/base-bytes.d.ts"],
    ...Object.keys(addOns).flatMap((name) => [`glue/add-ons/${name}.js`, `glue/add-ons/${name}.d.ts`]),
    ...sources.flatMap((name) => [".js", ...(withoutMaps.test(name) ? [] : [".js.map"]), ".d.ts"].map((ending) => name.replace(/\.ts$/, ending))),
  ];
  const missing = expected.filter((name) => !inPackage.includes(name));
  const surplus = inPackage.filter((name) => !expected.includes(name));
  assert.deepEqual({ missing, surplus }, { missing: [], surplus: [] });
});

test("the version is the crate's", () => {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  assert.equal(version, readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.+)"$/m)?.[1]);
});

test("the package needs nothing at run time and runs nothing at install time", () => {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.scripts, undefined);
  // A script for workers does nothing else; everything else may be left out.
  assert.deepEqual(manifest.sideEffects, ["./worker-main.js", "./worker-full.js"]);
  assert.deepEqual(Object.keys(manifest.exports), [
    ...[".", "./slim", "./react", "./svelte", "./vue", "./angular", "./worker", "./worker-main", "./worker-full"],
    ...[
      "./ag-ui-client",
      "./a2ui",
      "./agent-os",
      "./agent-os/react",
      "./agent-os/svelte",
      "./ai-sdk",
      "./announcer",
      "./announcer/react",
      "./announcer/svelte",
      "./announcer/vue",
      "./assistant-ui",
      "./attachments",
      "./attachments/react",
      "./attachments/svelte",
      "./attachments/vue",
      "./blocks",
      "./blocks/react",
      "./blocks/svelte",
      "./chio",
      "./hector",
      "./inspector",
      "./mcp-apps",
      "./ngaf",
      "./open-search",
      "./servers",
      "./testing",
      "./threads",
      "./threads/react",
      "./threads/svelte",
      "./threads/vue",
      "./traces",
    ],
    ...["./core.wasm", "./full.wasm", "./package.json"],
  ]);
});

test("package.json names the repository as Cargo.toml does, the program, and the file for pages without a bundler", () => {
  const { repository, homepage, bugs, bin, unpkg, jsdelivr } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const url = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^repository = "(.+)"$/m)?.[1];
  assert.deepEqual(repository, { type: "git", url: `git+${url}.git` });
  assert.deepEqual([homepage, bugs], [`${url}#readme`, `${url}/issues`]);
  for (const file of [bin["ag-ui-wasm"], unpkg, jsdelivr]) assert.ok(inPackage.includes(file.replace("./", "")), file);
  assert.equal(unpkg, jsdelivr);
  assert.match(readFileSync(join(packageFolder, bin["ag-ui-wasm"]), "utf8"), /^#!\/usr\/bin\/env node\n/);
});

test("each map has the text of its source", () => {
  const maps = inPackage.filter((name) => name.endsWith(".map"));
  for (const name of maps) {
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(packageFolder, name), "utf8"));
    const source = name.replace(/\.js\.map$/, ".ts").replaceAll("\\", "/");
    assert.deepEqual(sources, [`ag-ui-wasm:///js/${source}`]);
    assert.deepEqual(sourcesContent, [readFileSync(join(root, "js", source), "utf8")]);
  }
  assert.ok(maps.length > 50, `${maps.length}`);
});

/** All files that an entry leads to, with what it loads later. @param {...string} entries */
function filesOf(...entries) {
  const found = new Set();
  const follow = (/** @type {string} */ file) => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(join(packageFolder, file), "utf8");
    for (const [, to = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)) follow(join(file, "..", to));
  };
  for (const entry of entries) follow(entry);
  return /** @type {string[]} */ ([...found]);
}

/** The files of the entries that are modules. */
const modules =
  () => /** @type {string[]} */ (Object.values(JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")).exports).flatMap(({ default: file }) =>
    file ?? []
  ));

test("no entry leads to the program", () => {
  assert.deepEqual(filesOf(...modules()).filter((file) => file.startsWith("cli")), []);
});

test("an entry beside the client is in the bundle of no other entry", () => {
  const rooms = [
    "a2ui",
    "ag-ui-client",
    "ai-sdk",
    "announcer",
    "assistant-ui",
    "attachments",
    "blocks",
    "inspector",
    "mcp-apps",
    "servers",
    "systems",
    "threads",
    "traces",
  ];
  for (const entry of modules()) {
    const own = entry.replace("./", "").split("/")[0];
    // The inspector announces what it shows.
    const foreign = rooms.filter((room) => room !== own && !(own === "inspector" && room === "announcer"));
    const found = filesOf(entry).filter((file) => foreign.includes(file.split("/")[0] ?? ""));
    assert.deepEqual(found, [], entry);
  }
});

test("an entry of one framework has nothing of another", () => {
  const frameworks = ["react", "svelte", "vue", "angular"];
  for (const entry of modules()) {
    const own = frameworks.find((name) => entry.endsWith(`${name}.js`)) ?? (entry.includes("assistant-ui") ? "react" : undefined);
    assert.deepEqual(filesOf(entry).filter((file) => frameworks.some((name) => name !== own && file.endsWith(`/${name}.js`))), [], entry);
  }
});

test("no file names a path of the machine that made it", () => {
  const places = [root, homedir(), process.env.CARGO_HOME].filter((place) => place !== undefined && place.length > 1);
  for (const name of inPackage) {
    const bytes = readFileSync(join(packageFolder, name));
    for (const place of places) {
      assert.equal(bytes.includes(/** @type {string} */ (place)), false, `${name} contains ${place}`);
    }
  }
});

// Install lines of the documentation are run as printed, with the packed package in place of the published one, beside the
// library that they are for; then the library is built with the printed configuration.
//
//   node --test tests/examples/install.test.mjs       needs a built package and tests/ag-ui-client/pages/node_modules

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { at } from "../../tools/paths.mjs";
import { pack } from "../packaging/consumer.mjs";
import { blocks, documents } from "../readme/documents.mjs";

const execute = promisify(execFile);
const page = "docs/from-ag-ui-client.md";

/** The printed lines, and the example that has to build after them. */
const lines = {
  "npm install ag-ui-wasm": undefined,
  "npm install ag-ui-wasm rxjs @ag-ui/core": "assistant-ui",
  "npm install ag-ui-wasm rxjs @ag-ui/core@0.0.59": "copilotkit",
};

const libraries = at("tests/ag-ui-client/pages");
const skip = !existsSync(join(libraries, "node_modules")) && "npm ci --prefix tests/ag-ui-client/pages installs its modules";

/** @type {string} */
let folder;
/** @type {string} */
let tarball;
before(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ag-ui-wasm-install-")));
  tarball = await pack(folder);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Types a line of the documentation. @param {string} line @param {string} cwd */
async function type(line, cwd) {
  const [program = "", ...args] = line.split(" ").map((word) => (word === "ag-ui-wasm" ? tarball : word));
  const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  await execute(program, [...args, ...quiet], { cwd });
}

/** A project that has the libraries. Files that are the same are links: half a gigabyte is not written. */
function project() {
  const place = join(folder, "project");
  const copy = (/** @type {string} */ from, /** @type {string} */ to) => {
    mkdirSync(to, { recursive: true });
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory()) copy(source, target);
      else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
      else link(source, target);
    }
  };
  copy(join(libraries, "node_modules"), join(place, "node_modules"));
  for (const name of ["package.json", ".npmrc"]) cpSync(join(libraries, name), join(place, name));
  return place;
}

/** Two file systems share no file. @param {string} source @param {string} target */
function link(source, target) {
  try {
    linkSync(source, target);
  } catch {
    cpSync(source, target);
  }
}

/** Builds a project, and gives the modules that are in it. In a process of its own: one remembers where modules were. @param {string} place */
async function bundled(place) {
  rmSync(join(place, "dist"), { recursive: true, force: true });
  await execute(process.execPath, [at("node_modules/vite/bin/vite.js"), "build", "--sourcemap", "--minify", "false", "--logLevel", "error"], {
    cwd: place,
    maxBuffer: 2 ** 26,
  });
  const maps = readdirSync(join(place, "dist/assets")).filter((name) => name.endsWith(".js.map"));
  return maps.flatMap((name) => /** @type {string[]} */ (JSON.parse(readFileSync(join(place, "dist/assets", name), "utf8")).sources));
}

test("each line of the documentation is typed here", () => {
  // Lines of the tutorial are run by its own test.
  const printed = documents.filter((name) => name !== "docs/tutorial.md").flatMap((name) => blocks(name)).filter(({ language }) => language === "sh");
  const found = printed.flatMap(({ code }) => code.split("\n")).filter((line) => /^(npm|pnpm|yarn|bun|npx) (install|i|add) /.test(line));
  assert.deepEqual([...new Set(found)].sort(), Object.keys(lines).sort());
});

test("npm install ag-ui-wasm, and the README's first example builds", async () => {
  const place = join(folder, "readme");
  mkdirSync(place);
  writeFileSync(join(place, "package.json"), '{ "private": true, "type": "module" }');
  await type("npm install ag-ui-wasm", place);
  assert.deepEqual(readdirSync(join(place, "node_modules")).filter((name) => !name.startsWith(".")), ["ag-ui-wasm"]);
  const first = blocks("README.md").find(({ language }) => ["js", "ts"].includes(language))?.code ?? "";
  writeFileSync(join(place, "index.html"), '<script type="module" src="./main.ts"></script>');
  writeFileSync(join(place, "main.ts"), first);
  assert.ok((await bundled(place)).some((name) => name.includes("ag-ui-wasm")));
});

test("beside a library, with the module in place of the official one", { skip }, async (t) => {
  const place = project();
  const config = blocks(page).find(({ code }) => code.startsWith("// vite.config.js"))?.code ?? "";
  for (const [line, example] of Object.entries(lines)) {
    if (!example) continue;
    await t.test(line, async () => {
      await type(line, place);
      const source = at("examples", example);
      for (const name of ["index.html", "src"]) cpSync(join(source, name), join(place, name), { recursive: true });
      writeFileSync(join(place, "vite.config.js"), config);
      const modules = await bundled(place);
      assert.ok(modules.some((name) => name.includes("ag-ui-wasm:///js/ag-ui-client/") || name.includes("ag-ui-wasm/ag-ui-client/")), "the module is ours");
      assert.deepEqual(modules.filter((name) => name.includes("@ag-ui/client/")), [], "and not the official one");
    });
  }
});

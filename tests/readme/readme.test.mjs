// The README: its code compiles and runs against the installed package, and its tables name what the sources have. And
// what CONTRIBUTING names is there.
//
//   node --test tests/readme/readme.test.mjs       needs a built package

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build, transform } from "esbuild";
import { compile } from "svelte/compiler";
import { measure } from "../../tools/size.mjs";
import { install, moduleFile, packageFolder, root } from "../packaging/consumer.mjs";

const read = (/** @type {string[]} */ ...path) => readFileSync(join(root, ...path), "utf8");
const readme = read("README.md");

/** @typedef {{ language: string, code: string, name: string }} Block  `name`: its heading */

/** @type {Block[]} */
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: code = "", index }) => {
  const headings = [...readme.slice(0, index).matchAll(/^## (.*)$/gm)];
  return { language, code, name: headings.at(-1)?.[1] ?? "" };
});

/** @param {string} heading @returns {Block} */
function block(heading) {
  const [found, ...more] = blocks.filter(({ name, language }) => name.startsWith(heading) && language !== "sh");
  assert.ok(found && more.length === 0, `one block of code under "${heading}"`);
  return found;
}

/** @param {string} heading */
const section = (heading) => readme.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";

/** What is marked as code in a text: `name`, `"name"`, `name(…)`. @param {string} text */
const named = (text) => new Set([...text.matchAll(/`"?([\w-]+)[^`]*`/g)].map((match) => match[1] ?? ""));

/** @type {import("../packaging/consumer.mjs").Consumer} */
let consumer;
/** @type {{ url: string, close(): Promise<void> }} */
let server;
before(async () => {
  const peers = ["react", "react-dom", "svelte", "jsdom", "vite", "csstype", "undici-types", "@types/react", "@types/node"];
  consumer = await install(Object.fromEntries(peers.map((name) => [name, name])));
  // The demo's server is not typed.
  const path = "../../www/server.mjs";
  server = await (await import(path)).startServer();
});
after(async () => {
  await server?.close();
  consumer?.remove();
});

/** The code with the agent of the demo's server in place of its own. @param {string} code */
const live = (code) => code.replaceAll(/"(http:\/\/127\.0\.0\.1:8787)?\/agent(\/short)?"/g, `"${server.url}/agent/short?speed=0"`);

describe("code", () => {
  test("each block is of a language that is checked", () => {
    assert.deepEqual(new Set(blocks.map(({ language }) => language)), new Set(["js", "sh", "svelte", "text", "ts", "tsx"]));
  });

  test("JavaScript and TypeScript compile", async () => {
    const sources = blocks.filter(({ language }) => /^(js|tsx?)$/.test(language));
    const files = sources.map(({ language, code }, i) => consumer.write(`types/block-${i}.${language}`, code));
    const compilerOptions = {
      target: "ES2022",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      module: "ES2022",
      moduleResolution: "bundler",
      moduleDetection: "force",
      types: ["node", "vite/client"],
      jsx: "react-jsx",
      allowJs: true,
      checkJs: true,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    const project = consumer.write("types/tsconfig.json", JSON.stringify({ compilerOptions, files }));
    const complaint = await new Promise((resolve) => {
      execFile(process.execPath, [moduleFile("typescript/bin/tsc"), "--pretty", "false", "-p", project], (error, stdout, stderr) =>
        resolve(error ? stdout + stderr : ""),
      );
    });
    assert.equal(complaint, "");
  });

  test("the first example runs in Node, and ends by itself", async () => {
    const printed = await consumer.node(consumer.write("first.mjs", live(block("A first run").code)));
    assert.match(printed, /^\*\*AG-UI\*\* is an open protocol[^]*\nsuccess$/);
  });

  test("the plain page shows the answer", async () => {
    const script = consumer.write("plain.mjs", `
      import { JSDOM } from "jsdom";
      globalThis.document = new JSDOM().window.document;
      ${live(block("Plain JavaScript").code).replace(/^import .*$/m, 'const { createAgent } = await import("ag-ui-wasm");')}
      console.log(JSON.stringify([...document.querySelectorAll("ol > li")].map((row) => row.textContent)));
      process.exit();
    `);
    const [question, answer, ...more] = JSON.parse(await consumer.node(script));
    assert.equal(question, "hello");
    assert.match(answer, /^\*\*AG-UI\*\* is an open protocol/);
    assert.deepEqual(more, []);
  });

  test("the React component renders", async () => {
    const { code } = await transform(block("React").code, { loader: "tsx", jsx: "automatic" });
    consumer.write("react.mjs", code);
    const script = consumer.write("react-render.mjs", `
      import { createElement } from "react";
      import { renderToString } from "react-dom/server";
      import { Chat } from "./react.mjs";
      console.log(renderToString(createElement(Chat)));
    `);
    assert.match(await consumer.node(script), /^<form><input[^>]*><button>Send<\/button><\/form>$/);
  });

  test("the Svelte component compiles without a warning, and renders", async () => {
    const source = block("Svelte 5").code;
    for (const generate of /** @type {const} */ (["client", "server"])) {
      const { js, warnings } = compile(source, { generate, name: "Chat", filename: "chat.svelte" });
      assert.deepEqual(warnings.map(({ message }) => message), []);
      consumer.write(`svelte-${generate}.mjs`, js.code);
    }
    const script = consumer.write("svelte-render.mjs", `
      import { render } from "svelte/server";
      import Chat from "./svelte-server.mjs";
      console.log(render(Chat).body.replaceAll(/<!--.*?-->/g, "").trim());
    `);
    assert.match(await consumer.node(script), /<form><input[^>]*>\s*<button>Send<\/button><\/form>$/);
  });

  test("the slim component leaves the inline bytes out", async () => {
    const { metafile } = await build({
      stdin: { contents: block("Slim").code, loader: "tsx", resolveDir: consumer.folder },
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      jsx: "automatic",
      external: ["react", "react/*", "ag-ui-wasm/core.wasm?url"],
    });
    const [output] = Object.values(metafile.outputs);
    const inputs = Object.entries(output?.inputs ?? {}).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : []));
    assert.ok(inputs.some((name) => name.endsWith("ag-ui-wasm/slim.js")));
    assert.deepEqual(inputs.filter((name) => name.endsWith("glue/bytes.js")), []);
  });

  test("every command exists", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const { name } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
    const documents = readme + read("CONTRIBUTING.md");
    const marked = [...documents.matchAll(/`((?:npm|node) [^`]*)`/g)].map((match) => match[1]);
    const lines = blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => code.trim().split("\n"));
    for (const command of [...marked, ...lines]) {
      const [program, word = "", argument] = (command ?? "").replace(/#.*/, "").trim().split(/\s+/);
      if (program === "node") assert.ok(existsSync(join(root, word === "--test" ? (argument ?? "") : word)), command);
      else if (word === "install") assert.equal(argument, name, command);
      else assert.ok(scripts[word === "run" ? (argument ?? "") : word], command);
    }
  });
});

test("every file and folder that CONTRIBUTING names is there", () => {
  const text = read("CONTRIBUTING.md").replaceAll(/^```.*?^```$/gms, "");
  const names = [...text.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] ?? "").filter((name) => /^(\.?\w[\w-]*\/|[\w-]+\.\w+$)/.test(name));
  // A file may be named by its end; what git ignores need not be there.
  const ends = ["mod.rs", "glue/bytes.js", "index.json", "package.json", "allowed-differences.json"];
  const made = read(".gitignore");
  const missing = names.filter((name) => !ends.includes(name) && !made.includes(name.split("/")[0] ?? "") && !existsSync(join(root, name)));
  assert.deepEqual(missing, []);
  assert.ok(names.length > 30, `${names.length} names`);
});

describe("tables", () => {
  /** The members of an interface in the sources. @param {string} file @param {string} name */
  function members(file, name) {
    const body = read("js", file).match(new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, "ms"))?.[1] ?? "";
    const found = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?:(<]/gm)].map((match) => match[1] ?? "");
    assert.ok(found.length > 0, `members of ${name}`);
    return found;
  }

  for (const [heading, name] of /** @type {const} */ ([
    ["Options", "CommonOptions"],
    ["Options", "FetchOptions"],
    ["Options", "Limits"],
    ["The snapshot", "AgentSnapshot"],
    ["The agent", "Agent"],
    ["The agent", "SubmitInput"],
  ])) {
    test(`${heading}: all of ${name}`, () => {
      const known = named(section(heading));
      assert.deepEqual(members("types.ts", name).filter((member) => !known.has(member)), []);
    });
  }

  /** What stands in the first column of a section's tables. @param {string} heading */
  const firstColumn = (heading) => [...section(heading).matchAll(/^\| (`[^|]*) \|/gm)].flatMap((match) => [...named(match[1] ?? "")]).sort();

  test("Options: the defaults of the limits", () => {
    const source = read("js/agent.ts");
    const bytes = { frameBytes: "10 * 2 ** 20", errorBodyBytes: "64 * 2 ** 10", queue: "32", depth: "512", history: "100", graceMs: "1000" };
    const shown = { frameBytes: "10 MiB", errorBodyBytes: "64 KiB", queue: "32", depth: "512", history: "100", graceMs: "1000" };
    for (const name of members("types.ts", "Limits")) {
      assert.ok(source.includes(`limits.${name} ?? ${bytes[/** @type {keyof typeof bytes} */ (name)]},`), name);
      assert.ok(section("Options").includes(`| \`${name}\` | ${shown[/** @type {keyof typeof shown} */ (name)]} |`), name);
    }
  });

  test("Errors: every kind", () => {
    const kinds = read("js/error.ts").match(/export type AgentErrorKind =\n(.*?);/s)?.[1] ?? "";
    const expected = [...kinds.matchAll(/"(\w+)"/g)].map((match) => match[1]).sort();
    assert.deepEqual(firstColumn("Errors").filter((name) => name !== "kind"), expected);
  });

  test("docs/rules.md: every code and every rule that the core has, and no other code", () => {
    const [codes, rules] = [new Set(), new Set()];
    // What is written like a code and is none.
    const others = [
      ...["tool-call", "input-streaming", "input-available", "output-available", "output-error"],
      ...["awaiting-approval", "queue-full", "nothing-to-regenerate", "nothing-to-replace", "nothing-to-attach"],
      ...["last-event-id", "run-url", "socket-cursor", "run-started", "run-finished"],
      ...["step-started", "step-finished", "json-rpc", "artifact-update", "status-update"],
      ...["input-required", "auth-required", "ag-ui", "agent-os", "open-search"],
    ];
    for (const name of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".rs") || name.startsWith("browser")) continue;
      const [source = ""] = read("src", name).split("#[cfg(test)]");
      for (const { 1: code = "" } of source.matchAll(/"([a-z]+(?:-[a-z]+)+)"/g)) if (!others.includes(code)) codes.add(code);
      for (const { 1: rule = "" } of source.matchAll(/"([A-Z]\d+)"/g)) rules.add(rule);
    }
    const text = read("docs/rules.md");
    const tables = text.split("\n").filter((line) => line.startsWith("|")).join("\n");
    const named = new Set([...tables.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map((match) => match[1]));
    assert.deepEqual([...named].sort(), [...codes].sort());
    const tagged = new Set([...text.matchAll(/\b[A-Z]\d+\b/g)].map(([tag]) => tag));
    assert.deepEqual([...rules].filter((rule) => !tagged.has(rule)), []);
  });

  test("Sizes: what a measurement gives, but for a twentieth", async () => {
    const { wasm, full, entries } = await measure();
    const together = (/** @type {string} */ name) => entries[name]?.together;
    const measured = {
      "`ag-ui-wasm`": together("index.js"),
      "`ag-ui-wasm/slim` with `core.wasm`": together("slim.js"),
      "`ag-ui-wasm/react`": together("react.js"),
      "`ag-ui-wasm/svelte`": together("svelte.js"),
      "`ag-ui-wasm/worker`, page and worker": together("worker.js"),
      "`ag-ui-wasm/full`": together("full/index.js"),
      "`core.wasm` alone": wasm,
      "`full.wasm` alone": full,
    };
    for (const [name, size] of Object.entries(measured)) {
      const row = section("Sizes").split("\n").find((line) => line.startsWith(`| ${name} |`));
      const shown = [...(row ?? "").matchAll(/([\d.]+) kB/g)].map((match) => Number(match[1]) * 1000);
      assert.equal(shown.length, 3, name);
      [size?.min, size?.gzip, size?.brotli].forEach((bytes = 0, i) => {
        assert.ok(Math.abs((shown[i] ?? 0) - bytes) <= bytes / 20, `${name}: ${shown[i]} is shown, ${bytes} measured; npm run build prints the table`);
      });
    }
  });
});

test("the package has this README, and what it links to", () => {
  assert.equal(readFileSync(join(packageFolder, "README.md"), "utf8"), readme);
  const links = [...readme.matchAll(/\]\(([^)]*)\)|(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? match[2] ?? "");
  const missing = links.filter((link) => !link.startsWith("https://") && !existsSync(join(packageFolder, link)));
  assert.deepEqual(missing, []);
  assert.ok(links.length > 0);
});

// The tables of the documents name what the sources have, with its defaults and its sizes.
//
//   node --test tests/readme/tables.test.mjs       needs a built package

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { codePages } from "../../tools/site/pages.mjs";
import { measure } from "../../tools/size.mjs";
import { root } from "../packaging/consumer.mjs";
import { read, section } from "./documents.mjs";

/** Names that are marked as code in a string: `name`, `"name"`, `name(…)`. @param {string} text */
const named = (text) => new Set([...text.matchAll(/`"?([\w-]+)[^`]*`/g)].map((match) => match[1] ?? ""));

describe("tables", () => {
  /** The members of a public interface. @param {string} name */
  function members(name) {
    const body =
      readdirSync(join(root, "js/api")).map((file) => read("js/api", file)).join("\n").match(new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, "ms"))
        ?.[1] ?? "";
    const found = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?:(<]/gm)].map((match) => match[1] ?? "");
    assert.ok(found.length > 0, `members of ${name}`);
    return found;
  }

  for (const [page, name] of /** @type {const} */ ([
    ["options", "CommonOptions"],
    ["options", "FetchOptions"],
    ["options", "Limits"],
    ["snapshot", "AgentSnapshot"],
    ["agent", "Agent"],
    ["agent", "SubmitInput"],
  ])) {
    test(`docs/${page}.md: all of ${name}`, () => {
      const known = named(read(`docs/${page}.md`));
      assert.deepEqual(members(name).filter((member) => !known.has(member)), []);
    });
  }

  /** The names in the first column of a string's tables. @param {string} text */
  const firstColumn = (text) => [...text.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((match) => [...named(match[1] ?? "")]).sort();

  test("docs/options.md: the defaults of the limits", () => {
    const source = read("src/session/options.rs");
    const core = {
      frameBytes: "10 * 1024 * 1024",
      stateBytes: "16 * 1024 * 1024",
      threadBytes: "64 * 1024 * 1024",
      items: "100_000",
      warnings: "1000",
      errorBodyBytes: "64 * 1024",
      errorBodyMs: "5000.0",
      queue: "32",
      depth: "512",
      history: "100",
      graceMs: "1000.0",
    };
    const shown = {
      frameBytes: "10 MiB",
      stateBytes: "16 MiB",
      threadBytes: "64 MiB",
      items: "100,000",
      warnings: "1000",
      errorBodyBytes: "64 KiB",
      errorBodyMs: "5000",
      queue: "32",
      depth: "512",
      history: "100",
      graceMs: "1000",
    };
    for (const name of members("Limits")) {
      assert.ok(source.includes(` = ${core[/** @type {keyof typeof core} */ (name)]}, "${name}";`), name);
      assert.ok(read("docs/options.md").includes(`| \`${name}\` | ${shown[/** @type {keyof typeof shown} */ (name)]} |`), name);
    }
  });

  test("docs/errors.md: every kind", () => {
    const kinds = read("js/api/error.ts").match(/export type AgentErrorKind =\n(.*?);/s)?.[1] ?? "";
    const expected = [...kinds.matchAll(/"(\w+)"/g)].map((match) => match[1]).sort();
    assert.deepEqual(firstColumn(section("docs/errors.md", "Errors and warnings")).filter((name) => name !== "kind"), expected);
  });

  test("docs/rules.md: every code and every rule that the core has, and no other code", () => {
    const [codes, rules] = [new Set(), new Set()];
    // Words that are written like a code and are none.
    const others = [
      ...["tool-call", "input-streaming", "input-available", "output-available", "output-error"],
      ...["awaiting-approval", "calls-open", "queue-full", "input-unexpected", "nothing-to-regenerate", "nothing-to-replace", "nothing-to-attach"],
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

  test("docs/guides/troubleshooting.md: every code of an error or a warning that is not in docs/rules.md, so that the site has its page", () => {
    // No code of ours: a type of JSON, and a code of the official client.
    const others = ["string", "abort"];
    const codes = new Set([...read("src/session/types/misuse.rs").matchAll(/\("([a-z-]+)", /g)].map(([, code = ""]) => code));
    for (const name of readdirSync(join(root, "js"), { recursive: true, encoding: "utf8" }).filter((file) =>
      /^(?!cli|glue|ag-ui-client.stream).*\.ts$/.test(file)
    )) {
      for (const [, code = ""] of read("js", name).matchAll(/(?:\bcode: |code = |warn\(|unsupported\(|refusal\()"([a-z]+(?:-[a-z]+)*)"/g)) codes.add(code);
    }
    assert.ok(codes.size > 40, `${codes.size} codes`);
    const pages = codePages();
    assert.deepEqual([...codes].filter((code) => !others.includes(code) && !pages[`codes/${code}.md`]), []);
  });

  test("docs/sizes.md: what a measurement gives, but for a twentieth", async () => {
    const { wasm, full, entries } = await measure();
    const { "index.js": index, "react.js": react, "svelte.js": svelte, "slim.js": slim, "worker.js": worker } = entries;
    const measured = {
      "`ag-ui-wasm/react`, in the page's bundle": react?.initial,
      "with what a plain chat loads": react?.together,
      "with what a page of Hector loads": react?.full,
      "in one file, without splitting": react?.file,
      "`ag-ui-wasm`, in the page's bundle": index?.initial,
      "`ag-ui-wasm/svelte`, in the page's bundle": svelte?.initial,
      "`ag-ui-wasm/slim` in one file": slim?.file,
      "`ag-ui-wasm/slim` with `core.wasm`": slim?.together,
      "`ag-ui-wasm/worker`, page and worker": worker?.together,
      "`ag-ui-wasm/blocks`": entries["blocks/index.js"]?.file,
      "`ag-ui-wasm/a2ui`": entries["a2ui/index.js"]?.file,
      "`ag-ui-wasm/mcp-apps`": entries["mcp-apps/index.js"]?.file,
      "`ag-ui-wasm/traces`": entries["traces/index.js"]?.file,
      "`ag-ui-wasm/ai-sdk`": entries["ai-sdk/index.js"]?.file,
      "`ag-ui-wasm/assistant-ui`": entries["assistant-ui/index.js"]?.file,
      "`ag-ui-wasm/announcer`": entries["announcer/index.js"]?.file,
      "`ag-ui-wasm/attachments`": entries["attachments/index.js"]?.file,
      "`ag-ui-wasm/inspector`": entries["inspector/index.js"]?.file,
      "`core.wasm` alone": wasm,
      "`full.wasm` alone": full,
    };
    for (const [name, size] of Object.entries(measured)) {
      const row = read("docs/sizes.md").split("\n").find((line) => line.startsWith(`| ${name} |`));
      const shown = [...(row ?? "").matchAll(/([\d.]+) kB/g)].map((match) => Number(match[1]) * 1000);
      assert.equal(shown.length, 3, name);
      [size?.min, size?.gzip, size?.brotli].forEach((bytes = 0, i) => {
        assert.ok(Math.abs((shown[i] ?? 0) - bytes) <= bytes / 20, `${name}: ${shown[i]} is shown, ${bytes} measured; npm run build prints the table`);
      });
    }
  });
});

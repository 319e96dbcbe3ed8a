// Bundles of the installed package: they stand alone, and leave out what is not used.

import assert from "node:assert/strict";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { rspack } from "@rspack/core";
import { build as esbuild } from "esbuild";
import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { ANSWER, startAgentServer } from "./agent-server.mjs";
import { buildSite, pack } from "./apps.mjs";
import { install } from "./consumer.mjs";

/** @type {import("./consumer.mjs").Consumer} */
let consumer;
/** @type {Awaited<ReturnType<typeof startAgentServer>>} */
let server;
before(async () => {
  [consumer, server] = await Promise.all([install({ react: "react", "react-dom": "react-dom", svelte: "svelte" }), startAgentServer()]);
});
after(async () => {
  consumer?.remove();
  await server?.close();
});

// Rollup says of "use client" that it leaves it out, which is right in a bundle.
const onwarn = (/** @type {import("rollup").RollupLog} */ { code, message }) => assert.equal(code, "MODULE_LEVEL_DIRECTIVE", message);

/** @type {Record<string, (input: string) => Promise<string>>} a bundler without splitting: entry → one module */
const bundlers = {
  async esbuild(input) {
    const { outputFiles } = await esbuild({ entryPoints: [input], bundle: true, minify: true, format: "esm", write: false, logLevel: "error", external });
    return outputFiles[0]?.text ?? "";
  },
  async rollup(input) {
    const bundle = await rollup({ input, plugins: [nodeResolve()], external, onwarn });
    const { output } = await bundle.generate({ format: "es", inlineDynamicImports: true });
    assert.equal(output.length, 1, "one file, no assets");
    return output[0].code;
  },
  async vite(input) {
    const built = await vite({
      root: consumer.folder,
      configFile: false,
      logLevel: "error",
      build: { write: false, lib: { entry: input, formats: ["es"], fileName: "bundle" }, rollupOptions: { external, output: { inlineDynamicImports: true } } },
    });
    const { output } = /** @type {import("vite").Rolldown.RolldownOutput} */ ([built].flat()[0]);
    assert.equal(output.length, 1, "one file, no assets");
    return output[0].code;
  },
  webpack: (input) => packWhole(pack, { entry: input, experiments: { outputModule: true } }),
  rspack: (input) => packWhole(packByRspack, { entry: input }),
};

/** @param {(config: any) => Promise<void>} pack @param {object} config */
async function packWhole(pack, config) {
  const path = mkdtempSync(join(consumer.folder, "packed-"));
  const output = { path, filename: "bundle.mjs", library: { type: "module" }, asyncChunks: false, module: true };
  await pack({ ...config, output, externals: external, externalsType: "module" });
  assert.deepEqual(readdirSync(path), ["bundle.mjs"], "one file, no assets");
  return readFileSync(join(path, "bundle.mjs"), "utf8");
}

/** @param {import("@rspack/core").Configuration} config */
const packByRspack = (config) =>
  new Promise((resolve, reject) => {
    rspack({ mode: "production", context: consumer.folder, devtool: false, performance: { hints: false }, ...config }, (error, stats) => {
      if (error || stats?.hasErrors() || stats?.hasWarnings()) reject(error ?? new Error(stats?.toString("errors-warnings")));
      else resolve(undefined);
    });
  });

const external = ["react", "svelte", "svelte/reactivity"];

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`a bundle by ${name} runs by itself`, async () => {
    const entry = consumer.write(
      `${name}/main.js`,
      `
      import { createAgent } from "ag-ui-wasm";
      const agent = createAgent({ url: process.argv[2] });
      // Rollup's single file has what is imported later after what waits at the top level.
      agent.submit("hi").then(({ outcome, error }) => {
        if (error) console.error(error);
        console.log(outcome, agent.getSnapshot().messages[1].content);
      });
    `,
    );
    const file = consumer.write(`alone/${name}.mjs`, await bundle(entry));
    assert.equal(await consumer.node(file, server.url), `success ${ANSWER}`);
  });

  test(`a bundle by ${name} leaves the WebAssembly out where no agent is made`, async () => {
    const bytes = readFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/glue/bytes.js"), "utf8").slice(100, 160);
    const entries = {
      "AgentError": `import { AgentError } from "ag-ui-wasm"; console.log(AgentError.is(1));`,
      "useAgentSelector": `import { useAgentSelector } from "ag-ui-wasm/react"; console.log(useAgentSelector);`,
      "slim": `import { createAgent } from "ag-ui-wasm/slim"; console.log(createAgent);`,
    };
    for (const [what, text] of Object.entries(entries)) {
      const code = await bundle(consumer.write(`${name}/${what}.js`, text));
      assert.equal(code.includes(bytes), false, `${what} brings the bytes along`);
    }
    const whole = await bundle(consumer.write(`${name}/whole.js`, `import { createAgent } from "ag-ui-wasm"; console.log(createAgent);`));
    assert.equal(whole.includes(bytes), true, "the search finds the bytes where they are");
  });
}

/** @type {Record<string, (entry: string, path: string) => Promise<unknown>>} the same with splitting: entry → main.mjs and its chunks in a folder */
const splitters = {
  esbuild: (entry, outdir) =>
    esbuild({
      entryPoints: { main: entry },
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      outdir,
      outExtension: { ".js": ".mjs" },
      logLevel: "error",
    }),
  async rollup(entry, dir) {
    const bundle = await rollup({ input: { main: entry }, plugins: [nodeResolve()], onwarn });
    await bundle.write({ dir, format: "es", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  },
  vite: (entry, outDir) =>
    vite({ root: consumer.folder, configFile: false, logLevel: "error", build: { outDir, lib: { entry, formats: ["es"], fileName: () => "main.mjs" } } }),
  webpack: (entry, path) => pack({ ...toChunks(entry, path), experiments: { outputModule: true } }),
  rspack: (entry, path) => packByRspack(toChunks(entry, path)),
};

/** @param {string} entry @param {string} path @returns {any} */
const toChunks = (entry, path) => ({
  entry: { main: entry },
  output: { path, filename: "[name].mjs", chunkFilename: "[name].mjs", chunkFormat: "module", library: { type: "module" }, module: true },
  target: "node",
});

for (const [name, split] of Object.entries(splitters)) {
  test(`${name} splits: at first comes neither a module nor what works only with one`, async () => {
    const entry = consumer.write(
      `split/${name}.js`,
      `
      import { createAgent } from "ag-ui-wasm";
      // The second argument has an add-on loaded.
      const agent = createAgent({ url: process.argv[2], rules: process.argv[3] });
      agent.submit("hi").then(({ outcome, error }) => {
        if (error) console.error(error);
        console.log(outcome, agent.getSnapshot().messages[1].content);
      });
    `,
    );
    const folder = mkdtempSync(join(consumer.folder, `split-${name}-`));
    await split(entry, folder);
    const files = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
    const first = new Set(["main.mjs"]);
    for (const file of first) for (const [, next = ""] of (files.get(file) ?? "").matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) first.add(next);
    const late = {
      "the small module": readFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/glue/bytes.js"), "utf8").slice(100, 160),
      "the base of the full module": readFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/glue/base-bytes.js"), "utf8").slice(100, 160),
      "an add-on": readFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/glue/add-ons/ngaf.js"), "utf8").slice(100, 160),
      // A header of requests.
      "what works only with a module": "last-event-id",
    };
    for (const [what, text] of Object.entries(late)) {
      const where = [...files].flatMap(([file, code]) => (code.includes(text) ? [file] : []));
      assert.equal(where.length, 1, `${what} is in one file, not in ${where.join(", ")}`);
      assert.ok(!first.has(where[0] ?? ""), `${what} comes at first`);
    }
    for (const rules of ["tolerant", "strict"]) assert.equal(await consumer.node(join(folder, "main.mjs"), server.url, rules), `success ${ANSWER}`);
  });
}

for (const name of /** @type {const} */ (["react", "svelte", "slim"])) {
  test(`Vite builds the ${name} application`, async () => {
    const site = await buildSite(consumer, name);
    const assets = readdirSync(join(site, "assets"));
    assert.deepEqual(assets.some((asset) => asset.endsWith(".wasm")), name === "slim", `assets: ${assets.join(" ")}`);
  });
}

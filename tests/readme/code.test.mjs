// The code of the README and of each page: it compiles against the installed package, and runs.
//
//   node --test tests/readme/code.test.mjs       needs a built package

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build, transform } from "esbuild";
import { compile } from "svelte/compiler";
import { compileScript, parse } from "vue/compiler-sfc";
import { install, moduleFile, packageFolder, root } from "../packaging/consumer.mjs";
import { blocks, documents, read } from "./documents.mjs";

/** @typedef {import("./documents.mjs").Block} Block */

/** Pages without code that can run here: tables and pictures, and libraries that are not installed here. */
const withoutCode = [
  "docs/assistant-ui.md",
  "docs/check.md",
  "docs/comparison.md",
  "docs/how-it-works.md",
  "docs/rules.md",
  "docs/security.md",
  "docs/versions.md",
];
/** Pages whose first block needs a server of their system; the tests of that system run it. */
const ofSystems = (/** @type {string} */ name) => name.startsWith("docs/systems/");
/** Pages whose code tests/servers runs. */
const ofServers = (/** @type {string} */ name) => name.startsWith("docs/servers/");
/** Its steps are followed by tests/examples/tutorial.test.mjs. */
const tutorial = "docs/tutorial.md";

/** @type {import("../packaging/consumer.mjs").Consumer} */
let consumer;
/** @type {{ url: string, close(): Promise<void> }} */
let server;
before(async () => {
  const peers = [
    "react",
    "react-dom",
    "svelte",
    "jsdom",
    "vite",
    "csstype",
    "undici-types",
    "@types/react",
    "@types/react-dom",
    "@types/node",
    "rxjs",
    "tslib",
    "@ag-ui/core",
    "vue",
    "@angular/core",
    "@angular/common",
    "@angular/platform-browser",
    "@vue/server-renderer",
    "ai",
    "@ai-sdk/react",
    "dompurify",
    "marked",
    "@a2ui/web_core",
    "@opentelemetry/api",
    "solid-js",
    "preact",
  ];
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

/** The first block of a page that a machine can read. @param {string} name */
function first(name) {
  const found = blocks(name).find(({ language }) => /^(js|tsx?|svelte|vue)$/.test(language));
  assert.ok(found, `${name} has no example`);
  return found;
}

/** Runs it in Node, in a document, and gives what it prints. Its components are rendered below an agent. @param {string} name @param {Block} block */
async function run(name, { language, code }) {
  const { code: script } = await transform(live(code), { loader: /** @type {"js" | "ts" | "tsx"} */ (language), jsx: "automatic" });
  const file = consumer.write(`${name.replaceAll("/", "-")}.mjs`, script);
  const start = consumer.write(
    `run-${name.replaceAll("/", "-")}.mjs`,
    `
    ${
      /\bdocument\.|\bsessionStorage\b/.test(script)
        ? 'globalThis.window = new (await import("jsdom")).JSDOM("<textarea></textarea>", { url: "http://localhost" }).window; Object.assign(globalThis, { document: window.document, sessionStorage: window.sessionStorage, addEventListener: window.addEventListener.bind(window) });'
        : ""
    }
    const parts = Object.entries(await import(${JSON.stringify(file)}));
    const components = parts.filter(([name, part]) => /^[A-Z]/.test(name) && part.length === 0).map(([, part]) => part);
    if (${language === "tsx"} && components.length > 0) {
      const { createElement } = await import("react");
      const { renderToString } = await import("react-dom/server");
      const { AgentProvider } = await import("ag-ui-wasm/react");
      for (const component of components) console.log(renderToString(createElement(AgentProvider, { agent: { url: "${server.url}/agent/short" } }, createElement(component))));
    }
    const rows = [...(globalThis.document?.querySelectorAll("ol > li") ?? [])].map((row) => row.textContent);
    if (rows.length > 0) console.log(JSON.stringify(rows));
    process.exit();
  `,
  );
  return consumer.node(start);
}

describe("code", () => {
  for (const name of documents) {
    test(`${name}: blocks are of languages that are checked`, () => {
      const known = new Set(["js", "jsx", "sh", "svelte", "vue", "text", "ts", "tsx", "json", "css", "html", "yaml", "python", "py"]);
      assert.deepEqual(blocks(name).filter(({ language }) => !known.has(language)), []);
    });
  }

  test("what imports the package compiles", async () => {
    const files = documents.flatMap((name) =>
      blocks(name)
        .filter(({ language, code }) => /^(js|tsx?)$/.test(language) && /^import .*"ag-ui-wasm/m.test(code) && !ofSystems(name))
        .map(({ language, code }, i) => consumer.write(`types/${name.replaceAll("/", "-")}-${i}.${language}`, code))
    );
    assert.ok(files.length > 12, `${files.length} blocks`);
    // Its packages are installed for one suite alone, which compares these types with them.
    files.push(consumer.write("types/assistant-ui.d.ts", read("js/assistant-ui/peer.d.ts")));
    const compilerOptions = {
      target: "ES2022",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      module: "ES2022",
      moduleResolution: "bundler",
      moduleDetection: "force",
      types: ["node", "vite/client"],
      jsx: "react-jsx",
      // Angular's.
      experimentalDecorators: true,
      allowJs: true,
      checkJs: true,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    const project = consumer.write("types/tsconfig.json", JSON.stringify({ compilerOptions, files }));
    const complaint = await new Promise((resolve) => {
      execFile(
        process.execPath,
        [moduleFile("typescript/bin/tsc"), "--pretty", "false", "-p", project],
        (error, stdout, stderr) => resolve(error ? stdout + stderr : ""),
      );
    });
    assert.equal(complaint, "");
  });

  test("every other block is whole", async () => {
    for (const name of documents) {
      for (const { language, code } of blocks(name)) {
        // A part of a file, as the tutorial changes it.
        if (/^.*: (replace|by|before|insert)( -->)?\n/.test(code)) continue;
        if (/^(jsx?|tsx?)$/.test(language))
          await transform(code, { loader: /** @type {"js" | "ts" | "tsx"} */ (language), jsx: "automatic" }).catch((error) =>
            assert.fail(`${name}: ${error.message}\n${code}`)
          );
        if (language === "json") JSON.parse(code.replace(/^\/\/.*\n/, ""));
        if (language === "svelte") compile(code, { generate: "client", filename: "page.svelte" });
        if (language === "vue") assert.deepEqual(parse(code, { filename: "page.vue" }).errors, []);
      }
    }
  });

  test("the README's first example runs in Node, and ends by itself", async () => {
    const printed = await consumer.node(consumer.write("first.mjs", live(first("README.md").code)));
    assert.match(printed, /^\*\*AG-UI\*\* is an open protocol[^]*\nsuccess$/);
  });

  /** The output of a page's example. @type {Record<string, RegExp>} */
  const prints = {
    "docs/plain-javascript.md": /^\["hello","\*\*AG-UI\*\* is an open protocol/,
    "docs/use-chat.md": /^<form><input[^>]*><button>Send<\/button><\/form>$/,
    "docs/react.md": /^<form><input[^>]*><button>Send<\/button><\/form>$/,
    "docs/agent.md": /^What is AG-UI\?\n[^]*open protocol[^]*\nsuccess \d+$/,
    "docs/options.md": /^success$/,
    "docs/snapshot.md": /^true 3 success$/,
    "docs/errors.md": /^success$/,
    "docs/tools.md": /^success$/,
    "docs/network.md": /^success$/,
    "docs/saving.md": /^2$/,
    "docs/worker.md": /^success$/,
    "docs/testing.md": /^success Hello$/,
    "docs/hosts.md": /^false$/,
    "docs/recordings.md": /^\d+ \d+$/,
    "docs/from-ag-ui-client.md": /^2\n[^]*assistant$/,
    "docs/guard.md": /^0$/,
    "docs/loading.md": /^$/,
    "docs/systems.md": /^$/,
    "docs/servers.md": /^$/,
    "docs/guides/markdown.md": /^AG-UI is an open protocol/,
    "docs/guides/proxy.md": /^$/,
    "docs/guides/sign-in.md": /^success$/,
    "docs/guides/troubleshooting.md": /^success$/,
    "docs/threads.md": /^$/,
    "docs/surfaces.md": /^$/,
    "docs/tracing.md": /^$/,
  };
  const elsewhere = ["README.md", "docs/svelte.md", "docs/vue.md", "docs/angular.md", "docs/sizes.md", tutorial, ...withoutCode];
  for (const name of documents.filter((name) => !elsewhere.includes(name) && !ofSystems(name) && !ofServers(name))) {
    test(`${name}: the first example runs`, async () => {
      assert.match(await run(name, first(name)), prints[name] ?? /./);
    });
  }

  /** Later blocks that cannot run here, and why. @type {Record<string, string>} */
  const elsewhereAlone = {
    "docs/angular.md": "a decorator needs the compiler of the application",
    "docs/assistant-ui.md": "its library is not installed here",
    "docs/hosts.md": "workerd imports the module as a file",
    "docs/use-chat.md": "it waits for a thread, and a server renders nothing before",
  };
  for (const name of documents.filter((name) => !(name in elsewhereAlone) && !ofSystems(name) && !ofServers(name))) {
    const later = blocks(name).filter(({ language, code }) => /^(js|tsx?)$/.test(language) && /^import .*"ag-ui-wasm/m.test(code) && code !== first(name).code);
    if (later.length > 0)
      test(`${name}: the other examples run`, async () => {
        for (const [at, block] of later.entries()) await run(`${name}-${at}`, block);
      });
  }

  test("the Svelte component compiles without a warning, and renders", async () => {
    const source = first("docs/svelte.md").code;
    for (const generate of /** @type {const} */ (["client", "server"])) {
      const { js, warnings } = compile(source, { generate, name: "Chat", filename: "chat.svelte" });
      assert.deepEqual(warnings.map(({ message }) => message), []);
      consumer.write(`svelte-${generate}.mjs`, js.code);
    }
    const script = consumer.write(
      "svelte-render.mjs",
      `
      import { render } from "svelte/server";
      import Chat from "./svelte-server.mjs";
      console.log(render(Chat).body.replaceAll(/<!--.*?-->/g, "").trim());
    `,
    );
    assert.match(await consumer.node(script), /<form><input[^>]*>\s*<button>Send<\/button><\/form>$/);
  });

  test("the Vue component compiles, and renders", async () => {
    const { descriptor, errors } = parse(first("docs/vue.md").code, { filename: "chat.vue" });
    assert.deepEqual(errors, []);
    const { content } = compileScript(descriptor, { id: "chat", inlineTemplate: true, templateOptions: { ssr: true, ssrCssVars: [] } });
    consumer.write("chat.vue.mjs", content);
    const script = consumer.write(
      "vue-render.mjs",
      `
      import { createSSRApp } from "vue";
      import { renderToString } from "@vue/server-renderer";
      import Chat from "./chat.vue.mjs";
      console.log((await renderToString(createSSRApp(Chat))).replaceAll(/<!--.*?-->/g, ""));
    `,
    );
    assert.match(await consumer.node(script), /<form><input[^>]*>\s*<button>Send<\/button><\/form>$/);
  });

  test("the React component is one of the client, as Next asks of what has state", () => {
    assert.match(first("docs/react.md").code, /^"use client";\n/);
  });

  test("the README's components are those of their pages", () => {
    for (const [language, page] of /** @type {const} */ ([["tsx", "docs/react.md"], ["svelte", "docs/svelte.md"]])) {
      assert.equal(blocks("README.md").find((block) => block.language === language)?.code, first(page).code);
    }
  });

  test("the slim component leaves the inline bytes out", async () => {
    const { metafile } = await build({
      stdin: { contents: first("docs/sizes.md").code, loader: "tsx", resolveDir: consumer.folder },
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
    const here = documents.filter((name) => name !== tutorial);
    const texts = [...here, "CONTRIBUTING.md"].map((document) => read(document)).join("\n");
    const marked = [...texts.matchAll(/`((?:npm|node) [^`]*)`/g)].map((match) => match[1]);
    const lines = here.flatMap((document) => blocks(document)).filter(({ language }) => language === "sh").flatMap(({ code }) => code.trim().split("\n"));
    for (const command of [...marked, ...lines]) {
      const [program, word = "", argument] = (command ?? "").replace(/#.*/, "").trim().split(/\s+/);
      if (program === "node") assert.ok(existsSync(join(root, word === "--test" ? (argument ?? "") : word)), command);
      // In the folder of an example all that it names is installed.
      else if (word === "install") assert.ok([name, "&&", undefined].includes(argument), command);
      else if (program === "npm" && word !== "pack") assert.ok(scripts[word === "run" ? (argument ?? "") : word], command);
    }
  });
});

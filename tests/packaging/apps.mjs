// Tiny applications around the installed package, built as their owners would.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { build as esbuild } from "esbuild";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build as vite, createServer } from "vite";
import webpack from "webpack";

/** @typedef {import("./consumer.mjs").Consumer} Consumer */

/** The common part of every page: a button that submits, and how the run ended. */
const page = (/** @type {string} */ script) =>
  `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,">
<div id="app"></div><script type="module" src="${script}"></script></html>`;

const react = `
  import { StrictMode } from "react";
  import { createRoot } from "react-dom/client";
  import { useAgent } from "ag-ui-wasm/react";

  function App() {
    const { messages, outcome, error, submit } = useAgent({ url: "/agent" });
    return (
      <>
        <button onClick={() => submit("hi")}>Ask</button>
        <p id="said">{messages[1]?.content}</p>
        <p id="outcome">{outcome}</p>
        <p id="error">{error && error.kind + ": " + error.message}</p>
      </>
    );
  }
  createRoot(document.querySelector("#app")).render(<StrictMode><App /></StrictMode>);`;

const svelteComponent = `
  <script>
    import { useAgent } from "ag-ui-wasm/svelte";
    const chat = useAgent({ url: "/agent" });
  </script>
  <button onclick={() => chat.submit("hi")}>Ask</button>
  <p id="said">{chat.messages[1]?.content}</p>
  <p id="outcome">{chat.outcome}</p>
  <p id="error">{chat.error && chat.error.kind + ": " + chat.error.message}</p>`;

const svelteMain = `
  import { mount } from "svelte";
  import App from "./app.svelte";
  mount(App, { target: document.querySelector("#app") });`;

const slim = `
  import { createAgent } from "ag-ui-wasm/slim";
  import wasm from "ag-ui-wasm/core.wasm?url";
  const agent = createAgent({ url: "/agent", wasm });
  document.querySelector("#app").innerHTML =
    '<button>Ask</button><p id="said"></p><p id="outcome"></p><p id="error"></p>';
  document.querySelector("button").addEventListener("click", () => agent.submit("hi"));
  agent.subscribe(() => {
    const { messages, outcome, error } = agent.getSnapshot();
    document.querySelector("#said").textContent = messages[1]?.content ?? "";
    document.querySelector("#outcome").textContent = outcome ?? "";
    document.querySelector("#error").textContent = error ? error.kind + ": " + error.message : "";
  });`;

const worker = (/** @type {string} */ source, how = "true", more = "") => `
  import { createAgent } from ${JSON.stringify(source)};
  const parameters = new URLSearchParams(location.search);
  const url = new URL("agent", parameters.get("server") ?? location.href);
  const agent = createAgent({
    url,
    worker: ${how},
    ${more}
    ...(parameters.has("fetch") && { fetch: (...request) => fetch(...request) }),
    onWarning: ({ code, message }) => (document.querySelector("#warning").textContent += code + ": " + message),
  });
  document.querySelector("#app").innerHTML =
    '<button>Ask</button><p id="said"></p><p id="warning"></p><p id="outcome"></p><p id="error"></p>';
  document.querySelector("button").addEventListener("click", () => agent.submit("hi"));
  agent.subscribe(() => {
    const { messages, outcome, error } = agent.getSnapshot();
    document.querySelector("#said").textContent = messages[1]?.content ?? "";
    document.querySelector("#outcome").textContent = outcome ?? "";
    document.querySelector("#error").textContent = error ? error.kind + ": " + error.message : "";
  });`;

const typing = `
  import { useState } from "react";
  import { createRoot } from "react-dom/client";
  import { messageKey, useAgent } from "ag-ui-wasm/react";

  function Chat() {
    const { messages, outcome, isLoading, error, submit, stop, retry } = useAgent({ url: "/agent" });
    const [text, setText] = useState("");
    const send = (event) => {
      event.preventDefault();
      void submit(text);
      setText("");
    };
    return (
      <form onSubmit={send}>
        <ol>{messages.map((message) => <li key={messageKey(message)}>{message.content}</li>)}</ol>
        <input value={text} onChange={(event) => setText(event.target.value)} />
        <button id="send">Send</button>
        <button id="stop" type="button" onClick={stop}>Stop</button>
        {error?.retryable && <button id="retry" type="button" onClick={() => retry()}>Try again</button>}
        <p id="status">{isLoading ? "busy" : outcome}</p>
        <p id="error">{error && error.kind + " " + error.code}</p>
      </form>
    );
  }
  function App() {
    const [here, setHere] = useState(true);
    return <><button id="leave" onClick={() => setHere(false)}>Leave</button>{here && <Chat />}</>;
  }
  createRoot(document.querySelector("#app")).render(<App />);`;

/** Asks once and tells what came of it. */
const ask = `
  import { createAgent } from "ag-ui-wasm";
  async function ask() {
    const agent = createAgent({ url: new URL("/agent", location.href) });
    const { outcome, error } = await agent.submit("hi");
    return { outcome, error: error?.toJSON(), said: agent.getSnapshot().messages[1]?.content };
  }`;

/** @type {Record<"react" | "svelte" | "slim" | "bare" | "typing" | "worker" | "full-worker", Record<string, string>>} */
const sources = {
  react: { "index.html": page("./main.jsx"), "main.jsx": react },
  svelte: { "index.html": page("./main.js"), "main.js": svelteMain, "app.svelte": svelteComponent },
  slim: { "index.html": page("./main.js"), "main.js": slim },
  bare: { "index.html": page("./main.js"), "main.js": `${ask} ask();` },
  typing: { "index.html": page("./main.jsx"), "main.jsx": typing },
  worker: { "index.html": page("./main.js"), "main.js": worker("ag-ui-wasm/worker") },
  "full-worker": {
    "index.html": page("./main.js"),
    "main.js": worker("ag-ui-wasm/worker", "true", "guard: { allowDisplayWithoutCapability: true, restrictedClassifications: [] },"),
  },
};

/**
 * A page that no tool has touched: it imports the one file of the package, as a CDN serves it.
 *
 * @param {Consumer} consumer
 * @returns {string} the folder to serve
 */
export function plainSite({ folder, write }) {
  const { unpkg } = JSON.parse(readFileSync(join(folder, "node_modules/ag-ui-wasm/package.json"), "utf8"));
  const script = slim.replace('"ag-ui-wasm/slim"', '"/ag-ui-wasm.js"').replace(/import wasm .*/, "").replace(", wasm }", " }");
  write("plain/index.html", page("/main.js"));
  write("plain/main.js", script);
  cpSync(join(folder, "node_modules/ag-ui-wasm", unpkg), join(folder, "plain/ag-ui-wasm.js"));
  return join(folder, "plain");
}

/**
 * Builds an application with Vite, with no setting that the package would need.
 *
 * @param {Consumer} consumer
 * @param {keyof typeof sources} name
 * @param {import("vite").InlineConfig} [more]
 * @returns {Promise<string>} the folder to serve
 */
export async function buildSite(consumer, name, more = {}) {
  for (const [file, text] of Object.entries(sources[name])) consumer.write(`${name}/${file}`, text);
  const outDir = join(consumer.folder, "sites", name);
  await vite({
    root: join(consumer.folder, name),
    configFile: false,
    logLevel: "error",
    plugins: name === "svelte" ? [svelte({ configFile: false })] : [],
    build: { outDir, emptyOutDir: true },
    ...more,
  });
  return outDir;
}

/**
 * The page of worker mode as Vite serves it while it is worked on.
 *
 * @param {Consumer} consumer
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function serveSite(consumer) {
  for (const [file, text] of Object.entries(sources.worker)) consumer.write(`served/${file}`, text);
  const server = await createServer({
    root: join(consumer.folder, "served"),
    configFile: false,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  return { url: server.resolvedUrls?.local[0] ?? "", close: () => server.close() };
}

/**
 * The page of worker mode without a bundler: modules as they are in the package.
 *
 * @param {Consumer} consumer
 * @returns {string} the folder to serve
 */
export function copySite(consumer) {
  const folder = join(consumer.folder, "sites/plain");
  consumer.write("sites/plain/index.html", page("./main.js"));
  consumer.write("sites/plain/main.js", worker("./ag-ui-wasm/worker.js"));
  cpSync(join(consumer.folder, "node_modules/ag-ui-wasm"), join(folder, "ag-ui-wasm"), { recursive: true });
  return folder;
}

/**
 * The page of worker mode by a bundler that does not find the script: the application has one, and says so.
 *
 * @param {Consumer} consumer
 * @returns {Promise<string>} the folder to serve
 */
export async function bundleSite(consumer) {
  const outdir = join(consumer.folder, "sites/bundled");
  consumer.write("sites/bundled/index.html", page("./main.js"));
  const main = consumer.write("bundled/main.js", worker("ag-ui-wasm/worker", '() => new Worker("own-worker.js", { type: "module" })'));
  const own = consumer.write("bundled/own-worker.js", 'import "ag-ui-wasm/worker-main";');
  await esbuild({ entryPoints: [main, own], bundle: true, minify: true, format: "esm", outdir, logLevel: "error" });
  return outdir;
}

/**
 * The page of worker mode, built by webpack.
 *
 * @param {Consumer} consumer
 * @returns {Promise<string>} the folder to serve
 */
export async function packSite(consumer) {
  const path = join(consumer.folder, "sites/packed");
  consumer.write("sites/packed/index.html", page("./main.js"));
  const entry = consumer.write("packed/main.js", worker("ag-ui-wasm/worker"));
  await pack({ entry, output: { path, filename: "main.js" } });
  return path;
}

/**
 * Builds with webpack; what it warns of is an error.
 *
 * @param {import("webpack").Configuration} configuration
 * @returns {Promise<void>}
 */
export function pack(configuration) {
  return new Promise((resolve, reject) => {
    webpack({ mode: "production", devtool: false, performance: { hints: false }, ...configuration }, (error, stats) => {
      if (!error && !stats?.hasErrors() && !stats?.hasWarnings()) resolve();
      else reject(error ?? new Error(stats?.toString({ all: false, errors: true, warnings: true })));
    });
  });
}

/**
 * A page that asks from a dedicated worker (`askWorker()`) and from a service worker (`askServiceWorker()`). The latter
 * is a classic script, which every engine takes, and where no module can be imported later.
 *
 * @param {Consumer} consumer
 * @returns {Promise<string>} the folder to serve
 */
export async function buildWorkers(consumer) {
  const outDir = join(consumer.folder, "sites/workers");
  const bundle = (/** @type {string} */ name, /** @type {"esm" | "iife"} */ format, /** @type {string} */ text) =>
    esbuild({
      stdin: { contents: text, resolveDir: consumer.folder },
      bundle: true,
      minify: true,
      format,
      outfile: join(outDir, name),
      logLevel: "error",
    });
  consumer.write("sites/workers/index.html", page("./page.js"));
  await Promise.all([
    bundle("worker.js", "esm", `${ask} ask().then(postMessage);`),
    bundle(
      "service-worker.js",
      "iife",
      `${ask}
      addEventListener("install", () => skipWaiting());
      addEventListener("message", (event) => event.waitUntil(ask().then((result) => event.ports[0].postMessage(result))));`,
    ),
    bundle(
      "page.js",
      "esm",
      `
      globalThis.askWorker = () => new Promise((resolve, reject) => {
        const worker = new Worker("./worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
      });
      globalThis.askServiceWorker = async () => {
        const registration = await navigator.serviceWorker.register("./service-worker.js");
        const { active } = await navigator.serviceWorker.ready;
        const { port1, port2 } = new MessageChannel();
        const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
        active.postMessage("ask", [port2]);
        return answer.finally(() => registration.unregister());
      };`,
    ),
  ]);
  return outDir;
}

// The code of the guide for Preact and Solid, as it stands there, over a core that does what the test says.

import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { transformAsync } from "@babel/core";
import { build } from "esbuild";
import solid from "babel-preset-solid";
import { fileURLToPath } from "node:url";
import { Session } from "../fake-core.mjs";
import { folder, load, until } from "../lib.mjs";
import { openPage } from "../page.mjs";

const closePage = openPage();
after(closePage);
const { createAgentWith } = await load("agent/agent");
const guide = readFileSync(new URL("../../../docs/guides/solid-and-preact.md", import.meta.url), "utf8");
const code = (/** @type {string} */ language) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(guide)[1];

/** The modules of a recipe, by name, as one that Node loads. */
async function bundle(name, sources, options) {
  const outfile = fileURLToPath(new URL(`../../../.tools/js-bundles/recipe-${name}.cjs`, import.meta.url));
  const given = {
    name: "recipe",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(entry|\.\/create-snapshot)$/ }, ({ path }) => ({ path, namespace: "recipe" }));
      onLoad({ filter: /.*/, namespace: "recipe" }, ({ path }) => ({ ...sources[path], resolveDir: fileURLToPath(new URL("../../../", import.meta.url)) }));
    },
  };
  await build({
    entryPoints: ["entry"],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "browser",
    conditions: ["browser"],
    logLevel: "error",
    plugins: [given],
    ...options,
  });
  return createRequire(import.meta.url)(outfile);
}

const create = () => createAgentWith(async () => ({ CoreSession: Session }), { url: "/agent", notify: "sync" });

/** Types a text into the form of the page, and sends it. */
function ask(host, text) {
  const input = host.querySelector("input");
  input.value = text;
  input.dispatchEvent(new window.Event("input", { bubbles: true }));
  return () => host.querySelector("form").dispatchEvent(new window.Event("submit", { bubbles: true, cancelable: true }));
}
const shown = (host) => [...host.querySelectorAll("p")].map(({ textContent }) => textContent);
const button = (host) => host.querySelector("button").textContent;

describe("recipes", () => {
  beforeEach(() => void (Session.all = []));

  it("Preact: the React binding with preact/compat", async () => {
    const alias = { ...Object.fromEntries([...code("js").matchAll(/"?([\w/-]+)"?: ("preact\/[\w-]+")/g)].map(([, from, to]) => [from, JSON.parse(to)])) };
    assert.deepEqual(Object.keys(alias).sort(), ["react", "react-dom", "react/jsx-runtime"]);
    const component = code("tsx").replace('useAgent({ url: "/agent" })', "useAgent(globalThis.agent)");
    const { Chat, h, render } = await bundle("preact", { entry: { contents: `${component}\nexport { h, render } from "preact";`, loader: "tsx" } }, {
      jsx: "automatic",
      alias: { "ag-ui-wasm/react": fileURLToPath(new URL("react.js", folder)), ...alias },
    });
    globalThis.agent = create();
    const host = document.body.appendChild(document.createElement("div"));
    render(h(Chat), host);
    const send = ask(host, "hello");
    await until(() => host.querySelector("input").value === "hello");
    await new Promise((done) => setImmediate(done));
    send();
    await until(() => Session.last);
    Session.last.say("Hel", "lo");
    await until(() => shown(host).join() === "hello,Hello");
    assert.equal(button(host), "Stop");
    Session.last.finish();
    await until(() => button(host) === "Send");
    render(null, host);
  });

  it("Solid: a signal of the snapshot", async () => {
    const { code: component } = await transformAsync(code("jsx"), { presets: [solid], babelrc: false, configFile: false });
    const { Chat, createComponent, render } = await bundle("solid", {
      entry: { contents: `${component}\nexport { createComponent, render } from "solid-js/web";`, loader: "js" },
      "./create-snapshot": { contents: code("ts"), loader: "ts" },
    });
    let listening = 0;
    const made = create();
    const agent = { ...made, subscribe: (listener) => (listening++, ((off) => () => (listening--, off()))(made.subscribe(listener))) };
    const host = document.body.appendChild(document.createElement("div"));
    const leave = render(() => createComponent(Chat, { agent }), host);
    assert.equal(listening, 1);
    ask(host, "hello")();
    await until(() => Session.last);
    Session.last.say("Hel");
    assert.deepEqual([shown(host), button(host), host.querySelector("input").value], [["hello", "Hel"], "Stop", ""]);
    const row = host.querySelectorAll("p")[1];
    Session.last.patch(["+", ["messages", 1, "content"], "lo"]);
    Session.last.changed();
    assert.equal(shown(host)[1], "Hello");
    assert.equal(host.querySelectorAll("p")[1], row, "its row is the same element");
    Session.last.finish();
    await until(() => button(host) === "Send");
    leave();
    assert.equal(listening, 0);
  });
});

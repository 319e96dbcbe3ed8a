// The chunk with the WebAssembly: not in the page's first bundle, and what a person sees while it does not come. The package is
// installed from its tarball and the page built by Vite, with no setting.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openBrowser } from "../webdriver/client.mjs";
import { closeDisplay } from "../webdriver/display.mjs";
import { engineNames, engines, locate } from "../webdriver/engines.mjs";
import { ANSWER, startAgentServer } from "./agent-server.mjs";
import { buildSite } from "./apps.mjs";
import { install, root } from "./consumer.mjs";

/** @type {import("./consumer.mjs").Consumer} */
let consumer;
/** @type {Awaited<ReturnType<typeof startAgentServer>>} */
let server;
/** @type {string} */
let site;
/** Of which chunk, whether it is served, and how often it was asked for: the one with the module, or what comes beside it. */
let chunk = "core-inline";
/** @type {() => boolean | Promise<boolean>} */
let allow = () => true;
let asked = 0;

before(async () => {
  consumer = await install({ react: "react", "react-dom": "react-dom" });
  site = await buildSite(consumer, "typing");
  server = await startAgentServer({
    files: site,
    headers: { "cache-control": "no-store" },
    allow: (path) => !path.includes(`/${chunk}-`) || (asked++, allow()),
  });
});
after(async () => {
  await server?.close();
  await closeDisplay();
  consumer?.remove();
});
beforeEach(() => {
  server.requests.length = asked = 0;
  allow = () => true;
});

const sent = () => server.requests.map(({ messages }) => messages.map((/** @type {{ content: string }} */ { content }) => content));

test("neither module is in what the page loads at first", () => {
  const glue = readFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/glue/bytes.js"), "utf8");
  const html = readFileSync(join(site, "index.html"), "utf8");
  const first = [...html.matchAll(/assets\/[\w-]+\.js/g)].map(([name]) => readFileSync(join(site, name)));
  assert.equal(first.length, 1);
  assert.equal(first[0]?.includes(glue.slice(100, 160)), false);
  assert.ok(gzipSync(first[0] ?? "").length < 100_000, "React and the entry");
  const chunks = readdirSync(join(site, "assets")).filter((name) => name.includes("-inline"));
  assert.deepEqual(chunks.map((name) => name.split("-")[0]).sort(), ["core", "full"]);
  assert.equal(readdirSync(join(site, "assets")).filter((name) => name.startsWith("live-")).length, 1);
});

test("what an agent loads later is one chunk for the module and one beside it, which wait for no other", async () => {
  // Of a page without React the bundler may have its helpers in a chunk of their own.
  for (const folder of [site, await buildSite(consumer, "bare")]) {
    const assets = join(folder, "assets");
    const [entry = ""] = readFileSync(join(folder, "index.html"), "utf8").match(/[\w-]+\.js(?=")/) ?? [];
    for (const name of readdirSync(assets).filter((name) => /^(core-inline|full-inline|live)-/.test(name))) {
      const imports = [...readFileSync(join(assets, name), "utf8").matchAll(/(?:from|import)\s*["'`]([^"'`]+\.js)["'`]/g)].map(([, path]) => path);
      // The small module with its bytes imports nothing. The base, which asks for add-ons, and what comes beside a module import only what the
      // page has.
      assert.deepEqual(imports, name.startsWith("core-inline-") ? [] : [`./${entry}`], name);
    }
  }
});

test("the documented plugin preloads both chunks, where the site has them", async () => {
  const text = readFileSync(join(root, "docs/loading.md"), "utf8");
  const [, code = ""] = text.match(/```js\n(export function preloadCore[^]*?)```/) ?? [];
  const { preloadCore } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const folder = await buildSite(consumer, "bare", { base: "/app/", plugins: [preloadCore()] });
  const links = [...readFileSync(join(folder, "index.html"), "utf8").matchAll(/<link rel="modulepreload" crossorigin href="\/app\/assets\/([^"]+)">/g)].map((
    [, name = ""],
  ) => name);
  assert.deepEqual(links.map((name) => name.replace(/-[\w-]{8}\.js$/, "")).sort(), ["core-inline", "live"]);
  for (const name of links) assert.ok(existsSync(join(folder, "assets", name)), name);
});

for (const name of engineNames) {
  const { missing } = locate(name);
  // In CI every engine has to be there: without it the tests fail at their start.
  const skip = missing.length > 0 && !process.env.CI && `${missing.join(" and ")} not found; Debian packages: ${engines[name].packages.join(" ")}`;
  describe(engines[name].title, () => {
    /** @type {import("../webdriver/client.mjs").Browser} */
    let browser;
    before(async () => {
      if (!skip) browser = await openBrowser(name);
    });
    after(() => browser?.close());

    const open = async () => {
      // Not goto: Firefox holds back a page's `load` event until its imports have come, and these do not come.
      await browser.goto("about:blank");
      await browser.evaluate((url) => void setTimeout(() => location.assign(url)), `${server.url}/index.html`);
      await browser.waitFor(() => document.querySelector("#send"), { message: "the page" });
    };
    const say = async (/** @type {string} */ text) => {
      await browser.type("input", text);
      await browser.click("#send");
    };
    const arrives = async (/** @type {number} */ count) => {
      for (const end = Date.now() + 15_000; sent().length < count && Date.now() < end;) await rows();
    };
    const rows = () => browser.evaluate(() => [...document.querySelectorAll("li")].map((row) => row.textContent));
    const shows = (/** @type {string} */ css, /** @type {string} */ text) =>
      browser.waitFor((css, text) => document.querySelector(css)?.textContent === text, { args: [css, text], message: `${text} in ${css}` });

    for (const [part, which] of /** @type {const} */ ([["the module", "core-inline"], ["what comes beside the module", "live"]])) {
      test(`while ${part} does not come, one can type, submit twice, stop and leave`, { skip }, async () => {
        chunk = which;
        let release = () => {};
        allow = () => new Promise((resolve) => (release = () => resolve(true)));
        await open();
        await say("one");
        await say("two");
        await shows("#status", "busy");
        assert.deepEqual(await rows(), ["one", "two"]);
        // The first request leaves without the module, by what comes beside that once it is there.
        const ahead = which === "live" ? [] : [["one"]];
        await arrives(ahead.length);
        await browser.click("#stop");
        assert.deepEqual(await rows(), ["one", "two"]);
        assert.equal(await browser.text("#status"), "busy");
        await browser.click("#leave");
        assert.deepEqual([sent(), asked], [ahead, 1]);
        release();
        await arrives(ahead.length + 1);
        assert.deepEqual(sent(), [...ahead, ["one", "two"]]);
        assert.deepEqual(await browser.consoleErrors(), []);
      });

      test(`${part}, once refused, loses nothing, and is asked for again`, { skip }, async () => {
        chunk = which;
        allow = () => false;
        await open();
        await shows("#error", "internal load");
        await say("one");
        await shows("#status", "error");
        assert.deepEqual([await rows(), sent()], [["one"], []]);
        allow = () => true;
        await browser.click("#retry");
        if (name === "firefox") {
          // It remembers a failed import as long as the page lives.
          await shows("#status", "error");
          assert.deepEqual([await rows(), sent()], [["one"], []]);
          return;
        }
        await shows("#status", "success");
        assert.deepEqual([await rows(), sent()], [["one", ANSWER], [["one"]]]);
        assert.equal(await browser.text("#error"), "");
        // The browser reports the refused chunk by itself.
        await browser.consoleErrors();
      });
    }
  });
}

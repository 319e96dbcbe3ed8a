// Worker mode of the installed package in browsers: built by Vite and webpack, served by Vite, and without a bundler; and
// where a policy refuses workers.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { closeDisplay } from "../webdriver/display.mjs";
import { engineNames, engines, locate } from "../webdriver/engines.mjs";
import { ANSWER, startAgentServer } from "./agent-server.mjs";
import { buildSite, bundleSite, copySite, packSite, serveSite } from "./apps.mjs";
import { install } from "./consumer.mjs";

const strict = "default-src 'self'; img-src data:; script-src 'self' 'wasm-unsafe-eval'";

/** @type {import("./consumer.mjs").Consumer} */
let consumer;
/** @type {Record<string, string>} */
const address = {};
/** @type {string} */
let built;
/** @type {(() => Promise<void>)[]} */
const closers = [];

before(async () => {
  consumer = await install();
  const serve = async (/** @type {string} */ name, /** @type {string} */ files, policy = strict) => {
    const { url, close } = await startAgentServer({ files, headers: { "content-security-policy": policy } });
    closers.push(close);
    address[name] = `${url}/index.html`;
  };
  built = await buildSite(consumer, "worker");
  await serve("built by Vite", built);
  await serve("built by Vite, full", await buildSite(consumer, "full-worker"));
  await serve("built by webpack", await packSite(consumer));
  await serve("without a bundler", copySite(consumer));
  await serve("bundled with a script of its own", await bundleSite(consumer));
  await serve("refused", built, `${strict}; worker-src 'none'`);
  const development = await serveSite(consumer);
  closers.push(development.close);
  const server = new URL(address["built by Vite"] ?? "").origin;
  address["served by Vite"] = `${development.url}?server=${encodeURIComponent(server)}`;
});
after(async () => {
  await Promise.all(closers.map((close) => close()));
  await closeDisplay();
  consumer?.remove();
});

test("a page that has a worker loads the WebAssembly there alone", () => {
  const files = readdirSync(join(built, "assets"));
  const bytes = readFileSync(join(consumer.folder, "node_modules/ag-ui-wasm/glue/bytes.js"), "utf8").slice(100, 160);
  const carriers = files.filter((name) => readFileSync(join(built, "assets", name), "utf8").includes(bytes)).map((name) => name.split("-")[0]);
  // The second is for pages that have none, which load it then.
  assert.deepEqual(carriers.sort(), ["core", "worker"]);
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

    const ask = async (/** @type {string} */ url) => {
      await browser.goto(url);
      // Vite prepares modules when they are first requested, and then the page is loaded again.
      await browser.waitFor(() => document.querySelector("button"), { message: "the page" });
      await browser.click("button");
      const outcome = await browser.waitFor(() => document.querySelector("#outcome")?.textContent, { message: "the end of the run" });
      return { outcome, said: await browser.text("#said"), error: await browser.text("#error") };
    };
    const good = { outcome: "success", said: ANSWER, error: "" };

    for (const site of [
      "built by Vite",
      "built by Vite, full",
      "built by webpack",
      "without a bundler",
      "bundled with a script of its own",
      "served by Vite",
    ]) {
      test(`${site}, the agent works in a worker`, { skip }, async () => {
        assert.deepEqual(await ask(address[site] ?? ""), good);
        assert.equal(await browser.text("#warning"), "");
        assert.deepEqual(await browser.consoleErrors(), []);
      });
    }

    test("a fetch of the page's own is asked in the page", { skip }, async () => {
      assert.deepEqual(await ask(`${address["built by Vite"]}?fetch`), good);
      assert.equal(await browser.text("#warning"), "");
    });

    test("a policy that refuses workers leaves the agent in the page, with a warning", { skip }, async () => {
      assert.deepEqual(await ask(address["refused"] ?? ""), good);
      assert.match(await browser.text("#warning"), /^worker-unavailable: /);
      // The browser reports the policy by itself.
      await browser.consoleErrors();
    });
  });
}

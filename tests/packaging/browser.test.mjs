// The installed package in browsers, under a strict Content-Security-Policy and in workers.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { closeDisplay } from "../webdriver/display.mjs";
import { engineNames, engines, locate } from "../webdriver/engines.mjs";
import { ANSWER, startAgentServer } from "./agent-server.mjs";
import { buildSite, buildWorkers, plainSite } from "./apps.mjs";
import { install } from "./consumer.mjs";

/** Nothing is allowed but the page's own files, and WebAssembly. */
const strict = "default-src 'self'; img-src data:; script-src 'self' 'wasm-unsafe-eval'";
const withoutWasm = "default-src 'self'; img-src data:; script-src 'self'";

const sites = /** @type {const} */ (["react", "svelte", "slim", "workers", "plain"]);

/** @type {import("./consumer.mjs").Consumer} */
let consumer;
/** Servers by site and policy. @type {Record<string, { strict: string, withoutWasm: string }>} */
const addresses = {};
/** @type {(() => Promise<void>)[]} */
const closers = [];

before(async () => {
  consumer = await install({ react: "react", "react-dom": "react-dom", svelte: "svelte" });
  for (const site of sites) {
    const files = site === "workers" ? await buildWorkers(consumer) : site === "plain" ? plainSite(consumer) : await buildSite(consumer, site);
    const serve = async (/** @type {string} */ policy) => {
      const { url, close } = await startAgentServer({ files, headers: { "content-security-policy": policy } });
      closers.push(close);
      return url;
    };
    addresses[site] = { strict: await serve(strict), withoutWasm: await serve(withoutWasm) };
  }
});
after(async () => {
  await Promise.all(closers.map((close) => close()));
  await closeDisplay();
  consumer?.remove();
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

    // The mark stands on each test: a group that is skipped as a whole counts as none.
    const check = (/** @type {string} */ title, /** @type {() => Promise<void>} */ body) => void test(title, { skip }, body);
    const address = (/** @type {string} */ site) => /** @type {typeof addresses[string]} */ (addresses[site]);
    const outcome = () => browser.waitFor(() => document.querySelector("#outcome")?.textContent, { message: "the end of the run" });

    for (const site of /** @type {const} */ (["react", "svelte", "slim", "plain"])) {
      check(`${site} runs under a strict policy`, async () => {
        await browser.goto(address(site).strict);
        await browser.click("button");
        assert.equal(await outcome(), "success");
        assert.equal(await browser.text("#said"), ANSWER);
        assert.equal(await browser.text("#error"), "");
        assert.deepEqual(await browser.consoleErrors(), []);
      });
    }

    check("a policy that forbids WebAssembly is an error that names the directive", async () => {
      await browser.goto(address("react").withoutWasm);
      await browser.click("button");
      const error = await browser.waitFor(() => document.querySelector("#error")?.textContent, { message: "the error" });
      assert.match(error, /^blocked: .*'wasm-unsafe-eval'/);
    });

    for (const [kind, ask] of [["a dedicated worker", "askWorker"], ["a service worker", "askServiceWorker"]]) {
      check(`it runs in ${kind}`, async () => {
        await browser.goto(address("workers").strict);
        const { outcome, said } = await browser.evaluate(`return globalThis.${ask}()`);
        assert.deepEqual({ outcome, said }, { outcome: "success", said: ANSWER });
      });

      check(`${kind} whose policy forbids WebAssembly says so`, async () => {
        await browser.goto(address("workers").withoutWasm);
        const { outcome, error } = await browser.evaluate(`return globalThis.${ask}()`);
        assert.equal(outcome, "error");
        assert.equal(error.kind, "blocked");
      });
    }
  });
}

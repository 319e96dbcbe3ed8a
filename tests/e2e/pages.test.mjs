/**
 * The demo's three pages against its server, in the browser that ENGINE names. All pages take the same tests: what one
 * binding can do, the others can. An engine does not treat one binding unlike another, so all of it is played in Chromium,
 * and the pages take turns in the others. Screenshots go to .artifacts/screenshots.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startServer } from "../../www/server.mjs";
import { sitePolicy } from "../../www/server/site.mjs";
import { openBrowser } from "../webdriver/client.mjs";
import { engineNames } from "../webdriver/engines.mjs";
import { access } from "./cases/access.mjs";
import { answers } from "./cases/answers.mjs";
import { faults } from "./cases/faults.mjs";
import { page as helps } from "./cases/page.mjs";
import { parts } from "./cases/parts.mjs";
import { pictures } from "./cases/pictures.mjs";
import { thread } from "./cases/thread.mjs";
import { threads } from "./cases/threads.mjs";
import { Chat, id } from "./chat.mjs";

const engine = process.env.ENGINE ?? "chromium";
const pages = ["react", "svelte", "plain"];
const cases = Object.entries({ ...answers, ...parts, ...pictures, ...helps, ...faults, ...thread, ...threads, ...access });

let server;
before(async () => {
  server = await startServer();
});
after(() => server.close());

describe("in the light", () => {
  let browser;
  before(async () => {
    browser = await openBrowser(engine, { width: 1280, height: 800 });
  });
  after(() => browser?.close());

  const first = engineNames.indexOf(engine);
  for (const [at, page] of pages.entries()) {
    for (const [name, run] of cases.filter((_, number) => engine === "chromium" || (number + first) % pages.length === at)) {
      it(`${page}: ${name}`, async () => {
        const chat = new Chat(browser, server.url, page);
        await browser.consoleErrors(); // what an earlier page left after
        try {
          const { expect } = (await run(chat)) ?? {};
          const errors = await browser.consoleErrors();
          assert.deepEqual(errors.filter((error) => !expect?.test(error)), [], "the console is clean");
        } catch (error) {
          await chat.screenshot(`failed-${name.replaceAll(/\W+/g, "-")}`).catch(() => {});
          throw error;
        }
      });
    }
  }

  it("a policy that forbids WebAssembly is named", async () => {
    const strict = await startServer({ policy: sitePolicy.replace(" 'wasm-unsafe-eval'", "") });
    try {
      for (const page of pages) {
        const chat = new Chat(browser, strict.url, page);
        await chat.open("short");
        await chat.ask("Are you there?");
        assert.equal((await chat.data(id("error-card"))).kind, "blocked");
        await chat.shows(id("error-message"), "'wasm-unsafe-eval'");
        assert.equal(await browser.count(id("stop")), 0, "nothing goes on for ever");
        await chat.screenshot("blocked");
      }
    } finally {
      await browser.consoleErrors(); // engines report the violation themselves
      await strict.close();
    }
  });

  it("the landing page leads to all three", async () => {
    await browser.goto(`${server.url}/`);
    await browser.screenshot(new URL(`../../.artifacts/screenshots/${engine}-landing.png`, import.meta.url).pathname);
    const doors = await browser.evaluate((css) => [...document.querySelectorAll(css)].map((door) => door.href), id("door"));
    assert.deepEqual(doors, pages.map((page) => `${server.url}/${page}.html`));
    for (const door of doors) assert.equal((await fetch(door)).status, 200);
    assert.deepEqual(await browser.consoleErrors(), []);
  });
});

describe("in the dark", () => {
  let browser;
  before(async () => {
    browser = await openBrowser(engine, { width: 1280, height: 800, colorScheme: "dark", reducedMotion: true });
  });
  after(() => browser?.close());

  for (const page of pages) {
    it(`${page}: the page follows the system, and stands still where that is wished`, async () => {
      const chat = new Chat(browser, server.url, page);
      await chat.open("state");
      assert.equal(await browser.evaluate(() => document.documentElement.dataset.theme), "dark");
      await chat.ask("A weekend in Porto.");
      await chat.shows(id("state"), "PRT-4821");
      await chat.idle();
      assert.equal(await browser.evaluate(() => matchMedia("(prefers-reduced-motion: reduce)").matches), true);
      await chat.until(() => document.getAnimations().every(({ playState }) => playState === "finished"));
      await chat.screenshot("system-dark");
      assert.deepEqual(await browser.consoleErrors(), []);
    });
  }
});

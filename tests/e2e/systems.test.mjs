/**
 * The five systems besides AG-UI, against the demo's server, in the browser that ENGINE names. What a system sends does
 * not depend on the page, so the pages take turns: in three engines each system meets each of them. Screenshots go to
 * .artifacts/screenshots.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startServer } from "../../www/server.mjs";
import { openBrowser } from "../webdriver/client.mjs";
import { engineNames } from "../webdriver/engines.mjs";
import { contract, inWorker, session, switching, systems } from "./cases/systems.mjs";
import { Chat } from "./chat.mjs";

const engine = process.env.ENGINE ?? "chromium";
const pages = ["react", "svelte", "plain"];

let server;
let browser;
before(async () => {
  server = await startServer();
  browser = await openBrowser(engine, { width: 1280, height: 800 });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

let turn = engineNames.indexOf(engine);
for (const [protocol, cases] of Object.entries(systems)) {
  for (const [name, run] of Object.entries(cases)) test(pages[turn++ % pages.length], `${protocol}: ${name}`, run);
}
for (const page of pages) {
  test(page, "chio: three messages over one connection", session("chio-session"));
  test(page, "chio: three messages over one socket", session("chio-socket"));
  test(page, "ngaf: the contract's fields follow the run", contract);
  test(page, "AG-UI in a worker", inWorker);
}
for (const page of pages) test(page, "another protocol begins another conversation", switching);

function test(page, name, run) {
  it(`${page}: ${name}`, async () => {
    const chat = new Chat(browser, server.url, page);
    await browser.consoleErrors(); // what an earlier page left after
    try {
      await run(chat);
      assert.deepEqual(await browser.consoleErrors(), [], "the console is clean");
    } catch (error) {
      await chat.screenshot(`failed-${name.replaceAll(/\W+/g, "-")}`).catch(() => {});
      throw error;
    }
  });
}

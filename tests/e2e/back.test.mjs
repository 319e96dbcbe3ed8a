/**
 * A page that is left and gone back to: Chromium keeps it as it was (its back/forward cache), unless something of it keeps it
 * from that or wakes it. With an agent that has run, in the page and in a worker, with a store and without.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { inputOf, serveFiles } from "./files.mjs";

const engine = process.env.ENGINE ?? "chromium";

/** Answers with a word. */
async function answer(request, response) {
  const { threadId, runId } = await inputOf(request);
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    { type: "TEXT_MESSAGE_CHUNK", messageId: `${runId}-answer`, role: "assistant", delta: "word" },
    { type: "RUN_FINISHED", threadId, runId },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" }).end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
}

describe("a page that is gone back to", { skip: engine !== "chromium" && "only Chromium says why it has not kept a page" }, () => {
  let server;
  let browser;
  before(async () => {
    server = await serveFiles(answer);
    browser = await openBrowser(engine, { width: 600, height: 400 });
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  for (const [what, options] of Object.entries({
    "in the page": {},
    "in a worker": { worker: true },
    "in the page, with localStorage": { persist: "back" },
    "in a worker, with localStorage": { persist: "back too", worker: true },
  })) {
    it(`is as it was left: an agent ${what}`, async () => {
      await browser.goto(server.address("index.html"));
      await browser.waitFor(() => window.life !== undefined);
      const outcomes = await browser.evaluate(async (options) => {
        const outcomes = [];
        life.start({ url: "/agent", ...options });
        for (let run = 0; run < 3; run++) outcomes.push((await life.agent.submit("hello")).outcome);
        window.addEventListener("pageshow", ({ persisted }) => (window.restored = persisted));
        return outcomes;
      }, options);
      assert.deepEqual([...new Set(outcomes)], ["success"]);
      const shown = await browser.evaluate(() => life.agent.getSnapshot().messages.length);
      await browser.goto(server.address("tabs.html"));
      // Garbage is collected in the page that is kept as well: what waits for that would run there.
      for (let round = 0; round < 3; round++) await browser.collectGarbage();
      await browser.evaluate(() => void setTimeout(() => history.back(), 1000));
      await browser.waitFor(() => document.title === "An agent by itself" && window.life !== undefined);
      const { restored, reasons } = await browser.evaluate(() => ({
        restored: window.restored,
        reasons: performance.getEntriesByType("navigation")[0].notRestoredReasons?.reasons?.map(({ reason }) => reason),
      }));
      assert.ok(restored, `the page was made anew: ${reasons}`);
      const [again, count] = await browser.evaluate(async () => [(await life.agent.submit("again")).outcome, life.agent.getSnapshot().messages.length]);
      assert.deepEqual([again, count], ["success", shown + 2]);
    });
  }
});

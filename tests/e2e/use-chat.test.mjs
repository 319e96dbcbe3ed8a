/**
 * `useChat` of React, Vue and Svelte over an agent, in the browser that ENGINE names. What the frameworks' chats have in common is tested in
 * React's page in every engine; the pages of Vue and Svelte play the same in Chromium.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { until } from "../js/lib.mjs";
import { pages, serve } from "./use-chat/site.mjs";

const engine = process.env.ENGINE ?? "chromium";
let site;
let browser;
before(async () => {
  site = await serve();
  browser = await openBrowser(engine);
});
after(async () => {
  await browser?.close();
  site?.close();
});

/** Waits until the last message is this text, piece by piece. */
const shows = (...wanted) =>
  browser.waitFor((wanted) => {
    const last = [...document.querySelectorAll("section")].at(-1);
    return last && wanted.every((text) => last.textContent.includes(text));
  }, { args: [wanted], message: wanted.join(", ") });
const isReady = () => browser.waitFor(() => document.querySelector("#status").textContent === "ready", { message: "the end" });
const rows = () => browser.evaluate(() => [...document.querySelectorAll("section")].map((row) => `${row.dataset.role}: ${row.textContent.trim()}`));
const say = async (text) => {
  await browser.fill("#say", text);
  await browser.press("Enter");
};

for (const page of Object.keys(pages).filter((page) => page === "react" || engine === "chromium")) {
  describe(`useChat, ${page}`, () => {
    before(async () => {
      await browser.goto(`${site.url}/${page}.html`);
      await browser.waitFor(() => document.querySelector("#say"), { message: "the page" });
    });

    it("shows reasoning, a call while its input comes, activities, state and custom events", async () => {
      await say("everything");
      await shows("reasoning: hm", 'tool-weather: input-streaming {"city":"Ro"}');
      site.release();
      await shows(
        'tool-weather: output-available {"city":"Rome"} {"degrees":20}',
        'data-PLAN: {"steps":1}',
        'data-state: {"n":1}',
        "data-progress: 0.5",
        "It is",
        "warm",
      );
      await isReady();
    });

    it("edits under the same id, and sends files", async () => {
      await browser.click("#edit");
      await shows("edited?");
      assert.deepEqual((await rows()).length, 2);
      await isReady();
      await browser.click("#file");
      await shows("image look?");
      assert.equal(site.requests.at(-1).messages.at(-1).content[0].metadata.filename, "a.png");
      await isReady();
    });

    it("answers a call of the page, an approval and an interrupt", async () => {
      await say("color");
      await shows("tool-color: output-available", 'Result: {"of":"sky","is":"blue"}');
      await isReady();
      await say("pay");
      await shows("tool-pay: approval-requested");
      await isReady();
      await browser.click("#approve");
      await shows("tool-pay: output-available", "Result: paid");
      await isReady();
      await say("ask");
      await shows("Sure?", "data-interrupt");
      await isReady();
      await browser.click("#answer");
      await shows("Sure?", "You said yes.");
      await isReady();
    });

    it("shows an error, and asks again", async () => {
      await say("fail");
      await browser.waitFor(() => document.querySelector("#error").textContent === "out of memory", { message: "the error" });
      const count = site.requests.length;
      await browser.click("#again");
      for (const end = Date.now() + 15_000; site.requests.length === count && Date.now() < end;) await browser.text("#status");
      await browser.waitFor(() => document.querySelector("#status").textContent === "error", { message: "the error" });
      assert.equal(site.requests.length, count + 1);
    });

    it("takes back what a list of messages has replaced, and stops", async () => {
      await say("anew");
      await shows("old");
      site.release();
      await shows("new!");
      await isReady();
      assert.ok(!(await rows()).at(-1).includes("old"));
      await say("wait");
      await shows("one,");
      await browser.click("#stop");
      await isReady();
      assert.equal(await browser.evaluate(() => globalThis.agent.getSnapshot().outcome), "aborted");
    });

    it("continues with the thread and its run after a reload", async () => {
      await say("wait again");
      await shows("one,");
      // An interrupt that has its answer is in no thread.
      const before = (await rows()).map((row) => row.replace(/data-interrupt: \{.*\}/, ""));
      const count = site.joined.length;
      await browser.reload();
      await shows("one,");
      assert.deepEqual(await rows(), before);
      await until(() => site.joined.length === count + 1, "the request that joins the run");
      site.release();
      await shows("one,", "two.");
      await isReady();
      assert.equal((await rows()).length, before.length);
    });
  });
}

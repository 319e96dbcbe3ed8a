// A CopilotKit chat and an assistant-ui thread in a browser, over the official class, over ours handed in, and with our module in
// place of the official one.
//
//   npm ci --ignore-scripts --prefix tests/ag-ui-client/pages && node --test tests/ag-ui-client/pages/pages.test.mjs

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { openBrowser } from "../../webdriver/client.mjs";
import { closeDisplay } from "../../webdriver/display.mjs";
import { locate } from "../../webdriver/engines.mjs";
import { bundle, serve, ways } from "./site.mjs";

const engine = process.env.ENGINE ?? "chromium";
const installed = existsSync(new URL("node_modules", import.meta.url));
const skip = (!installed && "the pages' modules are not installed: npm ci --prefix tests/ag-ui-client/pages") ||
  (locate(engine).missing.length > 0 && `${engine} is not here`);

const pages = {
  assistant: { input: "#say", send: "#send", stop: "#stop", answer: '[data-role="assistant"]' },
  copilot: {
    input: "textarea",
    send: '[data-testid="copilot-send-button"]',
    stop: '[data-testid="copilot-send-button"]',
    answer: '[data-testid="copilot-assistant-message"]',
  },
};
pages.runtime = pages.copilot;
/** CopilotKit makes the agents of its runtime itself: there is no class to hand in. assistant-ui has no core of CopilotKit. */
const waysOf = (page) => Object.keys(ways).filter((way) => way !== { runtime: "class", assistant: "next" }[page]);

let browser;
let site;
before(async () => {
  if (skip) return;
  const scripts = {};
  for (const page of Object.keys(pages)) for (const way of waysOf(page)) scripts[`${page}-${way}`] = (await bundle(page, way)).script;
  site = await serve(scripts);
  browser = await openBrowser(engine);
});
after(async () => {
  await browser?.close();
  await site?.close();
  await closeDisplay();
});

const shown = (text) => browser.waitFor((wanted) => document.body.innerText.includes(wanted), { args: [text], message: `"${text}"` });

for (const [page, { input, send, stop }] of Object.entries(pages)) {
  for (const way of waysOf(page)) {
    describe(`${page}, ${way}`, () => {
      const say = async (text) => {
        await browser.waitFor((css) => document.querySelector(css), { args: [input], message: "the field" });
        await browser.fill(input, text);
        await browser.waitFor((css) => document.querySelector(css) && !document.querySelector(css).disabled, { args: [send], message: "the button" });
        await browser.click(send);
      };

      test("two turns, a failure, and a turn after it", { skip }, async () => {
        await browser.goto(`${site.url}/${page}-${way}.html`);
        await say("one");
        await shown("You said: one.");
        await say("two");
        await shown("You said: two.");
        const { input: sent } = site.requests.at(-1);
        assert.equal(site.requests.at(-1).headers["x-page"] ?? page, page);
        assert.deepEqual(sent.messages.map(({ role }) => role), ["user", "assistant", "user"]);
        await say("fail");
        const asked = site.requests.length;
        await browser.waitFor(() => !globalThis.agent.isRunning, { message: "the end of the run" });
        await say("three");
        await shown("You said: three.");
        assert.ok(site.requests.length >= asked);
      });

      test("a run is stopped, and what came stays", { skip }, async () => {
        await browser.goto(`${site.url}/${page}-${way}.html`);
        await say("wait");
        await shown("You said: wait.");
        const request = site.requests.at(-1);
        await browser.click(stop);
        await browser.waitFor(() => !globalThis.agent.isRunning, { message: "the end of the run" });
        await shown("You said: wait.");
        await request.closed;
      });

      if (page !== "runtime") {
        test("a thread of 500 messages, and a burst of 500 deltas", { skip }, async () => {
          await browser.goto(`${site.url}/${page}-${way}.html?messages=500`);
          await say("burst 500");
          await shown("w499");
        });
      }

      if (page !== "assistant") {
        test("a tool of the page is called, and its result goes to the agent", { skip }, async () => {
          await browser.goto(`${site.url}/${page}-${way}.html`);
          await say("color it");
          await browser.waitFor(() => document.body.dataset.color === "red", { message: "the color" });
          await shown("You said: it is red.");
          assert.equal(site.requests.at(-1).input.messages.at(-1).role, "tool");
        });
      }

      if (page === "runtime") {
        test("the history of a thread is replayed, and continues", { skip }, async () => {
          await browser.goto(`${site.url}/${page}-${way}.html?thread=old`);
          await shown("an old question");
          await shown("an old answer");
          await say("new");
          await shown("You said: new.");
          const { path, input: sent } = site.requests.at(-1);
          assert.equal(path, "/runtime/agent/default/run");
          assert.deepEqual([sent.threadId, sent.messages.map(({ role }) => role)], ["old", ["user", "assistant", "user"]]);
        });
      }
    });
  }
}

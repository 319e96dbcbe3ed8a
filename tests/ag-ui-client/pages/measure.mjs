// The cost of a burst for a whole page: the longest task, and all tasks over 50 ms together, in a thread of 500 messages of 1 KB.
//
//   node tests/ag-ui-client/pages/measure.mjs [deltas]

import { gzipSync } from "node:zlib";
import { openBrowser } from "../../webdriver/client.mjs";
import { closeDisplay } from "../../webdriver/display.mjs";
import { bundle, serve, ways } from "./site.mjs";

const deltas = Number(process.argv[2] ?? 1000);
const fields = { assistant: ["#say", "#send"], copilot: ["textarea", '[data-testid="copilot-send-button"]'] };
const scripts = {};
for (const page of Object.keys(fields)) {
  for (const way of Object.keys(ways)) {
    const { script } = await bundle(page, way);
    scripts[`${page}-${way}`] = script;
    console.log(`${page}, ${way}: ${Math.round(script.length / 1000)} kB, ${Math.round(gzipSync(script).length / 1000)} kB with gzip`);
  }
}
const site = await serve(scripts);
const browser = await openBrowser("chromium");
for (let round = 0; round < 3; round++) {
  for (const [page, [input, send]] of Object.entries(fields)) {
    for (const way of Object.keys(ways)) {
      await browser.goto(`${site.url}/${page}-${way}.html?messages=500`);
      await browser.waitFor((css) => document.querySelector(css), { args: [input] });
      await browser.fill(input, `burst ${deltas}`);
      await browser.waitFor((css) => document.querySelector(css) && !document.querySelector(css).disabled, { args: [send] });
      await browser.evaluate(() => {
        globalThis.tasks = [];
        new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
      });
      await browser.click(send);
      await browser.waitFor((last) => document.body.innerText.includes(last) && !globalThis.agent.isRunning, { args: [`w${deltas - 1}`], timeout: 60_000 });
      await new Promise((resolve) => setTimeout(resolve, 500));
      const tasks = await browser.evaluate(() => tasks);
      console.log(`${page}, ${way}: longest ${Math.round(Math.max(0, ...tasks))} ms, together ${Math.round(tasks.reduce((sum, task) => sum + task, 0))} ms`);
    }
  }
}
await browser.close();
await site.close();
await closeDisplay();

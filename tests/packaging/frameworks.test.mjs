// Next and SvelteKit applications around the installed package: prerendered or rendered on their server, and opened in Chromium.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { engines, locate } from "../webdriver/engines.mjs";
import { install, root } from "./consumer.mjs";
import { kitSite, nextSite } from "./sites.mjs";

const place = join(root, ".tools/consumers");
const { missing } = locate("chromium");
const skip = missing.length > 0 && !process.env.CI && `${missing.join(" and ")} not found; Debian packages: ${engines.chromium.packages.join(" ")}`;

/** @type {import("../webdriver/client.mjs").Browser | undefined} */
let browser;
before(async () => {
  // Modules of an earlier run are removed, so that none is taken from there.
  rmSync(place, { recursive: true, force: true });
  if (!skip) browser = await openBrowser("chromium");
});
after(async () => {
  await browser?.close();
  rmSync(place, { recursive: true, force: true });
});

for (const [name, build] of /** @type {const} */ ([["Next", nextSite], ["SvelteKit", kitSite]])) {
  describe(name, () => {
    /** @type {import("./sites.mjs").Site | undefined} */
    let site;
    const address = (path = "/") => `${site?.url}${path}`;
    const page = () => /** @type {import("../webdriver/client.mjs").Browser} */ (browser);
    const rows = (/** @type {string} */ id, /** @type {number} */ count) =>
      page().waitFor(
        (id, count) => {
          const found = [...document.querySelectorAll(`#${id} li`)].map((row) => row.textContent);
          return found.length === count && found;
        },
        { args: [id, count], message: `${count} rows of ${id}` },
      );
    before(async () => {
      site = await build(await install({}, place));
    });
    after(() => site?.close());

    test("the page comes from the server", async () => {
      const html = await (await fetch(address())).text();
      assert.match(html, /<h1>From the server<\/h1>/);
      assert.match(html, /<button id="ask">Ask<\/button>/);
    });

    test("it is hydrated, asks, and shows the answer", { skip }, async () => {
      await page().goto(address());
      await page().waitFor(() => document.querySelector("#ask") !== null);
      // A click before the page is hydrated is one that nobody hears.
      await page().waitFor(
        async () => {
          /** @type {HTMLElement} */ (document.querySelector("#ask")).click();
          return document.querySelector("#shared li") !== null;
        },
        { message: "the page to be hydrated" },
      );
      const found = await page().waitFor(() => {
        const rows = [...document.querySelectorAll("#shared li")].map((row) => row.textContent);
        return document.querySelector("#outcome")?.textContent === "success" && rows.length % 2 === 0 && rows.slice(0, 2);
      });
      assert.deepEqual(found, ["hi", "Hello 👋"]);
      assert.deepEqual(await page().consoleErrors(), []);
    });

    if (name !== "Next") return;

    test("no thread's id is in what was prerendered, and the page has one", { skip }, async () => {
      assert.match(await (await fetch(address())).text(), /<p id="thread"><\/p>/);
      const id = await page().waitFor(() => document.querySelector("#thread")?.textContent);
      assert.match(id, /^[0-9a-f-]{36}$/);
    });

    test("agents outlive that their page is left, and are found again afterwards", { skip }, async () => {
      await page().goto(address());
      await page().waitFor(
        async () => {
          if (!document.querySelector("#own li")) /** @type {HTMLElement} */ (document.querySelector("#ask-own")).click();
          return document.querySelector("#own li") !== null;
        },
        { message: "the page to be hydrated" },
      );
      await rows("own", 2);
      await page().click("#about");
      await page().waitFor(() => document.querySelector("#count")?.textContent === "0");
      await page().click("#home");
      assert.deepEqual(await rows("own", 2), ["hi", "Hello 👋"]);
      await page().click("#ask-own");
      assert.deepEqual(await rows("own", 4), ["hi", "Hello 👋", "hi", "Hello 👋"]);
      assert.deepEqual(await page().consoleErrors(), []);
    });
  });
}

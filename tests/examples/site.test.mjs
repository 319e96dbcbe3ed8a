// The site as a visitor has it: built, served below a path, and opened in Chromium.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { at } from "../../tools/paths.mjs";
import { buildSite } from "../../tools/site.mjs";
import { openBrowser } from "../webdriver/client.mjs";
import { engines, locate } from "../webdriver/engines.mjs";

const base = "/below/";
const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2",
};
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const { missing } = locate("chromium");
const skip = missing.length > 0 && !process.env.CI && `${missing.join(" and ")} not found; Debian packages: ${engines.chromium.packages.join(" ")}`;

/** @type {import("node:http").Server} */
let server;
/** @type {import("../webdriver/client.mjs").Browser} */
let browser;
let address = "";
let out = "";
before(async () => {
  if (skip) return;
  // A page with a link to nowhere fails the build.
  out = await buildSite({ base });
  server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = path.startsWith(base) && join(out, path.slice(base.length) || "index.html");
    try {
      if (!file) throw new Error("not below the path");
      const body = readFileSync(file.endsWith("/") ? `${file}index.html` : file);
      response.writeHead(200, { "content-type": types[/** @type {keyof typeof types} */ (extname(file || ".html"))] ?? "text/html" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  address = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}${base}`;
  browser = await openBrowser("chromium");
});
after(async () => {
  await browser?.close();
  server?.close();
});

const text = (/** @type {string} */ wanted) =>
  browser.waitFor((wanted) => document.body.innerText.includes(wanted), { args: [wanted], message: `“${wanted}”` });

/** Fails with what axe-core finds in what is ours: the sidebar and the search field are the theme's, and the corner of a table is empty. */
/** @param {string} [page] @param {import("../webdriver/client.mjs").Browser} [shown] */
async function accessible(page, shown = browser) {
  await shown.evaluate(axe);
  const found = await shown.evaluate(async () => {
    for (const animation of document.getAnimations()) animation.cancel();
    const { violations } = await /** @type {any} */ (window).axe.run({ include: [".VPContent"] }, {
      resultTypes: ["violations"],
      rules: { region: { enabled: false }, "landmark-one-main": { enabled: false }, "empty-table-header": { enabled: false } },
    });
    return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.slice(0, 3).map((/** @type {any} */ { html }) => html).join("  ")}`);
  });
  assert.deepEqual(found, [], page);
}

describe("the site", { skip }, () => {
  for (const [name, wanted] of Object.entries({
    "index.html": "Beside its neighbors",
    "agent.html": "submit",
    "rules.html": "G1",
    "codes/frame-not-json.html": "each frame is JSON",
    "codes/load.html": "could not be loaded",
    "api/index.html": "API",
    "performance.html": "quartiles",
  })) {
    test(`${name} is there, without errors and without what axe finds`, async () => {
      await browser.goto(`${address}${name}`);
      await text(wanted);
      assert.deepEqual(await browser.consoleErrors(), []);
      await accessible();
      await browser.screenshot(at(".artifacts/screenshots", `site-${name.replace("/", "-").replace(".html", "")}.png`));
    });
  }

  for (const [colorScheme, width] of /** @type {const} */ ([["light", 1280], ["dark", 1280], ["light", 320], ["dark", 390]])) {
    test(`the first page plays a chat beside its words: ${colorScheme}, ${width} pixels`, async () => {
      const other = await openBrowser("chromium", { width, height: 800, colorScheme });
      try {
        await other.goto(`${address}index.html`);
        await other.waitFor(() => document.querySelector(".live-chat")?.textContent?.includes("it is cheaper, and you sleep longer."), {
          message: "the end of the recording",
        });
        const shown = await other.evaluate(() => ({
          install: document.querySelector(".install")?.textContent,
          rows: document.querySelectorAll(".vp-doc tbody tr").length,
          trains: document.querySelectorAll(".live-chat .train").length,
          footer: [...document.querySelectorAll(".VPFooter a")].map((link) => /** @type {HTMLAnchorElement} */ (link).href),
          mark: /** @type {HTMLImageElement} */ (document.querySelector(".VPNavBarTitle img")).naturalWidth > 0,
          wide: document.documentElement.scrollWidth,
        }));
        assert.deepEqual([shown.install, shown.rows, shown.trains, shown.mark], ["npm install ag-ui-wasm", 4, 2, true]);
        assert.ok(shown.wide <= width, `${shown.wide} pixels`);
        assert.equal(shown.footer.length, 4);
        for (const link of shown.footer.filter((link) => link.startsWith(address))) assert.equal((await fetch(link)).status, 200, link);
        await accessible("index.html", other);
        assert.deepEqual(await other.consoleErrors(), []);
        await other.screenshot(at(".artifacts/screenshots", `site-first-${colorScheme}-${width}.png`));
      } finally {
        await other.close();
      }
    });
  }

  test("axe finds nothing in any page of the docs and the API", async () => {
    const pages = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html") && !/^(demo|codes|404)\b/.test(name));
    assert.ok(pages.length > 40, `${pages.length} pages`);
    for (const page of pages) {
      await browser.goto(`${address}${page}`);
      await accessible(page);
    }
  });

  test("the API reference has every entry that exports something, and the sidebar leads to each", async () => {
    const manifest = JSON.parse(readFileSync(at("pkg-template/package.json"), "utf8"));
    const entries = Object.entries(manifest.exports).filter(([path, { types }]) => types && !path.startsWith("./worker-")).map(([path]) =>
      manifest.name + path.slice(1)
    );
    await browser.goto(`${address}api/index.html`);
    const shown = await browser.evaluate(() =>
      [.../** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".VPSidebar a[href*='/api/']"))].map(({ textContent, href }) => ({
        name: textContent.trim(),
        href,
      }))
    );
    assert.deepEqual(shown.map(({ name }) => name).sort(), entries.sort());
    for (const { name, href } of shown) assert.ok((await (await fetch(href)).text()).includes(name), name);
  });

  test("every page of the docs has a place in one of the four groups", async () => {
    await browser.goto(`${address}agent.html`);
    const groups = await browser.evaluate(() => [...document.querySelectorAll(".VPSidebar .level-0 > .item .text")].map(({ textContent }) => textContent));
    assert.deepEqual(groups, ["Tutorial", "How-to guides", "Reference", "Explanation", "Servers", "Systems", "Codes", "API"]);
  });

  for (const page of ["react", "svelte", "plain"]) {
    test(`the demo in ${page} answers without a server`, async () => {
      await browser.goto(`${address}demo/${page}.html?scenario=short&speed=0`);
      await browser.waitFor(() => document.querySelector("[data-testid=input]") !== null, { message: "the field" });
      await browser.fill("[data-testid=input]", "hello");
      await browser.press("Enter");
      await text("AG-UI is an open protocol");
      assert.deepEqual(await browser.consoleErrors(), []);
    });
  }

  test("pages are there as Markdown, with a list of them for programs that read", () => {
    const list = readFileSync(join(out, "llms.txt"), "utf8");
    const linked = [...list.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, link = ""]) => link.replace(base, "/").replace(/^\//, ""));
    for (const page of ["tutorial.md", "guides/tool-calls.md", "agent.md", "options.md"]) assert.ok(linked.includes(page), page);
    assert.deepEqual(linked.filter((page) => !existsSync(join(out, page))), []);
    assert.match(readFileSync(join(out, "guides/tool-calls.md"), "utf8"), /# Render tool calls and approvals/);
    assert.ok(readFileSync(join(out, "llms-full.txt"), "utf8").includes("awaiting-approval"));
  });

  test("the playground plays a recording, and shows its events", async () => {
    await browser.goto(`${address}playground.html`);
    await browser.waitFor(() => document.querySelector(".playground button") !== null, { message: "the playground" });
    await browser.click(".playground button");
    await text("Paste a recording here, or an address above.");
    await browser.waitFor(() => (document.querySelector("ag-ui-inspector")?.shadowRoot?.textContent ?? "").includes("RUN_FINISHED"), {
      message: "the inspector's rows",
    });
    assert.deepEqual(await browser.consoleErrors(), []);
    await browser.screenshot(at(".artifacts/screenshots", "site-playground.png"));
  });
});

/**
 * React's page while an answer streams, and what a page's memory keeps of agents, in the browser that ENGINE names.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { serveFile, sitePolicy } from "../../www/server/site.mjs";
import { openBrowser } from "../webdriver/client.mjs";

const engine = process.env.ENGINE ?? "chromium";
const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

describe("a page that is busy", () => {
  let server;
  let url;
  let browser;
  before(async () => {
    const { outputFiles } = await build({
      entryPoints: [folder("./page/busy.entry.js")],
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
      define: { "process.env.NODE_ENV": '"production"' },
    });
    server = createServer((request, response) => {
      if (request.url === "/busy.js") return response.writeHead(200, { "content-type": "text/javascript" }).end(outputFiles[0].text);
      return serveFile(folder("./page"), sitePolicy, request, response);
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${server.address().port}`;
    browser = await openBrowser(engine, { width: 600, height: 600 });
  });
  after(async () => {
    await browser?.close();
    server?.close();
    server?.closeAllConnections();
  });
  beforeEach(() => browser.consoleErrors());
  afterEach(async () => assert.deepEqual(await browser.consoleErrors(), []));

  for (const kind of ["whole", "part"]) {
    it(`a transition is rendered once and committed while an answer streams (${kind})`, async () => {
      await browser.goto(`${url}/busy.html?${kind}`);
      await browser.evaluate(() => void busy.agent.submit("hi"));
      await browser.waitFor(() => busy.renders > 10 && busy.words() > 30);
      await browser.click("#go");
      const seen = await browser.waitFor(() => busy.seen);
      assert.ok(seen.running, "the answer still streams");
      // A store of React's own kind has it begun again with every delta, some thousand rows, until React gives in.
      assert.ok(seen.rows <= 400, `${seen.rows} rows were rendered in ${seen.ms} ms`);
      // Changes meanwhile are shown after it.
      const before = await browser.evaluate(() => busy.words());
      await browser.waitFor((before) => document.querySelector("#said").textContent.length / 5 > before, { args: [before] });
      await browser.evaluate(() => busy.end());
      await browser.waitFor(() => busy.agent.getSnapshot().outcome === "success");
      const said = await browser.waitFor(() => document.querySelector("#said").textContent.length === busy.words() * 5 && busy.words());
      assert.ok(said >= before);
    });
  }

  it("100 agents that were dropped are collected, and their memory is used again", async (test) => {
    await browser.goto(`${url}/busy.html`);
    if (!(await browser.collectGarbage())) return test.skip(`${engine} cannot be told to collect garbage`);
    const sizes = [];
    for (let round = 0; round < 4; round += 1) {
      const outcomes = await browser.evaluate(() => busy.drop(100));
      assert.deepEqual([...new Set(outcomes)], ["success"]);
      const deadline = Date.now() + 20_000;
      let gone = 0;
      for (; gone < 100 && Date.now() < deadline; gone = await browser.evaluate(() => busy.gone())) await browser.collectGarbage();
      assert.equal(gone, 100);
      await browser.collectGarbage();
      sizes.push(await browser.evaluate(() => moduleMemory.buffer.byteLength));
    }
    assert.ok(sizes[3] - sizes[0] < 25 * 100_000, sizes.join());
  });
});

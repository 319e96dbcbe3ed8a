// Every example, started with `npm start` over the packed package, and opened in Chromium.
//
//   node --test tests/examples/examples.test.mjs       needs a built package and tests/ag-ui-client/pages/node_modules

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { files } from "../../tools/fingerprint.mjs";
import { at } from "../../tools/paths.mjs";
import { openBrowser } from "../webdriver/client.mjs";
import { engines, locate } from "../webdriver/engines.mjs";
import { copy, finish, npmRun, start } from "./example.mjs";

/** Where an example's modules are: above these folders. */
const ours = at(".tools/examples");
const libraries = at("tests/ag-ui-client/pages/.examples");

const loopback = ["--host", "127.0.0.1", "--port", "0"];
/** @type {Record<string, { place?: string, args?: string[], send?: string, adapt?(example: Awaited<ReturnType<typeof copy>>): void, field?: string, check?(browser: import("../webdriver/client.mjs").Browser): Promise<void>, builds?: boolean, python?: boolean }>} */
const examples = {
  "vite-react": { args: loopback, builds: true },
  angular: { args: loopback },
  "use-chat": { args: loopback },
  html: {
    // The address of the package on the CDN, on a machine without one.
    adapt: ({ read, write }) => void write("index.html", read("index.html").replace(/https:\/\/unpkg\.com\/ag-ui-wasm@[^/]+/, "/node_modules/ag-ui-wasm")),
  },
  copilotkit: { place: libraries, args: loopback, send: '[data-testid="copilot-send-button"]' },
  "assistant-ui": { place: libraries, args: loopback },
  "assistant-ui-runtime": { place: libraries, args: loopback },
  surfaces: { args: loopback, check: surfaces },
  sveltekit: { args: loopback },
  vue: { check: vuePage },
  next: {
    args: ["--hostname", "127.0.0.1"],
    // The modules of the framework are the repository's.
    adapt: ({ read, write }) =>
      void write(
        "next.config.mjs",
        read("next.config.mjs").replace(
          "export default {",
          `export default { turbopack: { root: ${JSON.stringify(at())} }, outputFileTracingRoot: ${JSON.stringify(at())},`,
        ),
      ),
  },
  python: { args: loopback, python: true },
  "long-thread": { args: loopback, field: "#send input", send: "#send button", check: longThread },
};

/** A button of a surface reaches the agent, and requests of an app do not touch the thread. */
async function surfaces(/** @type {import("../webdriver/client.mjs").Browser} */ browser) {
  await browser.waitFor(() => document.querySelector("iframe")?.title === "App, after tools/call", { message: "the app's call" });
  await browser.click("a2ui-basic-button button");
  await browser.waitFor(() => document.body.innerText.includes("You pressed again."), { message: "the answer to the button" });
  assert.deepEqual(await browser.evaluate(() => [...document.querySelectorAll("li")].map(({ className }) => className)), [
    "user",
    "assistant",
    "activity",
    "activity",
    "assistant",
  ]);
}

/** The server has rendered the first message, and the browser took its elements over without a complaint. */
async function vuePage(/** @type {import("../webdriver/client.mjs").Browser} */ browser) {
  const html = await (await fetch(await browser.url())).text();
  assert.match(html, /<li class="assistant">Ask me something\.<\/li>/);
  assert.deepEqual(await browser.evaluate(() => [...document.querySelectorAll("li")].map(({ className }) => className)), ["assistant", "user", "assistant"]);
  const { origin } = new URL(await browser.url());
  // The pages before this one, in the same browser, ask for what is not there: other hosts, and their own that have ended.
  assert.deepEqual((await browser.consoleErrors()).filter((error) => !/^https?:/.test(error) || error.startsWith(origin)), []);
}

/** Few of ten thousand messages are in the page; the end is followed, unless the reader is elsewhere; and all can be found. */
async function longThread(/** @type {import("../webdriver/client.mjs").Browser} */ browser) {
  const distance = () =>
    browser.evaluate(() => {
      const feed = /** @type {Element} */ (document.querySelector('[role="feed"]'));
      return feed.scrollHeight - feed.scrollTop - feed.clientHeight;
    });
  const rows = () =>
    browser.evaluate(() =>
      [...document.querySelectorAll("article")].map((row) => [Number(row.ariaPosInSet), Number(row.ariaSetSize), row.getBoundingClientRect().top])
    );
  const shown = await rows();
  assert.ok(shown.length > 3 && shown.length < 60, `${shown.length} rows`);
  assert.deepEqual(shown.at(-1)?.slice(0, 2), [10_002, 10_002]);
  await browser.waitFor(() => document.querySelector('[role="feed"]')?.ariaBusy === "false", { message: "the end of the answer" });
  assert.ok((await distance()) < 2, "the end is in view");
  assert.match(await browser.evaluate(() => document.querySelector('[role="status"]')?.textContent ?? ""), /^You said: the question/);

  // The reader looks for something far above, while the next answer comes.
  await browser.fill("#send input", "another");
  await browser.press("Enter");
  await browser.waitFor(() => document.querySelector('[role="feed"]')?.ariaBusy === "true", { message: "the next answer" });
  await browser.press("Control+f");
  assert.equal(await browser.evaluate(() => document.activeElement?.id), "find");
  await browser.fill("#find", "message 1234.");
  await browser.press("Enter");
  await browser.waitFor(() => document.querySelector('article[aria-current="true"]')?.textContent?.startsWith("Message 1234."), { message: "message 1234" });
  // The rows around it are measured then.
  const place = () =>
    browser.evaluate(() =>
      new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.querySelector('article[aria-current="true"]')?.getBoundingClientRect().top)))
      )
    );
  await browser.waitFor(() =>
    new Promise((resolve) => {
      const top = () => document.querySelector('article[aria-current="true"]')?.getBoundingClientRect().top;
      const before = top();
      setTimeout(() => resolve(top() === before), 200);
    }), { message: "the rows to be measured" });
  const before = await place();
  assert.equal(await browser.evaluate(() => document.querySelector('[role="feed"]')?.ariaBusy), "true", "the answer is still coming");
  await browser.waitFor(() => document.querySelector('[role="feed"]')?.ariaBusy === "false", { message: "the end of the next answer" });
  assert.equal(await place(), before, "nothing has moved");
  // The keys of a feed.
  await browser.evaluate(() => /** @type {HTMLElement} */ (document.querySelector('article[aria-current="true"]')).focus());
  await browser.press("PageDown");
  await browser.waitFor(() => document.activeElement?.ariaPosInSet === "1235", { message: "the next message in focus" });
}

const python = process.env.PYTHON ?? at(".tools/python/bin/python");
const { missing } = locate("chromium");
const skipAll = missing.length > 0 && !process.env.CI && `${missing.join(" and ")} not found; Debian packages: ${engines.chromium.packages.join(" ")}`;

/** @type {import("../webdriver/client.mjs").Browser} */
let browser;
before(async () => {
  for (const place of [ours, libraries]) rmSync(place, { recursive: true, force: true });
  if (!skipAll) browser = await openBrowser("chromium");
});
after(async () => {
  await browser?.close();
  for (const place of [ours, libraries]) rmSync(place, { recursive: true, force: true });
});

describe("examples", () => {
  const names = readdirSync(at("examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);

  test("each one is tested", () => assert.deepEqual(names.sort(), [...Object.keys(examples), "node"].sort()));

  for (const name of names) {
    const manifest = JSON.parse(readFileSync(at("examples", name, "package.json"), "utf8"));

    test(`${name} is under 150 lines, and asks for this version`, () => {
      const lines = files(at("examples", name), ["node_modules"]).reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
      const version = /^version = "(.+)"$/m.exec(readFileSync(at("Cargo.toml"), "utf8"))?.[1];
      // The page without a build names it in its import map.
      const asked = manifest.dependencies?.["ag-ui-wasm"] ?? /ag-ui-wasm@([^/]+)/.exec(readFileSync(at("examples", name, "index.html"), "utf8"))?.[1];
      assert.ok(lines < 150, `${lines} lines`);
      assert.equal(asked, version);
    });

    test(`${name} has the versions of other packages that are tested`, () => {
      const tested = ["package.json", "tests/ag-ui-client/pages/package.json"].map((file) => JSON.parse(readFileSync(at(file), "utf8")).devDependencies);
      const { "ag-ui-wasm": _, ...others } = { ...manifest.dependencies, ...manifest.devDependencies };
      for (const [module, version] of Object.entries(others)) assert.ok(tested.some((versions) => versions[module] === version), `${module} ${version}`);
    });
  }

  for (const [name, example] of Object.entries(examples)) {
    const { place = ours, args, field = "form input, form textarea, textarea", send = "form button", adapt, check, builds, python: needsPython } = example;
    const skip = skipAll ||
      (place === libraries && !existsSync(join(libraries, "../node_modules")) && "npm ci --prefix tests/ag-ui-client/pages installs its modules") ||
      (needsPython && !existsSync(python) && "npm run test:real installs its Python");
    test(`${name}: npm start, and a question in the page`, { skip }, async () => {
      const example = await copy(name, place);
      adapt?.(example);
      if (builds) await finish(example.folder, ["run", "build"]);
      const site = await start(example.folder, args, { PYTHON: python });
      try {
        await browser.goto(site.url);
        await browser.waitFor((css) => document.querySelector(css) !== null, { args: [field], timeout: 60_000, message: "the field" });
        // A page that comes from a server takes what is typed once it is hydrated.
        await browser.waitFor(
          async (field, send) => {
            if (document.body.innerText.includes("the question")) return true;
            const input = /** @type {HTMLInputElement} */ (document.querySelector(field));
            Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value")?.set?.call(input, "the question");
            input.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((resolve) => requestAnimationFrame(resolve));
            /** @type {HTMLButtonElement} */ (document.querySelector(send))?.click();
            return false;
          },
          { args: [field, send], message: "the question to be sent" },
        );
        await browser.waitFor(() => document.body.innerText.includes("You said: the question"), { message: "the answer" });
        await browser.screenshot(at(".artifacts/screenshots", `example-${name}.png`));
        await check?.(browser);
      } finally {
        await site.close();
      }
    });
  }

  test("node: npm start, and a question in the terminal", async () => {
    const { folder } = await copy("node", ours);
    const chat = npmRun(folder, ["start", "--silent"]);
    let printed = "";
    chat.stdout.on("data", (text) => (printed += text));
    chat.stdin.end("the question\nanother\n");
    assert.equal(await new Promise((resolve) => chat.once("exit", resolve)), 0);
    assert.match(printed, /agent: You said: the question\n[^]*agent: You said: another\n/);
  });
});

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
/** @type {Record<string, { place?: string, args?: string[], send?: string, adapt?(example: Awaited<ReturnType<typeof copy>>): void, builds?: boolean, python?: boolean }>} */
const examples = {
  "vite-react": { args: loopback, builds: true },
  html: {
    // The address of the package on the CDN, on a machine without one.
    adapt: ({ read, write }) => void write("index.html", read("index.html").replace(/https:\/\/unpkg\.com\/ag-ui-wasm@[^/]+/, "/node_modules/ag-ui-wasm")),
  },
  copilotkit: { place: libraries, args: loopback, send: '[data-testid="copilot-send-button"]' },
  "assistant-ui": { place: libraries, args: loopback },
  sveltekit: { args: loopback },
  next: {
    args: ["--hostname", "127.0.0.1"],
    // The modules of the framework are the repository's.
    adapt: ({ read, write }) =>
      void write("next.config.mjs", read("next.config.mjs").replace("export default {", `export default { turbopack: { root: ${JSON.stringify(at())} }, outputFileTracingRoot: ${JSON.stringify(at())},`)),
  },
  python: { args: loopback, python: true },
};

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

  for (const [name, { place = ours, args, send = "form button", adapt, builds, python: needsPython }] of Object.entries(examples)) {
    const skip =
      skipAll ||
      (place === libraries && !existsSync(join(libraries, "../node_modules")) && "npm ci --prefix tests/ag-ui-client/pages installs its modules") ||
      (needsPython && !existsSync(python) && "npm run test:real installs its Python");
    test(`${name}: npm start, and a question in the page`, { skip }, async () => {
      const example = await copy(name, place);
      adapt?.(example);
      if (builds) await finish(example.folder, ["run", "build"]);
      const site = await start(example.folder, args, { PYTHON: python });
      try {
        await browser.goto(site.url);
        const field = "form input, form textarea, textarea";
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

// docs/tutorial.md, followed step by step as it is printed: the lines are typed, the files are written and changed, and what a step
// promises is tried in Chromium.
//
//   node --test tests/examples/tutorial.test.mjs       needs a built package

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { at } from "../../tools/paths.mjs";
import { pack } from "../packaging/consumer.mjs";
import { read } from "../readme/documents.mjs";
import { openBrowser } from "../webdriver/client.mjs";
import { engines, locate } from "../webdriver/engines.mjs";
import { start } from "./example.mjs";

const execute = promisify(execFile);
const { missing } = locate("chromium");
const skip = missing.length > 0 && !process.env.CI && `${missing.join(" and ")} not found; Debian packages: ${engines.chromium.packages.join(" ")}`;

/** @typedef {{ language: string, code: string }} Block */

/** The blocks of a step that are for this framework, or for both. @param {number} step @param {string} framework @returns {Block[]} */
function blocksOf(step, framework) {
  const text = read("docs/tutorial.md").split(/^## /m).find((part) => part.startsWith(`${step}. `)) ?? "";
  const parts = text.split(/^(?=For (?:React|Svelte)[,:])/m).filter((part) => !part.startsWith("For ") || part.startsWith(`For ${framework}`));
  return parts.flatMap((part) => [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({ language, code })));
}

/** Writes the files of a step, and makes its changes. @param {string} folder @param {Block[]} blocks @param {(text: string) => string} adapt */
function follow(folder, blocks, adapt) {
  let place = { file: "", verb: "", text: "" };
  for (const { language, code } of blocks) {
    if (language === "sh") continue;
    const [first = "", ...rest] = code.replace(/\n$/, "").split("\n");
    const [, name = "", verb] = /^(?:\/\/|<!--) ([\w./-]+)(?:: (\w+))?(?: -->)?$/.exec(first) ?? assert.fail(`no file is named: ${first}`);
    const [file, text] = [join(folder, name), rest.join("\n")];
    if (!verb) writeFileSync(file, adapt(`${text}\n`));
    else if (verb === "replace" || verb === "before") place = { file, verb, text };
    else {
      const old = readFileSync(file, "utf8");
      assert.equal(old.split(place.text).length, 2, `${name} has it once: ${place.text}`);
      assert.equal(place.file, file);
      writeFileSync(file, old.replace(place.text, () => (verb === "insert" ? `${text}\n${place.text}` : text)));
    }
  }
}

/** A port that nobody listens on. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  return port;
}

/** The versions that the repository is tested with: the tutorial names none. */
const versions = JSON.parse(readFileSync(at("package.json"), "utf8")).devDependencies;

for (const framework of ["React", "Svelte"]) {
  describe(`the tutorial with ${framework}`, { skip }, () => {
    const folder = skip ? "" : realpathSync(mkdtempSync(join(tmpdir(), "ag-ui-wasm-tutorial-")));
    /** @type {import("node:child_process").ChildProcess} */
    let agent;
    /** @type {{ url: string, close(): Promise<void> }} */
    let site;
    /** @type {import("../webdriver/client.mjs").Browser} */
    let browser;
    let port = 0;
    const write = (/** @type {number} */ number) => follow(folder, blocksOf(number, framework), (text) => text.replaceAll("8000", String(port)));
    // With Vite started anew: a page that is open would be changed while it is tried.
    const open = async (/** @type {number} */ number) => {
      await site?.close();
      write(number);
      site = await start(folder, ["--host", "127.0.0.1", "--port", "0"]);
      await browser.goto(site.url);
    };
    const shown = (/** @type {string} */ wanted) =>
      browser.waitFor((wanted) => document.body.innerText.includes(wanted), { args: [wanted], message: `“${wanted}”` });
    const button = (/** @type {string} */ label) =>
      browser.waitFor(
        (label) => {
          const found = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label);
          found?.click();
          return found !== undefined;
        },
        { args: [label], message: `the button “${label}”` },
      );
    const say = async (/** @type {string} */ text) => {
      await browser.fill("input", text);
      await browser.press("Enter");
    };
    const rows = (/** @type {string} */ css) => browser.evaluate((css) => [...document.querySelectorAll(css)].map(({ textContent }) => textContent), css);

    before(async () => {
      browser = await openBrowser("chromium");
      port = await freePort();
    });
    after(async () => {
      await browser?.close();
      await site?.close();
      agent?.kill();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    test("1. an empty folder", async () => {
      write(1);
      const tarball = await pack(folder);
      const [line = ""] = blocksOf(1, framework).filter(({ language, code }) => language === "sh" && code.startsWith("npm install")).map(({ code }) =>
        code.trim()
      );
      const names = line.split(" ").slice(2).map((name) => (name === "ag-ui-wasm" ? tarball : `${name}@${versions[name] ?? assert.fail(name)}`));
      await execute("npm", ["install", ...names, "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], { cwd: folder });
    });

    test("2. an agent", () => {
      write(2);
      agent = spawn(process.execPath, [join(folder, "agent.mjs")], { stdio: "inherit" });
    });

    test("3. a chat: text comes, stop keeps what has come, and the next message waits for its turn", async () => {
      await open(3);
      await say("hello");
      await shown("You said: hello. And I");
      await button("Stop");
      await browser.waitFor(() => [...document.querySelectorAll("button")].some(({ textContent }) => textContent === "Send"), { message: "the end" });
      assert.doesNotMatch(String((await rows("p")).at(-1)), /That is all/);
      await say("again");
      await shown("That is all.");
      // The tutorial has no icon.
      assert.deepEqual((await browser.consoleErrors()).filter((error) => !error.includes("favicon.ico")), []);
    });

    test("4. a tool asks, runs, and its result is answered", async () => {
      await open(4);
      await say("another color, please");
      await shown("May the agent set the color to teal?");
      assert.notEqual(await browser.evaluate(() => document.body.style.background), "teal");
      await button("Yes");
      await shown("The page says: ");
      assert.equal(await browser.evaluate(() => document.body.style.background), "teal");
    });

    test("5. the list is shared", async () => {
      await open(5);
      await say("buy milk");
      await shown("milk is on the list.");
      await say("buy bread");
      await shown("bread is on the list.");
      await button("Remove");
      await browser.waitFor(() => document.querySelectorAll("li").length === 1, { message: "one row" });
      assert.match(String(await rows("li")), /^bread/);
    });

    test("6. a reload in the middle of an answer loses nothing", async () => {
      await open(6);
      await say("buy milk");
      await shown("milk is on the list.");
      await say("tell me more");
      await shown("You said: tell me more. And I");
      await browser.reload();
      await shown("That is all.");
      const said = await rows("p");
      assert.deepEqual(said.slice(0, 3), ["buy milk", "milk is on the list.", "tell me more"]);
      assert.equal(said.at(-1), `You said: tell me more. ${"And I have a lot to say about that. ".repeat(8)}That is all.`);
      assert.match(String(await rows("li")), /^milk/);
    });
  });
}

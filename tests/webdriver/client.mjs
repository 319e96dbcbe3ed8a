// A small W3C WebDriver client, the same for Chromium, Firefox and WebKitGTK.
//
//   import { openBrowser } from "../webdriver/client.mjs";
//
//   const browser = await openBrowser("firefox", { width: 1280, height: 800, colorScheme: "dark" });
//   try {
//     await browser.goto("http://127.0.0.1:8787/react.html");
//     await browser.type("textarea", "hello");                     // types into what is there
//     await browser.fill("textarea", "hello");                     // clears first
//     await browser.press("Enter");                                // also "Shift+Tab", "Control+a"
//     await browser.waitFor(() => document.querySelector("article")?.textContent.includes("hi"));
//     const rows = await browser.evaluate((css) => document.querySelectorAll(css).length, "article");
//     await browser.screenshot(".artifacts/screenshots/react-firefox.png");
//     assert.deepEqual(await browser.consoleErrors(), []);
//   } finally {
//     await browser.close();
//   }
//
// - `openBrowser(engine, { width, height, colorScheme, reducedMotion, blockSiteData })`: starts driver and browser. The size is that
//   of the viewport; the defaults are 1280 × 800, "light", motion allowed. Rejects when the engine is not installed.
// - `evaluate(script, ...args)`: runs a function, or the text of a function body, in the page. Arguments and result
//   go through JSON; a promise is awaited; what it throws is thrown here. A script that leaves its page may run a second time,
//   in the next one: Chromium's driver does that if the page has gone before the answer was read.
// - `waitFor(script, { args, timeout, message })`: asks until the result is truthy, and returns it. It keeps asking
//   while the page navigates. 15 seconds by default.
// - `click(css)`, `type(css, text)`, `fill(css, text)`, `text(css)`, `attribute(css, name)`, `property(css, name)`,
//   `count(css)`, `focus(css)`: wait until the element is there (`count` does not).
// - `press(chord)`: keys to the element that has the focus.
// - `offline(yes)`: cuts the browser off from the network, or lets it back, with the events that it tells pages. Gives
//   false where the engine has no way: WebKitGTK.
// - `collectGarbage()`: gives false where the engine has no way: Firefox and WebKitGTK.
// - `resize(width, height)`: the viewport. Gives the size that came out as `[width, height]`: WebKitGTK's window
//   does not get narrower than 447 pixels. `goto(url)`, `reload()`, `url()`, `title()`.
// - `screenshot(file?)`: the viewport as PNG; folders are made.
// - `consoleErrors()`: errors of the page's console since the last call: uncaught exceptions, rejections,
//   console.error; in Chromium also refused and failed requests; in WebKitGTK only after the page has loaded.
// Words that differ between engines stay as they are.
// - `engine`, `version`: for messages. `devtools`: host and port of Chromium's developer tools.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectBidi } from "./bidi.mjs";
import { chromiumConsole, firefoxConsole, webkitConsole } from "./console.mjs";
import { send, startDriver } from "./driver.mjs";
import { engines, locate } from "./engines.mjs";
import { keyActions } from "./keys.mjs";

/** @typedef {import("./engines.mjs").EngineName} EngineName */
/** @typedef {import("./engines.mjs").SessionOptions} SessionOptions */

/** The name under which the protocol carries a reference to an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/**
 * Starts a browser with a session of its own.
 *
 * @param {EngineName} name
 * @param {SessionOptions} [options]
 * @returns {Promise<Browser>}
 */
export async function openBrowser(name, options = {}) {
  const settings = { width: 1280, height: 800, colorScheme: /** @type {const} */ ("light"), reducedMotion: false, blockSiteData: false, ...options };
  const engine = engines[name];
  const { driver, browser, missing } = locate(name);
  if (!driver || !browser || missing.length > 0) {
    throw new Error(`${engine.title} cannot be started: ${missing.join(" and ")} not found. Debian packages: ${engine.packages.join(" ")}`);
  }

  const { base, output, end } = await startDriver(name, driver, settings);
  try {
    const session = await send(base, "POST", "/session", { capabilities: { alwaysMatch: engine.capabilities(settings, browser) } });
    const { webSocketUrl } = session.capabilities;
    const bidi = webSocketUrl ? await connectBidi(webSocketUrl) : undefined;
    const opened = new Browser(name, session, base, bidi, end);
    await opened.prepare(settings);
    return opened;
  } catch (error) {
    end();
    throw new Error(`${engine.title} did not start: ${/** @type {Error} */ (error).message}\n${output()}`, { cause: error });
  }
}

/** One window of one browser. Made by {@link openBrowser}. */
export class Browser {
  /** @type {import("./console.mjs").Command} */
  #session;
  #bidi;
  #console;
  #end;
  #window = "";

  /**
   * @param {EngineName} engine
   * @param {{ sessionId: string, capabilities: Record<string, any> }} session
   * @param {string} base
   * @param {import("./bidi.mjs").Bidi | undefined} bidi
   * @param {() => void} end
   */
  constructor(engine, session, base, bidi, end) {
    this.engine = engine;
    /** @type {string} */
    this.version = session.capabilities.browserVersion ?? "unknown";
    /** Where Chromium's developer tools are spoken to. @type {string | undefined} */
    this.devtools = session.capabilities["goog:chromeOptions"]?.debuggerAddress;
    this.#session = (method, path, body) => send(base, method, `/session/${session.sessionId}${path}`, body);
    this.#bidi = bidi;
    this.#console = bidi
      ? firefoxConsole(bidi)
      : engine === "chromium"
      ? chromiumConsole(this.#session)
      : webkitConsole((script) => this.evaluate(script));
    this.#end = end;
  }

  /** @param {Required<SessionOptions>} settings */
  async prepare({ width, height, colorScheme, reducedMotion }) {
    await this.#session("POST", "/timeouts", { script: 30_000, pageLoad: 30_000, implicit: 0 });
    if (this.engine === "chromium") {
      await this.#session("POST", "/goog/cdp/execute", {
        cmd: "Emulation.setEmulatedMedia",
        params: {
          features: [
            { name: "prefers-color-scheme", value: colorScheme },
            { name: "prefers-reduced-motion", value: reducedMotion ? "reduce" : "no-preference" },
          ],
        },
      });
    }
    this.#window = await this.#session("GET", "/window");
    await this.#bidi?.send("session.subscribe", { events: ["log.entryAdded"] });
    await this.resize(width, height);
  }

  /** @param {string | URL} url */
  async goto(url) {
    await this.#session("POST", "/url", { url: String(url) });
    await this.#console.attach();
  }

  async reload() {
    await this.#session("POST", "/refresh", {});
    await this.#console.attach();
  }

  /** @returns {Promise<string>} */
  url() {
    return this.#session("GET", "/url");
  }

  /** @returns {Promise<string>} */
  title() {
    return this.#session("GET", "/title");
  }

  /**
   * @param {string | ((...args: any[]) => unknown)} script
   * @param {...unknown} args
   * @returns {Promise<any>}
   */
  async evaluate(script, ...args) {
    const run = typeof script === "function" ? `(${script})` : `(function () { ${script} })`;
    const { value, error } = await this.#session("POST", "/execute/async", {
      script: `
        const done = arguments[arguments.length - 1];
        const args = Array.prototype.slice.call(arguments, 0, -1);
        new Promise((resolve) => resolve(${run}(...args))).then(
          (value) => done({ value: value === undefined ? null : value }),
          (error) => done({ error: String(error) + "\\n" + ((error && error.stack) || "") }),
        );`,
      args,
    });
    if (error !== undefined) throw new Error(`In the page (${this.engine}): ${error}`);
    return value;
  }

  /**
   * @param {string | ((...args: any[]) => unknown)} script
   * @param {{ args?: unknown[], timeout?: number, message?: string }} [options]
   * @returns {Promise<any>}
   */
  async waitFor(script, { args = [], timeout = 15_000, message } = {}) {
    const end = Date.now() + timeout;
    let last;
    for (;;) {
      try {
        const value = await this.evaluate(script, ...args);
        if (value) return value;
        last = undefined;
      } catch (error) {
        last = error; // The page may be on its way to the next document.
      }
      if (Date.now() > end) {
        throw new Error(`${this.engine}: timed out after ${timeout} ms waiting for ${message ?? script}`, { cause: last });
      }
      await delay(25);
    }
  }

  /** @param {string} css */
  async click(css) {
    const element = await this.#find(css);
    await this.#session("POST", `/element/${element}/click`, {});
  }

  /** @param {string} css @param {string} text */
  async type(css, text) {
    const element = await this.#find(css);
    await this.#session("POST", `/element/${element}/value`, { text });
  }

  /** @param {string} css @param {string} text */
  async fill(css, text) {
    const element = await this.#find(css);
    await this.#session("POST", `/element/${element}/clear`, {});
    await this.#session("POST", `/element/${element}/value`, { text });
  }

  /** @param {string} css */
  async focus(css) {
    await this.#find(css);
    await this.evaluate((selector) => /** @type {HTMLElement} */ (document.querySelector(selector)).focus(), css);
  }

  /** @param {string} css @returns {Promise<string>} what a person can read there */
  async text(css) {
    return this.#session("GET", `/element/${await this.#find(css)}/text`);
  }

  /** @param {string} css @param {string} name @returns {Promise<string | null>} */
  async attribute(css, name) {
    await this.#find(css);
    return this.evaluate((selector, key) => document.querySelector(selector)?.getAttribute(key), css, name);
  }

  /** @param {string} css @param {string} name @returns {Promise<any>} */
  async property(css, name) {
    return this.#session("GET", `/element/${await this.#find(css)}/property/${encodeURIComponent(name)}`);
  }

  /** @param {string} css @returns {Promise<number>} */
  count(css) {
    return this.evaluate((selector) => document.querySelectorAll(selector).length, css);
  }

  /** @param {string} chord a key or keys held together: "Enter", "a", "Shift+Tab", "Control+a" */
  async press(chord) {
    await this.#session("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions: keyActions(chord) }] });
    await this.#session("DELETE", "/actions");
  }

  /**
   * @param {number} width  of the viewport, in CSS pixels
   * @param {number} height
   * @returns {Promise<[number, number]>} the size that came out
   */
  async resize(width, height) {
    // Windows of Chromium and Firefox do not get narrower than 500 pixels; their viewports do.
    if (this.#bidi) {
      await this.#bidi.send("browsingContext.setViewport", { context: this.#window, viewport: { width, height } });
    } else if (this.engine === "chromium") {
      await this.#session("POST", "/goog/cdp/execute", {
        cmd: "Emulation.setDeviceMetricsOverride",
        params: { width, height, deviceScaleFactor: 1, mobile: false },
      });
    } else {
      const [frameWidth, frameHeight] = await this.evaluate(() => [outerWidth - innerWidth, outerHeight - innerHeight]);
      await this.#session("POST", "/window/rect", { width: width + frameWidth, height: height + frameHeight });
    }
    return this.evaluate(() => [innerWidth, innerHeight]);
  }

  /** @param {boolean} yes @returns {Promise<boolean>} whether the engine can */
  async offline(yes) {
    if (this.engine === "chromium") {
      const conditions = { offline: yes, latency: 0, download_throughput: -1, upload_throughput: -1 };
      await this.#session("POST", "/chromium/network_conditions", { network_conditions: conditions });
      return true;
    }
    const networkConditions = yes ? { type: "offline" } : null;
    await this.#bidi?.send("emulation.setNetworkConditions", { networkConditions, contexts: [this.#window] });
    return this.#bidi !== undefined;
  }

  /** @returns {Promise<boolean>} whether the engine can */
  async collectGarbage() {
    if (this.engine === "chromium") await this.#session("POST", "/goog/cdp/execute", { cmd: "HeapProfiler.collectGarbage", params: {} });
    return this.engine === "chromium";
  }

  /** @param {string} [file] @returns {Promise<Buffer>} */
  async screenshot(file) {
    // WebKitGTK gives the frame that was painted last, which may be older than the document.
    await this.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50)))));
    const png = Buffer.from(await this.#session("GET", "/screenshot"), "base64");
    if (file) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, png);
    }
    return png;
  }

  /** @returns {Promise<string[]>} */
  consoleErrors() {
    return this.#console.take();
  }

  async close() {
    try {
      await this.#session("DELETE", "");
    } catch {
      // It has gone by itself, or crashed: the group is killed either way.
    } finally {
      this.#bidi?.close();
      this.#end();
    }
  }

  /** @param {string} css @returns {Promise<string>} */
  async #find(css) {
    const end = Date.now() + 15_000;
    for (;;) {
      try {
        return (await this.#session("POST", "/element", { using: "css selector", value: css }))[ELEMENT];
      } catch (error) {
        if (/** @type {{ code?: string }} */ (error).code !== "no such element" || Date.now() > end) throw error;
      }
      await delay(25);
    }
  }
}

/** One of the demo's pages in a browser, as its user knows it. Everything is found by `data-testid`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const shots = fileURLToPath(new URL("../../.artifacts/screenshots/", import.meta.url));
const TIMEOUT = 15_000;

/** The selector of a test id, with more of a selector after it: `id("message", '[data-role="user"]')`. */
export const id = (name, more = "") => `[data-testid="${name}"]${more}`;

let opened = 0;

export class Chat {
  /**
   * @param {import("../webdriver/client.mjs").Browser} browser
   * @param {string} site the address of the demo server
   * @param {"react" | "svelte" | "plain"} page
   */
  constructor(browser, site, page) {
    this.browser = browser;
    this.site = site;
    this.page = page;
  }

  /**
   * Opens the page with a scenario picked, at full speed.
   *
   * @param {string} scenario
   * @param {{ hold?: boolean, protocol?: string }} [options] `hold`: the runs stop at every mark, see `release`
   */
  async open(scenario, { hold = false, protocol = "ag-ui" } = {}) {
    this.hold = hold ? `${this.browser.engine}-${this.page}-${++opened}` : undefined;
    const query = new URLSearchParams({ protocol, scenario, speed: "0", ...(hold ? { hold: this.hold } : {}) });
    await this.browser.goto(`${this.site}/${this.page}.html?${query}`);
    await this.until(() => document.querySelectorAll('[data-testid="suggestion"]').length > 0);
  }

  /** Writes into the field and presses Enter. */
  async ask(text) {
    await this.browser.fill(id("input"), text);
    await this.browser.press("Enter");
  }

  /** Picks a scenario, or a protocol, by its name. */
  async pick(name, picker = "scenario") {
    await this.browser.evaluate(
      (css, value) => {
        const picker = document.querySelector(css);
        picker.value = value;
        picker.dispatchEvent(new Event("input", { bubbles: true }));
        picker.dispatchEvent(new Event("change", { bubbles: true }));
      },
      id(picker),
      name,
    );
  }

  /** Clicks an element once it has come to rest: a click goes to where the element was when the driver looked. */
  async click(css) {
    await this.until(
      (css) =>
        new Promise((resolve) => {
          const element = document.querySelector(css);
          const place = () => JSON.stringify(element?.getBoundingClientRect());
          const before = place();
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(element !== null && place() === before)));
        }),
      css,
    );
    await this.browser.click(css);
  }

  /** Asks the page until the answer is truthy, and gives it. */
  until(script, ...args) {
    return this.browser.waitFor(script, { args, timeout: TIMEOUT });
  }

  /** Waits until the element holds the text. */
  async shows(css, text) {
    await this.until((css, text) => [...document.querySelectorAll(css)].some((element) => element.textContent.includes(text)), css, text);
  }

  /** Waits until no element fits. */
  gone(css) {
    return this.until((css) => document.querySelector(css) === null, css);
  }

  /** Waits until the run has ended, well or not. */
  async idle() {
    await this.until((css) => document.querySelector(css).dataset.status !== "running", id("chat"));
  }

  /** The messages of the page: `{ role, delivery, text }`. */
  messages() {
    return this.browser.evaluate(
      (css) =>
        [...document.querySelectorAll(css)].map((row) => ({
          role: row.dataset.role,
          delivery: row.dataset.delivery,
          text: row.querySelector('[data-testid="text"]')?.textContent.trim() ?? "",
        })),
      id("message"),
    );
  }

  /** The text content of every element that fits. */
  texts(css) {
    return this.browser.evaluate((css) => [...document.querySelectorAll(css)].map((element) => element.textContent.trim()), css);
  }

  /** An element's `data-*` attributes. */
  data(css) {
    return this.until((css) => {
      const element = document.querySelector(css);
      return element && { ...element.dataset };
    }, css);
  }

  /** Lets the held run pass so many marks. */
  async release(steps = 1) {
    await fetch(`${this.site}/control/release?hold=${this.hold}&steps=${steps}`, { method: "POST" });
  }

  /** Waits until the held run stands at this mark, and gives what the server knows of it. */
  waitsAt(mark) {
    return this.server((runs) => runs.find((run) => run.waitingAt === mark), `a run that waits at "${mark}"`);
  }

  /** Asks the server for this page's held runs until the answer is truthy, and gives it. */
  async server(look, wanted = "the run") {
    const end = Date.now() + TIMEOUT;
    for (;;) {
      const { runs } = await (await fetch(`${this.site}/control/runs`)).json();
      const own = runs.filter((run) => run.hold === this.hold);
      const found = look(own);
      if (found) return found;
      if (Date.now() > end) assert.fail(`The server has not seen ${wanted}: ${JSON.stringify(own)}`);
      await pause(20);
    }
  }

  screenshot(name) {
    return this.browser.screenshot(join(shots, `${this.browser.engine}-${this.page}-${name}.png`));
  }
}

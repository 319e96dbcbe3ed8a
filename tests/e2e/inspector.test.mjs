/** The inspector on the demo's pages, in the browser that ENGINE names, under the site's policy. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startServer } from "../../www/server.mjs";
import { openBrowser } from "../webdriver/client.mjs";
import { apart, checked } from "./cases/access.mjs";
import { Chat, id } from "./chat.mjs";

const engine = process.env.ENGINE ?? "chromium";

let server;
before(async () => {
  server = await startServer();
});
after(() => server.close());

/** The inspector of a page, as its user knows it. */
class Inspected extends Chat {
  /** Runs a function with the shadow root of the inspector, the first unless it is said. */
  inside(script, ...args) {
    const text = `const root = [...document.querySelectorAll("ag-ui-inspector")].at(-1)?.shadowRoot; return (${script})(root, ...arguments);`;
    return this.browser.evaluate(text, ...args);
  }

  /** Asks until the answer is truthy. */
  untilInside(script, ...args) {
    const text = `const root = [...document.querySelectorAll("ag-ui-inspector")].at(-1)?.shadowRoot; return root && (${script})(root, ...arguments);`;
    return this.browser.waitFor(text, { args, message: String(script) });
  }

  rows() {
    return this.inside((root) => [...root.querySelectorAll(".row")].map((row) => row.textContent));
  }

  async inspect() {
    await this.click(id("inspect"));
    await this.untilInside((root) => root.activeElement !== null || root.querySelector(".rows"));
  }

  turnTo(name) {
    return this.inside((root, name) => [...root.querySelectorAll('[role="tab"]')].find((tab) => tab.textContent === name).click(), name);
  }
}

const cases = {
  async "opened during a run, it shows what comes from then on"(chat) {
    await chat.open("state", { hold: true });
    await chat.ask("A weekend in Porto.");
    await chat.waitsAt("snapshot");
    await chat.inspect();
    await chat.untilInside((root) => root.textContent.includes("opened during a run"));
    await chat.release(100);
    await chat.idle();
    await chat.untilInside((root) => root.querySelector(".status").textContent === "success");
    await chat.untilInside((root) => [...root.querySelectorAll(".row")].some((row) => row.textContent.includes("run ended")));
  },

  async "rows, filter, search, and what an event has changed"(chat) {
    await chat.open("state");
    await chat.inspect();
    await chat.ask("A weekend in Porto.");
    await chat.idle();
    await chat.untilInside((root) => [...root.querySelectorAll(".row")].some((row) => row.textContent.includes("run ended")));
    const found = () => chat.inside((root) => root.querySelector(".found").textContent);
    const events = await found();
    assert.match(events, /^\d+ events$/);
    await chat.inside((root) => {
      const field = root.querySelector('input[type="search"]');
      field.value = "bolhão";
      field.dispatchEvent(new Event("input"));
    });
    await chat.untilInside((root) => / of /.test(root.querySelector(".found").textContent));
    assert.deepEqual((await chat.rows()).filter((row) => !row.includes("STATE_DELTA") && !row.includes("STATE_SNAPSHOT")), []);
    await chat.inside((root) => root.querySelector(".row").click());
    assert.match(await chat.inside((root) => root.querySelector(".side").textContent), /Changed in the state.*Bolhão/s);
    await chat.inside((root) => root.querySelector('input[type="search"]').focus());
    await chat.browser.press("Escape");
    await chat.untilInside((root) => / events$/.test(root.querySelector(".found").textContent));
    await chat.inside((root) => root.querySelector('.chip[data-kind="state"]').click());
    await chat.untilInside((root) => / of /.test(root.querySelector(".found").textContent));
    assert.deepEqual((await chat.rows()).filter((row) => row.includes("STATE_")), []);
    await chat.turnTo("Network");
    await chat.untilInside((root) => /POST .*agent\/state.*200/s.test(root.querySelector(".network").textContent));
    await chat.screenshot("inspector");
  },

  async "exported and imported it shows the same"(chat) {
    await chat.open("tools");
    await chat.inspect();
    await chat.ask("Trains?");
    await chat.idle();
    await chat.untilInside((root) => [...root.querySelectorAll(".row")].some((row) => row.textContent.includes("run ended")));
    const top = () =>
      chat.inside((root) => {
        root.querySelector(".rows").scrollTop = 0;
        return new Promise((done) =>
          requestAnimationFrame(() => requestAnimationFrame(() => done([...root.querySelectorAll(".row")].slice(0, 20).map((row) => row.textContent))))
        );
      });
    const before = await top();
    assert.ok(before.length > 5);
    await chat.inside((root) => {
      const recording = root.host.export();
      const fresh = document.createElement("ag-ui-inspector");
      document.body.append(fresh);
      fresh.import(recording);
    });
    await chat.untilInside((root) => root.querySelector(".row"));
    assert.deepEqual(await top(), before);
    await chat.turnTo("Tools");
    await chat.untilInside((root) => root.querySelectorAll(".call").length > 0);
    await chat.inside((root) => root.host.remove());
  },

  async "the scrubber goes through the history"(chat) {
    await chat.open("state");
    await chat.inspect();
    await chat.ask("A weekend in Porto.");
    await chat.idle();
    await chat.turnTo("Snapshot");
    await chat.untilInside((root) => root.querySelector(".scrubber:not([hidden])"));
    await chat.inside((root) => root.querySelector('input[type="range"]').focus());
    await chat.browser.press("Home");
    await chat.untilInside((root) => root.querySelector(".where").textContent.startsWith("run-started"));
    assert.match(await chat.inside((root) => root.querySelector(".snapshot").textContent), /Messages \(1\)/);
    await chat.browser.press("End");
    await chat.untilInside((root) => root.querySelector(".where").textContent.startsWith("live"));
  },

  async "by keyboard alone, and Escape closes it without stopping the run"(chat) {
    const { browser } = chat;
    await chat.open("short", { hold: true });
    await browser.evaluate((css) => document.querySelector(css).focus(), id("inspect"));
    await browser.press("Enter");
    await chat.untilInside((root) => root.activeElement?.getAttribute("role") === "listbox");
    await chat.browser.evaluate((css) => document.querySelector(css).focus(), id("input"));
    await chat.ask("hello");
    await chat.waitsAt("start");
    await chat.untilInside((root) => root.querySelectorAll(".row").length > 2);
    await chat.inside((root) => root.host.focus());
    await browser.press("Home");
    await chat.untilInside((root) => root.activeElement?.getAttribute("aria-posinset") === "1");
    await browser.press("ArrowDown");
    await chat.untilInside((root) => root.activeElement?.getAttribute("aria-posinset") === "2");
    await browser.press("/");
    await chat.untilInside((root) => root.activeElement?.type === "search");
    await browser.press("Escape");
    assert.equal(await browser.count("ag-ui-inspector"), 1, "first it takes the selection back");
    await browser.press("Escape");
    await chat.gone("ag-ui-inspector");
    assert.equal((await chat.data(id("chat"))).status, "running");
    await chat.release(100);
    await chat.idle();
  },

  async "in a window of its own, and back when that is closed"(chat) {
    await chat.open("short");
    await chat.inspect();
    // Where the engine opens no window without a click of a person, it stays in the page.
    const moved = await chat.inside((root) => {
      window.inspector = root.host;
      root.querySelector('[data-dock="window"]').click();
      return window.inspector.ownerDocument !== document;
    });
    assert.ok(moved || engine !== "chromium");
    await chat.ask("What is AG-UI?");
    await chat.idle();
    await chat.until(() => [...window.inspector.shadowRoot.querySelectorAll(".row")].some((row) => row.textContent.includes("run ended")));
    const { display, color } = await chat.browser.evaluate(() => {
      const { defaultView } = window.inspector.ownerDocument;
      const row = window.inspector.shadowRoot.querySelector(".row");
      return { display: defaultView.getComputedStyle(row).display, color: defaultView.getComputedStyle(row.querySelector(".dot")).backgroundColor };
    });
    assert.equal(display, "grid", "it has its styles there");
    assert.notEqual(color, "rgba(0, 0, 0, 0)");
    if (!moved) return;
    await chat.browser.evaluate(() => window.inspector.ownerDocument.defaultView.close());
    await chat.until(() => document.querySelector("ag-ui-inspector")?.getAttribute("dock") === "bottom");
    await chat.untilInside((root) => root.querySelectorAll(".row").length > 5);
  },

  async "opened after a failure, it has the request, the error and the snapshot"(chat) {
    await chat.open("error");
    await chat.ask("The ending, please.");
    await chat.until((css) => document.querySelector(css), id("error-card"));
    await chat.inspect();
    const shown = (wanted) => chat.untilInside((root, wanted) => [...root.querySelectorAll(".row")].some((row) => row.textContent.includes(wanted)), wanted);
    for (const wanted of ["POST /agent/error", "HTTP 200", "run (quota_exceeded)", "error"]) await shown(wanted);
    await chat.turnTo("Network");
    await chat.untilInside((root) => /POST .*agent\/error.*200/s.test(root.querySelector(".network").textContent));
    await chat.turnTo("Snapshot");
    await chat.untilInside((root) => /Messages \(2\)/.test(root.querySelector(".snapshot").textContent));
    await chat.turnTo("Warnings");
    await chat.untilInside((root) => root.textContent.includes("The model ran out of its quota."));
    await checked(chat);
  },

  async "makes room for the page, wherever it is docked"(chat) {
    const roomy = async (width) => {
      await chat.until(() => document.querySelector("ag-ui-inspector").offsetHeight > 0);
      // The page makes room in the frame after that in which the inspector grows.
      await chat.inside(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await apart(chat, [id("viewport"), id("composer"), "ag-ui-inspector"], width);
    };
    try {
      for (const wanted of [1280, 390, 320]) {
        const [width] = await chat.browser.resize(wanted, 780);
        await chat.open("short");
        const before = await chat.browser.evaluate((css) => JSON.stringify(document.querySelector(css).getBoundingClientRect()), id("composer"));
        await chat.inspect();
        await roomy(width);
        await chat.inside((root) => root.querySelector('[data-dock="right"]').click());
        await roomy(width);
        await chat.inside((root) => root.querySelector(".grip").focus());
        await chat.browser.press(wanted === 1280 ? "ArrowLeft" : "ArrowUp");
        await roomy(width);
        await checked(chat);
        await chat.ask("What is AG-UI?");
        await chat.idle();
        await chat.screenshot(`inspector-${wanted}`);
        await chat.inside((root) => root.querySelector(".close").click());
        await chat.gone("ag-ui-inspector");
        await chat.until((css, was) => JSON.stringify(document.querySelector(css).getBoundingClientRect()) === was, id("composer"), before);
      }
    } finally {
      await chat.browser.resize(1280, 800);
    }
  },

  async "has no fault that axe finds, in any view"(chat) {
    await chat.open("tools");
    await chat.inspect();
    await chat.ask("Trains?");
    await chat.idle();
    await chat.untilInside((root) => root.querySelectorAll(".row").length > 5);
    await chat.inside((root) => root.querySelectorAll(".row")[2].click());
    for (const name of ["Timeline", "Network", "Tools", "Snapshot", "Warnings"]) {
      await chat.turnTo(name);
      if (name === "Tools") await chat.untilInside((root) => (root.querySelector(".call summary")?.click(), root.querySelector(".call .tree")));
      await chat.inside(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await checked(chat);
    }
  },
};

for (const colorScheme of ["light", "dark"]) {
  describe(`the inspector in the ${colorScheme}`, () => {
    let browser;
    before(async () => {
      browser = await openBrowser(engine, { width: 1280, height: 800, colorScheme });
    });
    after(() => browser?.close());

    const inDark = ["has no fault that axe finds, in any view"];
    for (const [name, run] of Object.entries(cases).filter(([name]) => colorScheme === "light" || inDark.includes(name))) {
      it(name, async () => {
        const chat = new Inspected(browser, server.url, "plain");
        await browser.consoleErrors();
        try {
          await run(chat);
          assert.deepEqual(await browser.consoleErrors(), [], "the console is clean");
        } catch (error) {
          await chat.screenshot(`failed-inspector-${name.replaceAll(/\W+/g, "-")}`).catch(() => {});
          throw error;
        }
      });
    }

    if (colorScheme === "dark") return;
    for (const page of ["react", "svelte"]) {
      it(`${page}: the button opens it, and closes it`, async () => {
        const chat = new Inspected(browser, server.url, page);
        await chat.open("short");
        await chat.inspect();
        await chat.ask("What is AG-UI?");
        await chat.idle();
        await chat.untilInside((root) => [...root.querySelectorAll(".row")].some((row) => row.textContent.includes("run ended")));
        await chat.click(id("inspect"));
        await chat.gone("ag-ui-inspector");
      });
    }

    it("a hundred thousand events are few rows in the document, wherever one looks", async () => {
      const chat = new Inspected(browser, server.url, "plain");
      await chat.open("short");
      await chat.inspect();
      await chat.inside((root) => {
        let lines = "";
        for (let i = 0; i < 100_000; i++) lines += `{"type":"CUSTOM","name":"n${i}","value":${i}}\n`;
        root.host.import(lines);
      });
      await chat.untilInside((root) => root.querySelector(".found").textContent === "100,000 events");
      for (const place of [0, 0.5, 1]) {
        const { count, seen } = await chat.inside((root, place) => {
          const list = root.querySelector(".rows");
          list.scrollTop = place * (list.scrollHeight - list.clientHeight);
          return new Promise((done) =>
            requestAnimationFrame(() =>
              requestAnimationFrame(() => {
                const rows = [...root.querySelectorAll(".row")];
                const box = list.getBoundingClientRect();
                const inside = rows.filter((row) => row.getBoundingClientRect().bottom > box.top && row.getBoundingClientRect().top < box.bottom);
                done({ count: rows.length, seen: inside.length });
              })
            )
          );
        }, place);
        assert.ok(count < 100, `${count} rows`);
        assert.ok(seen > 5, `${seen} rows in sight`);
      }
      await chat.inside((root) => {
        const field = root.querySelector('input[type="search"]');
        field.value = "n99999";
        field.dispatchEvent(new Event("input"));
      });
      await chat.untilInside((root) => root.querySelector(".found").textContent === "1 of 100,000 rows");
    });
  });
}

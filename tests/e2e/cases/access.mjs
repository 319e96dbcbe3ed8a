/** The page without a mouse, without eyes, in the dark and on a phone. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { id } from "../chat.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Runs axe-core's rules on the page and fails with what they found. */
export async function checked(chat) {
  await chat.browser.evaluate(axe);
  const found = await chat.browser.evaluate(async () => {
    // Moving elements are judged where they come to rest.
    for (const animation of document.getAnimations()) animation.cancel();
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("  ")}`);
  });
  assert.deepEqual(found, []);
}

const focused = () => document.activeElement?.dataset.testid ?? document.activeElement?.className;

export const access = {
  async "everything by keyboard"(chat) {
    const { browser } = chat;
    await chat.open("short", { hold: true });
    await browser.press("Tab");
    assert.equal(await browser.evaluate(focused), "skip", "the first stop is the skip link");
    await browser.press("Enter");
    await chat.until((wanted) => document.activeElement?.dataset.testid === wanted, "input");

    await browser.press("a");
    await browser.press("Shift+Enter");
    await browser.press("b");
    assert.equal(await browser.property(id("input"), "value"), "a\nb");
    await browser.press("Enter");
    await chat.waitsAt("start");
    assert.equal((await chat.messages())[0].text, "a\nb");
    assert.equal(await browser.property(id("input"), "value"), "");

    await browser.press("Tab");
    assert.equal(await browser.evaluate(focused), "pick");
    await browser.press("Tab");
    assert.equal(await browser.evaluate(focused), "scenario");
    await browser.press("Tab");
    assert.equal(await browser.evaluate(focused), "stop");
    const outline = await browser.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, "none", "the focus can be seen");

    await chat.release();
    await chat.waitsAt("text");
    await chat.shows(id("message", '[data-role="assistant"]'), "AG-UI is an open protocol");
    await browser.press("Escape");
    await chat.server((runs) => runs.find(({ ended }) => ended === "aborted"), "the run being aborted by Escape");
    await chat.idle();
    assert.equal((await chat.messages()).at(-1).delivery, "aborted");
  },

  async "screen readers hear an answer once, when it is whole"(chat) {
    await chat.open("short", { hold: true });
    await chat.ask("What is AG-UI?");
    await chat.release();
    await chat.waitsAt("text");
    await chat.shows(id("text"), "AG-UI is an open protocol");
    assert.equal(await chat.browser.attribute(id("messages"), "aria-live"), "off");
    assert.deepEqual(await chat.texts("#announcer > *"), ["Answering."]);
    assert.equal(await chat.browser.attribute(id("status"), "role"), "status");
    await chat.release();
    await chat.shows("#announcer > *", "That is all there is to it.");
    await chat.idle();
    assert.equal((await chat.texts("#announcer > *")).length, 1);
  },

  async "the rules of accessibility hold, light and dark"(chat) {
    const theme = (name) => chat.until((wanted) => document.documentElement.dataset.theme === wanted, name);
    for (const scenario of ["tools", "state", "interrupt", "screen", "error"]) {
      await chat.open(scenario);
      if (scenario === "tools") await checked(chat);
      await chat.click(id("send"));
      await chat.until((css) => document.querySelector(css), id("message", '[data-role="assistant"]'));
      await chat.idle();
      await theme("light");
      await checked(chat);
      if (scenario === "tools") await chat.screenshot("light");
      await chat.click(id("theme"));
      await chat.click(id("theme"));
      await theme("dark");
      await checked(chat);
      if (scenario === "tools") await chat.screenshot("dark");
      await chat.click(id("theme"));
      await theme("light");
    }
  },

  async "a narrow window loses nothing, and nothing covers anything"(chat) {
    try {
      for (const wanted of [320, 390]) {
        const [width] = await chat.browser.resize(wanted, 780);
        await chat.open("tools");
        await chat.screenshot(`narrow-${wanted}-empty`);
        await checked(chat);
        const controls = ["protocol", "inspect", "new", "panel-toggle", "theme"].map((name) => id(name));
        await apart(chat, controls, width);
        await chat.ask("A train to Porto, please, in the morning if there is one?");
        await chat.shows(id("text"), "Take the 09:39");
        await chat.idle();
        const wide = await chat.browser.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
        assert.ok(wide <= width, `${wide} pixels of content in a window of ${width}`);
        await checked(chat);
        await chat.screenshot(`narrow-${wanted}`);
        await chat.click(id("panel-toggle"));
        await chat.until((css) => document.querySelector(css)?.offsetHeight > 0, id("panel"));
        await apart(chat, [id("viewport"), id("composer"), id("panel")], width);
        await checked(chat);
        await chat.screenshot(`narrow-${wanted}-panel`);
      }
    } finally {
      await chat.browser.resize(1280, 800);
    }
  },

  async "the state stands beside the conversation, not over it"(chat) {
    try {
      const [width] = await chat.browser.resize(900, 700);
      await chat.open("state");
      await chat.click(id("panel-toggle"));
      await chat.ask("A weekend in Porto.");
      await chat.shows(id("state"), "PRT-4821");
      await chat.idle();
      await apart(chat, [id("viewport"), id("composer"), id("panel")], width);
    } finally {
      await chat.browser.resize(1280, 800);
    }
  },
};

/** Fails where one of the elements is out of sight, or two of them share a pixel. */
export async function apart(chat, selectors, width) {
  const boxes = await chat.browser.evaluate(
    (selectors) =>
      selectors.map((css) => {
        const { left, top, right, bottom } = document.querySelector(css).getBoundingClientRect();
        return { css, left, top, right, bottom };
      }),
    selectors,
  );
  for (const box of boxes) {
    assert.ok(box.right > box.left && box.bottom > box.top, `${box.css} is shown`);
    assert.ok(box.left >= 0 && box.right <= width, `${box.css} is within the window`);
  }
  for (const [at, a] of boxes.entries()) {
    for (const b of boxes.slice(at + 1)) {
      const covered = a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
      assert.ok(!covered, `${a.css} and ${b.css} cover each other: ${JSON.stringify([a, b])}`);
    }
  }
}

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
    // What moves is judged where it comes to rest.
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

  async "a narrow window loses nothing"(chat) {
    const [width] = await chat.browser.resize(400, 780);
    try {
      await chat.open("tools");
      await chat.screenshot("narrow-empty");
      await chat.ask("A train to Porto, please, in the morning if there is one?");
      await chat.shows(id("text"), "Take the 09:39");
      await chat.idle();
      const wide = await chat.browser.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
      assert.ok(wide <= width, `${wide} pixels of content in a window of ${width}`);
      await chat.screenshot("narrow");
      await chat.click(id("panel-toggle"));
      await chat.until((css) => document.querySelector(css)?.offsetHeight > 0, id("panel"));
      await chat.screenshot("narrow-panel");
    } finally {
      await chat.browser.resize(1280, 800);
    }
  },
};

import assert from "node:assert/strict";
import { id } from "../chat.mjs";

const answer = id("message", `[data-role="assistant"] ${id("text")}`);

export const answers = {
  async "a short answer comes as Markdown"(chat) {
    await chat.open("short");
    await chat.ask("What is AG-UI?");
    await chat.shows(answer, "More in the documentation.");
    await chat.idle();
    assert.deepEqual(
      (await chat.messages()).map(({ role, delivery }) => [role, delivery]),
      [
        ["user", "complete"],
        ["assistant", "complete"],
      ],
    );
    assert.equal(await chat.browser.count(`${answer} li`), 3);
    assert.equal(await chat.browser.count(`${answer} pre code`), 1);
    assert.deepEqual(await chat.browser.evaluate((css) => document.querySelector(css).rel, `${answer} a`), "noopener noreferrer nofollow");
    assert.match(await chat.browser.text(id("status")), /^Answered in \d/);
    await chat.screenshot("short");
  },

  async "the text is there while it streams"(chat) {
    await chat.open("short", { hold: true });
    await chat.ask("What is AG-UI?");
    await chat.waitsAt("start");
    await chat.until((css) => document.querySelector(css), id("waiting"));
    assert.equal(await chat.browser.text(id("status")), "Answering");
    await chat.release();
    await chat.waitsAt("text");
    await chat.shows(answer, "AG-UI is an open protocol");
    assert.equal((await chat.messages()).at(-1).delivery, "streaming");
    await chat.release();
    await chat.shows(answer, "More in the documentation.");
  },

  async "a question without words asks what the scenario suggests"(chat) {
    await chat.open("echo");
    await chat.click(id("send"));
    await chat.shows(answer, "You said: Is there an echo?");
  },

  async "a suggestion starts its scenario"(chat) {
    await chat.open("echo");
    await chat.click(id("suggestion"));
    await chat.shows(answer, "AG-UI is an open protocol");
    assert.equal(await chat.browser.property(id("scenario"), "value"), "short");
  },

  async "split emoji are joined, and each paragraph has its direction"(chat) {
    await chat.open("unicode");
    await chat.ask("שלום 🙂");
    await chat.shows(answer, "Bytes cut inside a letter: ß, 한, 🧵.");
    await chat.idle();
    const { text } = (await chat.messages()).at(-1);
    for (const part of ["\u{1F642} and \u{1F680}, joined", "👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 🇵🇹", "e\u0301 n\u0303", "العربية", "עברית", "日本語と中文和한국어", "𝒳 ∈ ℝⁿ"]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.ok(!/\uFFFD|\p{Surrogate}/u.test(text), text);
    const directions = await chat.browser.evaluate(
      (css) => [...document.querySelectorAll(css)].map((block) => (block.matches(":dir(rtl)") ? "rtl" : "ltr")),
      `${answer} .block`,
    );
    assert.deepEqual(directions, ["ltr", "ltr", "ltr", "rtl", "rtl", "ltr", "ltr", "ltr"]);
    await chat.screenshot("unicode");
  },

  async "five thousand tokens: finished blocks are left alone"(chat) {
    await chat.open("long", { hold: true });
    await chat.ask("An atlas, please.");
    await chat.waitsAt("text");
    await chat.shows(answer, "11. The Indus");
    await chat.browser.evaluate((css) => (document.querySelector(css).dataset.seen = "yes"), `${answer} .block`);
    await chat.release();
    await chat.shows(answer, "twice around the world and a little more.");
    await chat.idle();
    assert.equal(await chat.browser.count(`${answer} .block[data-seen]`), 1);
    assert.equal(await chat.browser.count(`${answer} h2`), 21);
    assert.equal(await chat.browser.count(`${answer} table`), 21);
    await chat.screenshot("long");
  },

  async "chunks and unusual framing make no difference"(chat) {
    await chat.open("chunks");
    await chat.ask("In shorthand, please.");
    await chat.shows(answer, "Found in three places, all of them brief.");
    await chat.shows(id("tool-call", '[data-name="look_up"][data-phase="output-available"]'), "shorthand");
    await chat.pick("crlf");
    await chat.ask("And with CRLF.");
    await chat.shows(answer, "and not a word of it lost.");
    await chat.idle();
    assert.ok((await chat.messages()).every(({ delivery }) => delivery === "complete"));
  },

  async "the field takes any other address"(chat) {
    await chat.open("short");
    await chat.pick("other");
    await chat.browser.fill(id("url"), `${chat.site}/agent/echo?speed=0`);
    await chat.ask("over there");
    await chat.shows(answer, "You said: over there");
    assert.deepEqual(await chat.texts(id("address")), [`${chat.site}/agent/echo?speed=0`]);
  },

  async "a new chat begins empty"(chat) {
    await chat.open("echo");
    await chat.ask("one");
    await chat.shows(answer, "You said: one");
    await chat.idle();
    await chat.click(id("new"));
    await chat.gone(id("message"));
    await chat.ask("two");
    await chat.shows(answer, "You said: two");
    assert.equal((await chat.messages()).length, 2);
  },
};

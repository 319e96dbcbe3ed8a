import assert from "node:assert/strict";
import { id } from "../chat.mjs";

const atEnd = (css) => {
  const { scrollHeight, scrollTop, clientHeight } = document.querySelector(css);
  return scrollHeight - scrollTop - clientHeight <= 32;
};

export const thread = {
  async "a thousand messages, and one more answer"(chat) {
    await chat.open("thread", { hold: true });
    await chat.ask("Open our old conversation.");
    await chat.waitsAt("snapshot");
    await chat.until((css) => document.querySelectorAll(css).length === 1001, id("message"));
    await chat.until(atEnd, id("viewport"));
    await chat.browser.evaluate((css) => (document.querySelector(css).dataset.seen = "yes"), id("message"));
    await chat.release();
    await chat.waitsAt("text");
    await chat.shows(id("message"), "Here we are again.");
    await chat.until(atEnd, id("viewport"));
    await chat.screenshot("thread");

    // Whoever scrolls up is left in peace, until they ask to be taken back.
    await chat.browser.evaluate((css) => {
      const viewport = document.querySelector(css);
      viewport.dispatchEvent(new WheelEvent("wheel", { deltaY: -100 }));
      viewport.scrollTop = 0;
    }, id("viewport"));
    await chat.until((css) => document.querySelector(css)?.offsetHeight > 0, id("jump"));
    await chat.release();
    await chat.shows(id("message"), "What would you like to know today?");
    await chat.idle();
    assert.equal(await chat.browser.evaluate(atEnd, id("viewport")), false);
    await chat.click(id("jump"));
    await chat.until(atEnd, id("viewport"));
    await chat.until((css) => !(document.querySelector(css)?.offsetHeight > 0), id("jump"));

    await chat.ask("And the soup?");
    await chat.waitsAt("text");
    await chat.release();
    await chat.idle();
    assert.equal(await chat.browser.count(id("message")), 1004);
    assert.equal(await chat.browser.count(id("message", "[data-seen]")), 1, "rows that did not change stay the same elements");
    assert.equal((await chat.server((runs) => runs[1])).received.messages, 1003);
  },
};

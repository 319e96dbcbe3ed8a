/** The page's part: its tools, its user's consent, and another connection. */
import assert from "node:assert/strict";
import { id } from "../chat.mjs";

const call = (name, more = "") => id("tool-call", `[data-name="${name}"]${more}`);

export const page = {
  async "a tool of the page runs, and the agent goes on with its result"(chat) {
    await chat.open("color", { hold: true });
    await chat.ask("Another color, please.");
    await chat.waitsAt("called");
    await chat.until(() => document.documentElement.dataset.accent === "plum");
    await chat.server((runs) => runs.length === 1, "only the run that called");
    await chat.release();
    const { received } = await chat.waitsAt("continued");
    assert.deepEqual(JSON.parse(received.lastMessage.content), { color: "plum" });
    assert.equal(received.tools, 3);
    await chat.shows(call("set_accent", '[data-phase="output-available"]'), "plum");
    await chat.release("all");
    await chat.shows(id("text"), "There: the page is plum now.");
    await chat.idle();
    assert.equal((await chat.messages()).filter(({ role }) => role === "user").length, 1, "the result is no message of the user's");
    await chat.screenshot("page-tool");
  },

  async "a call is denied without a reason"(chat) {
    await chat.open("screen");
    await chat.ask("Fit it to my screen.");
    await chat.click(id("tool-deny"));
    await chat.shows(id("text"), "Then I leave it as it is.");
    await chat.idle();
    assert.equal((await chat.data(call("read_window"))).phase, "denied");
  },

  async "a call waits for approval"(chat) {
    await chat.open("screen");
    await chat.ask("Fit it to my screen.");
    await chat.shows(call("read_window", '[data-phase="awaiting-approval"]'), "Waiting for approval");
    await chat.shows(id("status"), "Waiting for your approval");
    assert.equal(await chat.browser.count(id("tool-result")), 0);
    assert.doesNotMatch(await chat.browser.text(call("read_window")), /[{}]/, "it has no arguments, so none are shown");
    assert.match(await chat.browser.attribute(id("tool-reason"), "placeholder"), /optional/);
    assert.match(await chat.browser.attribute(id("tool-reason"), "aria-label"), /optional/);
    await chat.screenshot("approval");
    await chat.click(id("tool-approve"));
    await chat.shows(call("read_window"), "timeZone");
    await chat.shows(id("text"), `With ${await chat.browser.evaluate(() => innerWidth)} ×`);
    await chat.idle();
    await chat.gone(id("approval"));
  },

  async "a call is denied by keyboard, with a reason"(chat) {
    const { browser } = chat;
    const focused = () => browser.evaluate(() => document.activeElement?.dataset.testid);
    await chat.open("screen", { hold: true });
    await chat.ask("Fit it to my screen.");
    await chat.release();
    await chat.until((css) => document.querySelector(css), id("approval"));
    await browser.press("Shift+Tab");
    assert.equal(await focused(), "tool-reason", "after both buttons");
    await browser.type(id("tool-reason"), "too curious");
    await browser.press("Enter");
    const { received } = await chat.waitsAt("continued");
    assert.match(JSON.stringify(received.lastMessage), /too curious/, "the agent is told why");
    assert.equal((await chat.data(call("read_window"))).phase, "denied");
    await chat.release("all");
    await chat.shows(id("text"), "Then I leave it as it is.");
    await chat.idle();
    await chat.screenshot("denied");
  },

  async "a lost connection is made again, and the answer goes on"(chat) {
    await chat.open("reconnect", { hold: true });
    await chat.ask("Tell me about the journey.");
    await chat.waitsAt("lost");
    await chat.shows(id("text"), "at the ninth kilometer, and");
    await chat.release();
    await chat.waitsAt("joined");
    await chat.shows(id("status"), "Connection lost");
    await chat.screenshot("reconnecting");
    await chat.release("all");
    await chat.shows(id("text"), "at the ninth kilometer, and comes out of it at the eleventh, with the sea on the left.");
    await chat.idle();
    assert.equal(await chat.browser.count(id("error-card")), 0);
    assert.match(await chat.browser.text(id("status")), /^Answered/);
    return { expect: /Failed to load resource|net::ERR_|NS_ERROR/ };
  },
};

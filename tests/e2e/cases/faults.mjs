/** Failures: the user is told, and nothing that was shown is lost. */
import assert from "node:assert/strict";
import { id } from "../chat.mjs";

const answer = id("message", `[data-role="assistant"] ${id("text")}`);

/** Browsers report refused requests in the console by themselves. */
const refused = /Failed to load resource|net::ERR_|NS_ERROR|the server responded with a status/;

export const faults = {
  async "stop reaches the server, and the words stay"(chat) {
    await chat.open("short", { hold: true });
    await chat.ask("What is AG-UI?");
    await chat.release();
    await chat.waitsAt("text");
    await chat.shows(answer, "AG-UI is an open protocol");
    const before = (await chat.messages()).at(-1).text;
    await chat.click(id("stop"));
    await chat.server((runs) => runs.find(({ ended }) => ended === "aborted"), "the run being aborted");
    await chat.idle();
    const last = (await chat.messages()).at(-1);
    assert.equal(last.delivery, "aborted");
    assert.ok(last.text.startsWith(before), last.text);
    await chat.shows(id("fate"), "Stopped");
    assert.match(await chat.browser.text(id("status")), /^Stopped/);
    assert.equal(await chat.browser.count(id("error-card")), 0, "stopping is no error");
    assert.equal(await chat.browser.count(id("stop")), 0);
    await chat.screenshot("stopped");
  },

  async "an error in mid-stream shows its kind, and a retry helps"(chat) {
    await chat.open("error");
    await chat.ask("How does it end?");
    await chat.shows(id("error-message"), "The model ran out of its quota.");
    assert.equal((await chat.data(id("error-card"))).kind, "run");
    assert.equal(await chat.browser.text(id("error-facts")), "run · quota_exceeded");
    const last = (await chat.messages()).at(-1);
    assert.equal(last.delivery, "error");
    assert.ok(last.text.endsWith("the lamp had been"), last.text);
    await chat.screenshot("error");
    await chat.pick("short");
    await chat.click(id("retry"));
    await chat.shows(answer, "More in the documentation.");
    await chat.idle();
    await chat.gone(id("error-card"));
    assert.equal((await chat.messages()).filter(({ role }) => role === "user").length, 1, "a retry adds no message");
  },

  async "a cut connection is told, and the words stay"(chat) {
    await chat.open("cut", { hold: true });
    await chat.ask("Read the letter.");
    await chat.waitsAt("broken");
    await chat.shows(answer, "the key is under the thi");
    await chat.release();
    const card = await chat.data(id("error-card"));
    assert.deepEqual([card.kind, card.retryable], ["connection", "true"]);
    await chat.idle();
    const last = (await chat.messages()).at(-1);
    assert.equal(last.delivery, "error");
    assert.ok(last.text.endsWith("the key is under the thi"), last.text);
    assert.equal(await chat.browser.text(id("status")), "Broken off");
    await chat.screenshot("cut");
    return { expect: refused };
  },

  async "a stream that ends too early is no success"(chat) {
    await chat.open("eof");
    await chat.ask("Is that all?");
    const card = await chat.data(id("error-card"));
    assert.deepEqual([card.kind, card.retryable], ["connection", "true"]);
    assert.equal(await chat.browser.text(id("status")), "Broken off");
    assert.ok((await chat.messages()).at(-1).text.endsWith("the server forgot to say"));
  },

  async "HTML instead of events"(chat) {
    await chat.open("html");
    await chat.ask("Hello?");
    assert.equal((await chat.data(id("error-card"))).kind, "http");
    await chat.shows(id("error-facts"), "200");
    await chat.shows(id("error-card"), "Welcome to the guest network");
    assert.deepEqual(
      (await chat.messages()).map(({ role, text }) => [role, text]),
      [["user", "Hello?"]],
    );
    await chat.screenshot("html");
  },

  async "401 and 503 show status and body"(chat) {
    await chat.open("auth");
    await chat.ask("Let me in.");
    assert.equal((await chat.data(id("error-card"))).kind, "auth");
    await chat.shows(id("error-facts"), "401");
    await chat.shows(id("error-card"), "The access token has expired.");
    await chat.screenshot("auth");
    await chat.pick("busy");
    await chat.click(id("retry"));
    await chat.shows(id("error-facts"), "503");
    const card = await chat.data(id("error-card"));
    assert.deepEqual([card.kind, card.retryable], ["http", "true"]);
    await chat.shows(id("error-card"), "All workers are busy.");
    return { expect: refused };
  },

  async "broken frames are reported, and the answer goes on"(chat) {
    await chat.open("odd");
    await chat.ask("Are you all right?");
    await chat.shows(answer, "and here I am.");
    await chat.idle();
    assert.equal(await chat.browser.text(id("status")).then((status) => status.split(" ")[0]), "Answered");
    await chat.until((css) => document.querySelectorAll(css).length === 5, id("notice", '[data-level="warning"]'));
    const [state] = await chat.texts(id("state"));
    assert.match(state, /mood\s*"fine"/, "a patch that fails changes nothing");
    assert.match(state, /__proto__\s*polluted\s*true/, "__proto__ is a key");
    assert.match(state, /constructor\s*"plain"/);
    assert.match(state, /big\s*9007199254740992/, "a number is what JSON.parse reads");
    assert.equal(await chat.browser.evaluate(() => ({}).polluted ?? null), null);
    await chat.screenshot("odd");
  },

  async "what is sent during a run waits its turn"(chat) {
    await chat.open("echo", { hold: true });
    await chat.ask("one");
    await chat.waitsAt("start");
    await chat.ask("two");
    await chat.ask("three");
    await chat.until((css) => document.querySelectorAll(css).length === 2, id("queued"));
    await chat.shows(id("queue"), "two");
    assert.equal(await chat.browser.text(id("status")), "Answering, 2 waiting");
    await chat.screenshot("queue");
    await chat.server((runs) => runs.length === 1, "one run at a time");
    await chat.release("all");
    await chat.shows(answer, "You said: three");
    await chat.idle();
    assert.deepEqual(
      (await chat.messages()).map(({ text }) => text),
      ["one", "You said: one", "two", "You said: two", "three", "You said: three"],
    );
    await chat.gone(id("queue"));
    assert.deepEqual(await chat.server((runs) => runs.length === 3 && runs.map(({ received }) => received.messages)), [1, 3, 5]);
  },
};

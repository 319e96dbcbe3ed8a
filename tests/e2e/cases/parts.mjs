/** The parts of an answer besides text. */
import assert from "node:assert/strict";
import { id } from "../chat.mjs";

const call = (name) => id("tool-call", `[data-name="${name}"]`);

export const parts = {
  async "reasoning folds away and says how long it took"(chat) {
    await chat.open("reasoning", { hold: true });
    await chat.ask("What does the ball cost?");
    await chat.waitsAt("reasoning");
    await chat.shows(id("reasoning", '[data-done="false"]'), "tempting wrong answer");
    assert.equal(await chat.browser.attribute(id("reasoning-toggle"), "aria-expanded"), "true");
    assert.equal(await chat.browser.text(id("reasoning-toggle")), "Thinking");
    await chat.screenshot("reasoning-open");

    await chat.release();
    await chat.waitsAt("reasoning");
    await chat.release(2);
    await chat.waitsAt("text");
    // The second thought has the answer's id: it stands in the answer's row, with the answer.
    await chat.shows(id("message", '[data-role="assistant"]'), "The ball costs");
    const folded = id("message", `[data-role="assistant"] ${id("reasoning", '[data-done="true"]')}`);
    await chat.shows(folded, "Let the ball cost x");
    await chat.release();
    await chat.idle();

    assert.equal(await chat.browser.count(id("reasoning")), 2);
    for (const label of await chat.texts(id("reasoning-toggle"))) assert.match(label, /^Thought for \d+(\.\d)? (ms|s)$/);
    assert.equal(await chat.browser.count(`${id("reasoning-toggle")}[aria-expanded="true"]`), 0);
    await chat.screenshot("reasoning-folded");
    await chat.click(`${folded} ${id("reasoning-toggle")}`);
    await chat.until((css) => document.querySelector(css).offsetHeight > 0, `${folded} ${id("reasoning-text")}`);
  },

  async "two tool calls grow side by side"(chat) {
    await chat.open("tools", { hold: true });
    await chat.ask("A train to Porto?");
    const seen = [];
    const look = async () => {
      const now = {};
      for (const name of ["search_trains", "get_forecast"]) now[name] = (await chat.texts(`${call(name)} ${id("tool-args")}`))[0] ?? "";
      seen.push(now);
    };
    await chat.waitsAt("args");
    await chat.until((css) => document.querySelectorAll(css).length === 2, id("tool-call", '[data-phase="input-streaming"]'));
    await look();
    await chat.release();
    await chat.waitsAt("args");
    await chat.shows(`${call("search_trains")} ${id("tool-args")}`, "Lisbon");
    await look();
    await chat.release();
    await chat.waitsAt("args");
    await chat.shows(`${call("search_trains")} ${id("tool-args")}`, "2026-12-04");
    await look();
    await chat.screenshot("tools-growing");
    await chat.release();
    await chat.waitsAt("called");
    await chat.until((css) => document.querySelectorAll(css).length === 2, id("tool-call", '[data-phase="input-available"]'));
    await look();
    for (const name of ["search_trains", "get_forecast"]) {
      const lengths = seen.map((now) => now[name].length);
      assert.deepEqual(lengths, [...new Set(lengths)].sort((a, b) => a - b), `${name} grows: ${lengths}`);
      assert.equal(lengths.length, 4);
    }
    assert.ok(seen[3].search_trains.includes("14:00") && !seen[2].search_trains.includes("14:00"));

    await chat.release();
    await chat.waitsAt("result");
    await chat.shows(`${call("get_forecast")} ${id("tool-result")}`, "sun");
    assert.equal((await chat.data(call("get_forecast"))).phase, "output-available");
    assert.equal((await chat.data(call("search_trains"))).phase, "input-available");
    await chat.release("all");
    await chat.shows(id("text"), "Take the 09:39");
    await chat.idle();
    assert.deepEqual(await chat.texts(id("tool-phase")), ["Done", "Done"]);
    assert.deepEqual(
      (await chat.messages()).map(({ role }) => role),
      ["user", "assistant", "assistant"],
    );
    await chat.screenshot("tools");
  },

  async "trains and weather are components, and their data folds away"(chat) {
    await chat.open("tools", { hold: true });
    await chat.ask("A train to Porto?");
    await chat.release(3);
    await chat.waitsAt("called");
    await chat.shows(id("trains"), "Lisbon → Porto");
    assert.match(await chat.browser.text(id("trains")), /December 4.*Looking for trains/s);
    await chat.release("all");
    await chat.idle();
    const trains = (await chat.texts(id("train"))).map((text) => text.replaceAll(/\s+/g, " "));
    assert.deepEqual(trains.map((text) => /\d\d:\d\d – \d\d:\d\d/.exec(text)?.[0]), ["08:09 – 10:58", "09:39 – 12:28"]);
    assert.match(trains[1], /€28\.40/);
    assert.deepEqual((await chat.texts(id("day"))).map((text) => text.replaceAll(/\s+/g, "")), ["16°sunny", "15°cloudy", "13°rain"]);
    const data = `${call("search_trains")} ${id("tool-data")}`;
    assert.equal(await chat.browser.property(data, "open"), false);
    await chat.click(`${data} > summary`);
    await chat.until((css) => document.querySelector(css).offsetHeight > 0, `${data} ${id("tool-result")}`);
    await chat.screenshot("tool-components");
  },

  async "a tool without a component shows its data"(chat) {
    await chat.open("interrupt");
    await chat.ask("Pay the deposit.");
    await chat.shows(id("interrupt"), "Send €148.50");
    const data = `${call("transfer_money")} ${id("tool-data")}`;
    assert.equal(await chat.browser.property(data, "open"), true);
    await chat.shows(data, "148.5");
  },

  async "the state panel follows, and only what changed is new"(chat) {
    await chat.open("state", { hold: true });
    await chat.ask("A weekend in Porto.");
    await chat.waitsAt("snapshot");
    await chat.shows(id("state"), "planning");
    await chat.browser.evaluate((css) => {
      for (const value of document.querySelectorAll(css)) value.dataset.seen = "yes";
    }, `${id("state")} .json-value`);
    await chat.release();
    await chat.waitsAt("stop");
    await chat.shows(id("state"), "Ribeira");
    const leaves = await chat.browser.evaluate(
      (css) => [...document.querySelectorAll(css)].map((value) => [value.textContent, value.dataset.seen === "yes"]),
      `${id("state")} .json-value`,
    );
    const old = Object.fromEntries(leaves);
    assert.equal(old['"Porto"'], true, "what did not change stays");
    assert.equal(old["18"], false, "what changed is a new element");
    assert.equal(old['"Ribeira"'], false);
    await chat.release("all");
    await chat.shows(id("state"), "PRT-4821");
    await chat.shows(id("text"), "a market with a roof.");
    assert.ok(!(await chat.texts(id("state")))[0].includes("planning"));
    await chat.screenshot("state");
  },

  async "custom events are notices"(chat) {
    await chat.open("custom", { hold: true });
    await chat.ask("Import my bookmarks.");
    await chat.waitsAt("notice");
    await chat.shows(id("notice"), "Import started");
    await chat.release("all");
    await chat.shows(id("notice", '[data-level="warning"]'), "Three links are dead");
    await chat.shows(id("notice"), '{"imported":120,"total":214}');
    await chat.shows(id("notice", '[data-level="success"]'), "Import finished");
    await chat.idle();
    assert.equal((await chat.messages()).length, 2, "they are no messages");
    await chat.screenshot("custom");
    const before = await chat.browser.count(id("notice"));
    await chat.click(id("notice", " button"));
    await chat.until((css, count) => document.querySelectorAll(css).length === count, id("notice"), before - 1);
  },

  async "an activity is ticked off"(chat) {
    await chat.open("activity", { hold: true });
    await chat.ask("Read the reports.");
    await chat.waitsAt("step");
    await chat.until((css) => document.querySelectorAll(css).length === 1, `${id("activity")} [data-status="running"]`);
    assert.equal(await chat.browser.count(`${id("activity")} [data-status="pending"]`), 3);
    await chat.release("all");
    await chat.shows(id("activity"), "Reports read");
    await chat.idle();
    assert.equal(await chat.browser.count(`${id("activity")} [data-status="done"]`), 4);
    await chat.screenshot("activity");
  },

  async "steps and subagents"(chat) {
    await chat.open("subagents", { hold: true });
    await chat.ask("Is it falling?");
    await chat.waitsAt("text");
    await chat.until((css) => document.querySelectorAll(css).length === 3, id("subagent", '[data-status="running"]'));
    assert.equal(await chat.browser.count(`${id("subagent")} ${id("subagent")}`), 1, "the reader stands under the researcher");
    await chat.release("all");
    await chat.shows(id("text"), "No. Since the works");
    await chat.idle();
    await chat.shows(id("subagent", '[data-status="error"]'), "The archive did not answer.");
    assert.equal(await chat.browser.count(id("subagent", '[data-status="complete"]')), 2);
    assert.equal(await chat.browser.count(id("step", '[data-status="complete"]')), 2);
    await chat.shows(id("message"), "Reader");
    await chat.screenshot("subagents");
  },

  async "usage for each model"(chat) {
    await chat.open("usage");
    await chat.ask("What did it cost?");
    await chat.until((css) => document.querySelectorAll(css).length === 2, id("usage"));
    const [planner] = await chat.texts(id("usage"));
    assert.match(planner, /planner-large.*1,240 in, 320 out/s);
  },

  async "an interrupt is approved"(chat) {
    await chat.open("interrupt");
    await chat.ask("Pay the deposit.");
    await chat.shows(id("interrupt"), "Send €148.50 to Casa do Livro, Porto?");
    assert.equal(await chat.browser.text(id("status")), "Waiting for your decision");
    await chat.screenshot("interrupt");
    await chat.click(id("interrupt-approve"));
    await chat.shows(id("text"), "Done: the deposit is on its way");
    await chat.idle();
    await chat.gone(id("interrupt"));
    await chat.shows(call("transfer_money"), "TX-20261204-17");
  },

  async "an interrupt is cancelled"(chat) {
    await chat.open("interrupt");
    await chat.ask("Pay the deposit.");
    await chat.click(id("interrupt-cancel"));
    await chat.shows(id("text"), "All right, I left it alone.");
    await chat.idle();
    await chat.gone(id("interrupt"));
    await chat.shows(call("transfer_money"), "refused");
  },
};

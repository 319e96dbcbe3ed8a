/** Threads that the server keeps: the list beside the chat, and a run that goes on while another thread is shown. */
import assert from "node:assert/strict";
import { id } from "../chat.mjs";

let users = 0;

/** The list's titles, top down. */
const titles = (chat) => chat.texts(id("thread-open"));

/** Waits until the list is that. */
const lists = (chat, ...wanted) =>
  chat.until(
    (css, wanted) => JSON.stringify([...document.querySelectorAll(css)].map((row) => row.textContent.trim())) === wanted,
    id("thread-open"),
    JSON.stringify(wanted),
  );

/** Clicks a button of the thread with that title. */
const press = (chat, title, button) =>
  chat.browser.evaluate(
    (title, button) => {
      const row = [...document.querySelectorAll('[data-testid="thread"]')].find((row) => row.textContent.includes(title));
      row.querySelector(`[data-testid="${button}"]`).click();
    },
    title,
    button,
  );

export const threads = {
  "threads go on while another is shown, and after a reload": async (chat) => {
    const { browser, site, page } = chat;
    const user = `${browser.engine}-${page}-${(users += 1)}`;
    chat.hold = `threads-${user}`;
    await browser.goto(`${site}/${page}.html?protocol=threads&user=${user}&speed=0&hold=${chat.hold}`);
    await chat.until((css) => document.querySelector(css)?.dataset.status === "ready", id("threads"));

    await chat.ask("Milk");
    await chat.shows(id("text"), "Noted");
    await lists(chat, "Milk");
    assert.equal((await chat.data(id("thread"))).running, "true");

    await chat.click(id("thread-new"));
    await chat.gone(id("message"));
    await lists(chat, "New chat", "Milk");
    await chat.ask("Rome");
    await chat.shows(id("text"), "Noted: Rome");
    await lists(chat, "Rome", "Milk");
    await chat.screenshot("threads");

    await press(chat, "Milk", "thread-open");
    await chat.shows(id("text"), "Noted: Milk");
    assert.equal((await chat.data(id("chat"))).status, "running", "the run has gone on");

    // The page is opened anew in the middle of both runs.
    await browser.goto(await browser.evaluate(() => location.href));
    await chat.shows(id("text"), "Noted: Milk");
    assert.equal((await chat.data(id("chat"))).status, "running", "the run is joined");
    await chat.release("all");
    await chat.idle();
    await chat.shows(id("text"), "This thread has one note: Milk.");
    assert.equal((await chat.messages()).length, 2);

    await press(chat, "Rome", "thread-open");
    await chat.shows(id("text"), "This thread has one note: Rome.");
    await chat.ask("Florence");
    await chat.shows(id("text"), "2 notes: Rome; Florence.");
    assert.deepEqual((await chat.messages()).map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
  },

  "threads are renamed and deleted": async (chat) => {
    const { browser, site, page } = chat;
    const user = `${browser.engine}-${page}-${(users += 1)}`;
    await browser.goto(`${site}/${page}.html?protocol=threads&user=${user}&speed=0`);
    await chat.until((css) => document.querySelector(css)?.dataset.status === "ready", id("threads"));
    await chat.ask("Milk");
    await chat.shows(id("text"), "one note: Milk.");
    await press(chat, "Milk", "thread-rename");
    // Clearing a field, as a driver does before it types, takes the focus away, and that ends the renaming.
    await browser.evaluate((css) => void (document.querySelector(css).value = "Shopping"), id("thread-title"));
    await browser.press("Enter");
    await lists(chat, "Shopping");
    await press(chat, "Shopping", "thread-delete");
    await chat.gone(id("thread"));
    await chat.gone(id("message"));
    await browser.goto(`${site}/${page}.html?protocol=threads&user=${user}&speed=0`);
    await chat.until((css) => document.querySelector(css)?.dataset.status === "ready", id("threads"));
    assert.deepEqual(await titles(chat), [], "the server has deleted it");
  },
};

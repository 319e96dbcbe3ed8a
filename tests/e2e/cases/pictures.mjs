/** Pictures of the composer: picked, dropped, pasted, shown and sent. */
import assert from "node:assert/strict";
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { id } from "../chat.mjs";

const folder = fileURLToPath(new URL("../../../.artifacts/pictures/", import.meta.url));
mkdirSync(folder, { recursive: true });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==";

/** A picture on the disk. */
function picture(name) {
  const path = join(folder, name);
  writeFileSync(path, Buffer.from(pixel, "base64"));
  return path;
}

/** An event of the page with files: `dragenter`, `drop` or `paste`. Gives whether the page took it. */
const gives = (chat, css, type, files) =>
  chat.browser.evaluate(
    (css, type, files, pixel) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(pixel), (character) => character.charCodeAt(0));
      for (const [name, mimeType] of files) data.items.add(new File([bytes], name, { type: mimeType }));
      const event = new Event(type, { bubbles: true, cancelable: true });
      Object.defineProperty(event, type === "paste" ? "clipboardData" : "dataTransfer", { value: data });
      document.querySelector(css).dispatchEvent(event);
      return event.defaultPrevented;
    },
    css,
    type,
    files,
    pixel,
  );

/** Each file of the composer: its name and where it stands. */
const listed = (chat) =>
  chat.browser.evaluate(
    (css) => [...document.querySelectorAll(css)].map((item) => `${item.querySelector("b").textContent} ${item.dataset.status}`),
    id("file"),
  );

const lists = (chat, ...wanted) =>
  chat.until(
    (css, wanted) => [...document.querySelectorAll(css)].map((item) => `${item.querySelector("b").textContent} ${item.dataset.status}`).join() === wanted,
    id("file"),
    wanted.join(),
  );

/** Pictures that the page shows, once the browser has drawn them. */
const drawn = (chat, css, count) =>
  chat.until((css, count) => [...document.querySelectorAll(css)].filter((image) => image.complete && image.naturalWidth > 0).length === count, css, count);

/** Opens the page without the pictures that an earlier one has kept. */
async function open(chat, options) {
  await chat.browser.goto(`${chat.site}/`);
  await chat.browser.evaluate(() => sessionStorage.clear());
  await chat.open("pictures", options);
}

export const pictures = {
  async "pictures are picked, dropped and pasted, shown, and sent with the message"(chat) {
    await open(chat);
    await chat.browser.type(id("pick"), picture("picked.png"));
    await lists(chat, "picked.png ready");
    assert.equal(await chat.browser.property(id("pick"), "value"), "", "the same file may be picked again");

    assert.equal(await gives(chat, id("messages"), "dragenter", [["dropped.png", "image/png"]]), true);
    await chat.until((css) => document.querySelector(css).hasAttribute("data-dragging"), id("chat"));
    assert.equal(await gives(chat, id("messages"), "drop", [["dropped.png", "image/png"]]), true);
    await chat.until((css) => !document.querySelector(css).hasAttribute("data-dragging"), id("chat"));
    assert.equal(await gives(chat, id("input"), "paste", [["pasted.png", "image/png"]]), true);
    assert.equal(await gives(chat, id("input"), "paste", []), false, "text is the browser's");
    await lists(chat, "picked.png ready", "dropped.png ready", "pasted.png ready");
    await drawn(chat, `${id("file")} img`, 3);
    await chat.screenshot("pictures-composer");

    await chat.click(`${id("file")}:nth-child(2) ${id("file-remove")}`);
    await lists(chat, "picked.png ready", "pasted.png ready");
    await chat.ask("What is it?");
    await chat.shows(id("message", '[data-role="assistant"]'), "I was given 2 files");
    await chat.shows(id("message", '[data-role="assistant"]'), "image picked.png, image/png, as an address");
    assert.deepEqual(await listed(chat), [], "they belong to the message");
    await drawn(chat, `${id("message", '[data-role="user"]')} ${id("picture")}`, 2);
    assert.deepEqual((await chat.messages()).map(({ role, text }) => (role === "user" ? text : role)), ["What is it?", "assistant"]);
    await chat.screenshot("pictures-sent");

    await chat.ask("And now?");
    await chat.shows(id("message", '[data-role="assistant"]'), "I was given no picture");
  },

  async "a message waits for its pictures, and a reload keeps those that are ready"(chat) {
    await open(chat, { hold: true });
    await chat.browser.type(id("pick"), picture("first.png"));
    await chat.waitsAt("upload");
    await chat.release();
    await lists(chat, "first.png ready");
    await chat.browser.type(id("pick"), picture("second.png"));
    await chat.waitsAt("upload");
    await chat.ask("Look at both");
    await chat.shows(id("queued"), "waiting for a picture");
    assert.equal((await chat.data(id("chat"))).status, "idle", "nothing is sent yet");

    await chat.browser.reload();
    await lists(chat, "first.png ready", "second.png error");
    await chat.shows(id("file-state"), "Add it again");
    assert.equal(await chat.browser.property(id("input"), "value"), "Look at both", "the words are back in the field");
    await chat.click(`${id("file")}:nth-child(2) ${id("file-remove")}`);
    await chat.browser.type(id("pick"), picture("second.png"));
    await chat.waitsAt("upload");
    await chat.browser.focus(id("input"));
    await chat.browser.press("Enter");
    await chat.shows(id("queued"), "Look at both");
    await chat.release(2);
    await chat.idle();
    await chat.shows(id("message", '[data-role="assistant"]'), "I was given 2 files");
    await drawn(chat, `${id("message", '[data-role="user"]')} ${id("picture")}`, 2);
    await chat.gone(id("file"));
  },

  async "hostile names, five hundred pictures at once, and what is none"(chat) {
    await open(chat);
    const names = Array.from({ length: 500 }, (_, at) => [`${at}.png`, "image/png"]);
    await gives(chat, id("chat"), "drop", [["../../<img src=x onerror=alert(1)>\u202egnp.exe.png", "image/png"], ["notes.txt", "text/plain"], ...names]);
    await chat.until((css) => document.querySelectorAll(css).length === 501, id("file", '[data-status="ready"]'));
    const [hostile, notes] = await listed(chat);
    assert.deepEqual([hostile, notes], ["<img src=x onerror=alert(1)>gnp.exe.png ready", "notes.txt error"]);
    await chat.shows(id("file-state"), "Not a picture");
    assert.equal(await chat.browser.count('[src="x"]'), 0);
    // The field is where it was: the list scrolls in itself.
    assert.equal(await chat.browser.evaluate((css) => document.querySelector(css).getBoundingClientRect().bottom <= innerHeight, id("send")), true);
    await chat.screenshot("pictures-many");
  },

  async "the address of a picture is let go when it is removed or sent"(chat) {
    await open(chat);
    await chat.browser.type(id("pick"), picture("a.png"));
    await chat.browser.type(id("pick"), picture("b.png"));
    await lists(chat, "a.png ready", "b.png ready");
    await drawn(chat, `${id("file")} img`, 2);
    const addresses = await chat.browser.evaluate((css) => {
      const { revokeObjectURL } = window.URL;
      window.revoked = [];
      // An engine may still draw a picture that it has in its cache.
      window.URL.revokeObjectURL = (address) => (window.revoked.push(address), revokeObjectURL.call(window.URL, address));
      return [...document.querySelectorAll(css)].map(({ src }) => src);
    }, `${id("file")} img`);
    assert.deepEqual(addresses.map((address) => address.startsWith("blob:")), [true, true]);
    const revoked = () => chat.browser.evaluate(() => window.revoked);
    await chat.click(`${id("file")}:nth-child(1) ${id("file-remove")}`);
    await lists(chat, "b.png ready");
    assert.deepEqual(await revoked(), [addresses[0]]);
    await chat.ask("One");
    await chat.shows(id("message", '[data-role="assistant"]'), "I was given one file");
    await drawn(chat, `${id("message", '[data-role="user"]')} ${id("picture")}`, 1);
    await chat.until(() => window.revoked.length === 2);
    assert.deepEqual(await revoked(), addresses);
  },
};

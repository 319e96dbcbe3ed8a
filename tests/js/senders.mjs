// The people of the plays of tabs.mjs who send files: each page has a composer, whose uploads take their time and fail. What a page has not
// sent as it is left is in the composer of a later page.

import assert from "node:assert/strict";
import { load } from "./lib.mjs";

const { createAttachments } = await load("attachments/index");
const { createObjectURL, revokeObjectURL } = URL;

/** The names of the files of a message. */
const namesOf = ({ content }) => [content].flat().flatMap((part) => part?.metadata?.filename ?? []);

export class Senders {
  /** The files, by their names: the page that has each, the submit that it went with, and whether somebody has removed it. */
  #files = new Map();
  /** The submits that were given the composer, with their files. */
  #submits = [];
  /** The saves of pages that were left, until another page has them. */
  #saves = [];
  /** The object URLs that are open, with their pages. */
  #urls = new Map();
  #names = 0;

  constructor(pick, outside, origin) {
    Object.assign(this, { pick, outside, origin });
    URL.createObjectURL = ({ name }) => {
      const url = `blob:${name} ${++this.#names}`;
      this.#urls.set(url, this.#files.get(name).page);
      return url;
    };
    URL.revokeObjectURL = (url) => assert.ok(this.#urls.delete(url), `${url} is revoked once more`);
  }

  end = () => Object.assign(URL, { createObjectURL, revokeObjectURL });

  /** The page has a composer, with what was not sent before. */
  open(page) {
    const { outside, origin } = this;
    const [restore] = this.#saves.splice(0, 1);
    const upload = (file, { onProgress }) =>
      new Promise((resolve, reject) => {
        const later = (what, action) => outside.later(`${page.name} ${what} ${file.name}`, file, () => page.dead || action());
        later("uploads half of", () => onProgress(0.5));
        later("has uploaded", () => {
          if (origin.reachable || outside.pick(3)) return resolve({ url: `https://files.test/${file.name}` });
          outside.note(`the upload of ${file.name} fails`);
          reject(new Error("no network"));
        });
      });
    const { random } = Math;
    // Two pages have files of other ids.
    Math.random = () => ++this.#names / 1000;
    page.composer = createAttachments({ upload, maxConcurrent: 2, stallMs: 50, restore });
    Math.random = random;
    for (const { name } of page.composer.items) Object.assign(this.#files.get(name), { page, said: undefined });
  }

  attach({ page }) {
    const files = Array.from({ length: 1 + this.pick(2) }, () => {
      const name = `f${++this.#names}`;
      this.#files.set(name, { name, page, said: undefined, gone: false });
      return new File(["x"], name, { type: ["image/png", "application/pdf"][this.pick(2)] });
    });
    this.outside.note(`${page.name} attaches ${files.map(({ name }) => name)}`);
    page.composer.add(files);
  }

  /** The parts of a submit: the composer, or none. */
  parts(said) {
    const { page } = said.life;
    const { items } = page.composer;
    if (!this.pick(3)) return undefined;
    for (const { name } of items) this.#files.get(name).said = said;
    said.files = items.map(({ name }) => name);
    this.#submits.push(said);
    return page.composer;
  }

  /** The submits of this agent that are held. */
  #held = ({ agent }) => agent.getSnapshot().queue.filter(({ attachments }) => attachments);
  #items = (life) => [...life.page.composer.items, ...this.#held(life).flatMap(({ attachments }) => attachments)];

  /** Takes a file away, or tries to upload one again. */
  change(life) {
    const items = this.#items(life);
    const item = items[this.pick(items.length || 1)];
    if (!item) return;
    if (item.error === "upload" && this.pick(4)) return this.#retry(life, item);
    if (!this.pick(2) || item.error === "lost") this.#remove(life, item);
  }

  #retry({ page }, { id, name }) {
    this.outside.note(`${page.name} uploads ${name} again`);
    page.composer.retry(id);
  }

  #remove({ page }, { id, name }) {
    this.outside.note(`${page.name} removes ${name}`);
    this.#files.get(name).gone = true;
    page.composer.remove(id);
  }

  /** Uploads again all that have failed, and takes away those that are lost. Says whether there were some. */
  mend(life) {
    const items = this.#items(life).filter(({ error }) => error);
    for (const item of items) item.error === "lost" ? this.#remove(life, item) : this.#retry(life, item);
    return items.length > 0;
  }

  /** Takes back a submit that is held. */
  takeBack(life, promises) {
    const held = this.#held(life);
    const row = held[this.pick(held.length || 1)];
    if (!row) return;
    this.aborts(life, promises, [row]);
    assert.ok(life.agent.cancelQueued(row.id), `${row.id} is not taken back`);
  }

  /** These submits that are held, or all of the agent, are taken back with their files. */
  aborts(life, promises, rows = this.#held(life)) {
    for (const { id, attachments } of rows) {
      this.outside.note(`${life.name} takes back ${id}`);
      for (const { name } of attachments) this.#files.get(name).gone = true;
      promises.find((promise) => `run ${promise.id}` === id).out = { life, sent: this.origin.requests.length };
    }
  }

  /** The field goes with its files, and another one is there. `lives`: the agents of the page. */
  renew(page, lives, promises) {
    this.outside.note(`${page.name} has another composer`);
    for (const life of lives) if (life.page === page) this.aborts(life, promises);
    for (const { name } of page.composer.items) this.#files.get(name).gone = true;
    page.composer.dispose();
    this.open(page);
  }

  /** The page is left, and what it has not sent is saved. */
  leave(page, lives) {
    const save = JSON.parse(JSON.stringify(page.composer.save()));
    const held = lives.filter((life) => life.page === page).flatMap(this.#held);
    for (const { messages: [{ content }] } of held) {
      const text = [content].flat()[0].text ?? content;
      assert.ok(save.draft.split("\n\n").includes(text), `${text} is held, and not saved`);
    }
    const items = [...held.flatMap(({ attachments }) => attachments), ...page.composer.items];
    assert.deepEqual(
      save.items.map(({ name, part }) => [name, !!part]).sort(),
      items.map(({ name, status }) => [name, status === "ready"]).sort(),
      "the save of files",
    );
    this.outside.note(`${page.name} saves ${save.draft.split("\n\n")} ${save.items.map(({ name }) => name)}`);
    this.#saves.push(save);
  }

  /** `stored`: the store in the end. */
  check(lives, stored) {
    const { origin } = this;
    const messages = [...(stored?.messages ?? []), ...(stored?.queue ?? []).flatMap((row) => row.messages)];
    const all = [...messages, ...origin.requests.flatMap((request) => request.messages)];
    // One that is edited is the message of the edit, which has no files.
    for (const { id, files, life } of this.#submits.filter(({ edited }) => !edited)) {
      const whole = files.filter((name) => !this.#files.get(name).gone);
      for (const message of all) if (message.id === id) assert.deepEqual(namesOf(message), whole, `the files of ${id} of ${life.name}`);
    }
    const pages = new Set(lives.map(({ page }) => page).filter(({ dead }) => !dead));
    const composed = [...pages].flatMap(({ composer }) => composer.items.map(({ name }) => name)).concat(
      this.#saves.flatMap(({ items }) => items.map(({ name }) => name)),
    );
    for (const { name, page, said, gone } of this.#files.values()) {
      const with_ = new Set(all.filter((message) => namesOf(message).includes(name)).map(({ id }) => id));
      const places = [...with_, ...composed.filter((other) => other === name)];
      if (gone) assert.deepEqual(places, [], `${name} was removed`);
      else assert.ok(places.length <= 1, `${name} is in ${places}`);
      if (!gone && !page.dead && (!said || (said.result === "success" && !said.life.late && !said.edited))) assert.equal(places.length, 1, `${name} is lost`);
    }
    for (const page of pages) {
      const shown = page.composer.items.flatMap(({ previewUrl }) => previewUrl ?? []);
      const open = [...this.#urls].filter(([, other]) => other === page).map(([url]) => url);
      assert.deepEqual(open.sort(), shown.sort(), `the object URLs of ${page.name}`);
    }
    // Each agent sends what is said in order.
    for (const life of lives) {
      const sent = origin.requests.map(({ last }) => last);
      const said = this.#submits.filter((said) => said.life === life && said.content !== "steer").map(({ id }) => sent.indexOf(id)).filter((at) => at >= 0);
      if (!life.page.lost && !life.late) assert.deepEqual(said, [...said].sort((a, b) => a - b), `the order of ${life.name}`);
    }
  }
}

// The pages of the plays of tabs.mjs that a browser freezes: their timers, their messages and what the network has for them stand still, while
// they have the lock or wait for it, until they come back or are discarded.

import { hide } from "./outside.mjs";

/** The document that all pages share. Each page hears of it, unless it stands still. */
class SharedDocument {
  #listeners = new Map();
  /** The name of the page whose document it is now, where it is not that of all. */
  only = undefined;

  constructor(outside) {
    this.outside = outside;
  }

  addEventListener(type, listener) {
    this.#listeners.set(listener, { type, page: this.outside.current });
  }

  removeEventListener(_, listener) {
    this.#listeners.delete(listener);
  }

  dispatchEvent(event) {
    for (const [listener, { type, page }] of [...this.#listeners])
      if (type === event.type && !this.outside.frozen.has(page) && (this.only ?? page) === page) listener(event);
  }
}

export class Freezer {
  /** `cuts`: connections may be lost. */
  constructor(pick, outside, origin, { retries, resumes }) {
    Object.assign(this, { pick, outside, origin, cuts: !!(retries || resumes), document: new SharedDocument(outside) });
    origin.freezes = true;
  }

  /** The page is hidden: what is not saved yet is saved. */
  hide({ name }) {
    this.document.only = name;
    hide(this.document);
    this.document.only = undefined;
  }

  /** Nothing comes to the page. It was hidden long before, or the whole device sleeps. */
  freeze(page) {
    const { outside } = this;
    if (this.pick(2)) this.hide(page);
    outside.note(`${page.name} is frozen`);
    outside.frozen.add(page.name);
  }

  /** The page comes back, and is shown. */
  thaw(page) {
    const { outside, document } = this;
    outside.note(`${page.name} comes back`);
    outside.frozen.delete(page.name);
    outside.current = document.only = page.name;
    if (this.cuts && this.pick(2)) this.origin.cut(page);
    document.dispatchEvent(new Event("visibilitychange"));
    document.only = undefined;
  }
}

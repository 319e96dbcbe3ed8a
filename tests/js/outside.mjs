// The things that come to a page from outside, in an order by chance.

/** Milliseconds that do not pass. */
export const never = 1e9;

/** The page that this comes to, by its name. A lock is the browser's. */
const pageOf = (what) => (/ the lock$/.test(what) && !/gets the lock$/.test(what) ? undefined : /^p\d+/.exec(what)?.[0]);

/** Jobs of the outside, in any order; those of the same line in the order of that. */
export class Outside {
  #jobs = [];
  #timers = new Map();
  #names = 0;
  now = 0;
  log = [];
  /** How much of that had happened as the pages came to rest last. */
  settled = 0;
  /** The names of the pages that stand still, and of the page that something has just come to. */
  frozen = new Set();
  current = undefined;

  constructor(pick) {
    this.pick = pick;
  }

  later(what, line, action) {
    this.#jobs.push({ what, line, action });
  }

  /** The jobs that may be next. */
  get #first() {
    const first = this.#jobs.filter(({ line }, at) => this.#jobs.findIndex((other) => other.line === line) === at);
    return this.frozen.size ? first.filter(({ what }) => !this.frozen.has(pageOf(what))) : first;
  }

  /** The timers of the pages that do not stand still. */
  get #running() {
    return [...this.#timers].filter(([, { page }]) => !this.frozen.has(page));
  }

  get waits() {
    return this.frozen.size ? this.#first.length : this.#jobs.length;
  }

  /** A page that was left has yet to write: without locks, another page may read the store before. */
  get owes() {
    return this.#jobs.some(({ what }) => / (load|save)$/.test(what));
  }

  /** Whether this has yet to happen. */
  expects(what) {
    return this.#jobs.some((job) => job.what === what);
  }

  get timers() {
    return this.#running.length;
  }

  next() {
    const first = this.#first;
    const job = first[this.pick(first.length)];
    this.#jobs.splice(this.#jobs.indexOf(job), 1);
    this.note(job.what);
    this.current = pageOf(job.what);
    job.action();
  }

  /** The clock goes on to the next timer. */
  tick() {
    const [name, timer] = this.#running.reduce((a, b) => (b[1].at < a[1].at ? b : a));
    this.#timers.delete(name);
    this.now = Math.max(this.now, timer.at);
    this.note(`${this.now} ms`);
    this.current = timer.page;
    timer.action();
  }

  note(what) {
    this.log.push(what);
  }

  setTimeout = (action, ms = 0, ...args) => {
    const name = ++this.#names;
    if (ms === never) return name;
    this.#timers.set(name, { at: this.now + (Number(ms) || 0), page: this.current, action: () => action(...args) });
    return name;
  };

  clearTimeout = (name) => void this.#timers.delete(name);
}

/** A page that is left is hidden first: what is not saved yet is saved. All pages of a play share one document. */
export function hide(document) {
  const become = (visibilityState) => Object.defineProperty(document, "visibilityState", { value: visibilityState, configurable: true });
  become("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  become("visible");
}

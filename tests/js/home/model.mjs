// The home of a thread as a pure machine: no document, no WebAssembly. Pages say intents, a home applies them, a store has two
// texts, and everything may be lost between any two arrows. `bug` names a rule that is left out.
//
//   person ─► pending ─► home ─► record ─► store ─► effect ─► server, tool
//                         │  └─► patch ─► page
//                         └─────► thread text ─► store ─► the page forgets

/** The rules that a run can leave out, each with what it does then. */
export const bugs = {
  "1": "the queue begins before the pending intents are applied",
  "2": "an intent is forgotten when its patch has come",
  "3": "an effect leaves before the record is with the page",
  "4": "a record is applied to a thread text that has it already",
  "4-order": "the thread text is written before the record",
  "5-row": "a row of the queue is named by its place",
  "5-stop": "a stop ends whatever is on",
  "6": "an intent at which homes are lost is applied again and again",
  "9": "agents with different guards share a home",
  "10": "a server's pages share threads by their key",
  "12": "a call counts as executed before anybody has taken it",
  "15": "a refused intent is not taken",
};

/** Numbers from a seed. */
export function dice(seed) {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return { below: (n) => Math.floor(next() * n), chance: (p) => next() < p };
}

const numberOf = (id) => id.split(".");
const copy = (value) => structuredClone(value);

/** A home: the core in one piece. `world` counts what it does to the outside. */
class Home {
  constructor(world, page) {
    Object.assign(this, { world, page });
    this.state = { messages: [], queue: [], run: null, calls: {}, handled: [], taken: {} };
    // The log since the thread text, the number of saves, and the text that the record belongs to.
    Object.assign(this, { entries: [], at: 0, of: { log: page.log, at: 0 }, out: [], noted: "" });
  }

  /** Rule 1: restores, applies all that is pending, then begins. Rule 4: which record belongs to which text. */
  open(record, text, pending) {
    const { bug } = this.world;
    if (text) {
      Object.assign(this.state, copy(text.state));
      this.of = { log: text.log, at: text.at };
    }
    if (record) {
      const all = text ? text.log === record.log && text.at >= record.at && bug !== "4" : false;
      const differs = text ? text.log === record.of.log && text.at >= record.of.at : record.of.at === 0;
      if (!all && differs) {
        this.of = { ...record.of };
        this.replay(record, text && bug !== "4" ? text.at : -1);
      } else if (!all && text) {
        this.state.handled = [...new Set([...this.state.handled, ...record.handled])];
      }
    }
    this.at = Math.max(record?.at ?? 0, text?.at ?? 0) + 1;
    // A run of an earlier home is cut: whether it was sent is not known.
    if (this.state.run) this.end("truncated");
    this.restored = [...this.state.queue];
    if (bug === "1") this.begin();
    else this.opening = true;
    for (const intent of pending) this.apply(intent);
    for (const [id, stage] of Object.entries(this.state.calls)) if (stage === "executing") this.state.calls[id] = "left";
    this.opening = false;
    this.opened = true;
    this.begin();
    this.due = true;
  }

  replay(record, from) {
    const { state } = this;
    for (const entry of record.entries) {
      if (entry.at <= from) continue;
      this.entries.push({ ...entry });
      if (entry.message) state.messages.push(entry.message);
    }
    Object.assign(state, copy({ queue: record.queue, run: record.run, calls: { ...state.calls, ...record.calls }, taken: record.taken }));
    // A call that was given back is no longer counted, although an older text counts it.
    state.handled = [...new Set([...state.handled, ...record.handled])].filter((id) => state.calls[id] !== "nobody");
  }

  /** Applies an intent, once. Rule 15: refused is taken. */
  apply(intent) {
    const { state, world } = this;
    const [log, n] = numberOf(intent.id);
    if ((state.taken[log] ?? 0) >= Number(n)) return;
    if (intent.poison && !intent.skipped) {
      world.losses[intent.id] = (world.losses[intent.id] ?? 0) + 1;
      throw new Error("lost");
    }
    const refused = intent.kind === "submit" && intent.reject && (state.run || state.queue.length);
    if (refused) world.tell("refused", intent.id);
    // The page was told: it gives no later home the intent to apply, also where no record has it yet.
    if (refused && world.bug !== "15") intent.skipped = true;
    if (!refused || world.bug !== "15") state.taken[log] = Number(n);
    this.due = true;
    if (refused || intent.skipped) return;
    this[intent.kind](intent);
  }

  submit({ id }) {
    this.state.queue.push(id);
    this.begin();
  }

  note({ id }) {
    this.say(id);
  }

  cancel({ of, row }) {
    if (this.restored?.includes(of) && this.state.run === of && !this.opened) this.world.late = of;
    const { state, world } = this;
    const named = world.bug === "5-row" ? state.queue[row] : of;
    if (state.queue.includes(named)) {
      state.queue = state.queue.filter((id) => id !== named);
      world.tell("cancelled", named);
    }
  }

  stop({ run }) {
    if (this.state.run && (this.state.run === run || this.world.bug === "5-stop")) this.end("aborted");
    this.begin();
  }

  result({ call }) {
    if (this.state.calls[call] !== "executing") return;
    this.state.calls[call] = "done";
  }

  say(message) {
    this.state.messages.push(message);
    this.entries.push({ at: this.at, message });
  }

  begin() {
    const { state } = this;
    if (this.opening || state.run || !state.queue.length) return;
    state.run = state.queue.shift();
    this.say(state.run);
    this.send({ kind: "request", run: state.run });
  }

  end(outcome) {
    const { run } = this.state;
    this.state.run = null;
    this.due = true;
    this.out = this.out.filter((effect) => effect.run !== run);
    this.world.tell(outcome, run);
  }

  /** Rule 12: nobody takes the call, so it is not counted; the next agent's arrival begins it. */
  call(id) {
    const { state, world, page } = this;
    if (state.handled.includes(id)) return;
    if (!page.there && world.bug !== "12") {
      state.calls[id] = "nobody";
    } else {
      state.handled.push(id);
      state.calls[id] = page.there ? "executing" : "unasked";
      if (page.there) this.send({ kind: "execute", call: id });
    }
    this.due = true;
  }

  arrive() {
    for (const [id, stage] of Object.entries(this.state.calls)) if (stage === "nobody") this.call(id);
  }

  /** Rule 3: an effect that cannot be undone waits for a record that knows of it. */
  send(effect) {
    this.due = true;
    if (this.world.bug === "3") this.out.push({ ...effect, ready: true });
    else this.out.push({ ...effect, after: this.at });
  }

  record() {
    const { state } = this;
    const { queue, run, calls, handled, taken } = copy(state);
    this.due = false;
    const record = { log: this.page.log, at: this.at++, of: { ...this.of }, entries: copy(this.entries), queue, run, calls, handled, taken };
    return record;
  }

  text() {
    return { log: this.page.log, at: this.at++, state: copy(this.state) };
  }

  kept({ log, at }) {
    this.of = { log, at };
    this.entries = this.entries.filter((entry) => entry.at > at);
  }

  saved(at) {
    for (const effect of this.out) if (effect.after <= at) effect.ready = true;
  }

  idle() {
    return !this.state.run && !this.state.queue.length && !this.out.length && !this.due && !Object.values(this.state.calls).includes("executing");
  }
}

/** A page: its log, its messages, and where they are applied. */
class Page {
  constructor(world, log) {
    Object.assign(this, { world, log, n: 0, pending: [], home: null, there: true, view: { run: null, queue: [] }, writes: [], tools: [] });
  }

  say(intent) {
    this.pending.push({ id: `${this.log}.${++this.n}`, ...intent });
    return this.pending.at(-1);
  }

  /** Rule 6: the attempt is noted before; an intent at which a home was lost is left out of the next one. */
  guarded(home, act) {
    try {
      act();
      return true;
    } catch {
      this.lose();
      return false;
    }
  }

  lose() {
    this.home = null;
    this.writes = [];
    this.tools = [];
  }
}

/** The whole: two tabs of one store, a server, and what a person would notice. */
export class World {
  constructor(seed, bug) {
    Object.assign(this, { bug, dice: dice(seed), store: {}, sent: {}, executed: {}, told: {}, losses: {}, said: [], logs: 0, lock: 0 });
    // A store in which the record fits, and the thread does not.
    this.full = this.dice.chance(0.2);
    this.pages = [this.page(), this.page()];
  }

  page() {
    return new Page(this, `L${++this.logs}`);
  }

  tell(what, id) {
    (this.told[id] ??= []).push(what);
  }

  /** Each arrow: whether it can be taken, and what it does. */
  arrows() {
    const { dice } = this;
    return this.pages.flatMap((page, at) => {
      const { home } = page;
      const owns = this.lock === at;
      const say = (intent) => this.said.push({ ...page.say(intent), page });
      return [
        [!this.closing && page.n < 5, () => this.speak(page, say)],
        [owns && !home && (page.pending.length || dice.chance(0.3) || this.closing), () => this.open(page)],
        [home && this.waiting(page), () => this.deliver(page)],
        [home?.due, () => this.note(page)],
        [this.next(page) >= 0, () => this.write(page)],
        [home?.out.some(({ ready }) => ready), () => this.perform(page)],
        [home?.state.run && this.sent[home.state.run], () => this.answer(page)],
        [home, () => void (page.view = copy({ run: home.state.run, queue: home.state.queue, taken: home.state.taken }))],
        [home && this.bug === "2" && page.view.taken, () => this.forget(page, page.view.taken)],
        [
          home && !page.writes.length && (!home.due || this.bug === "4-order") && !(this.full && this.closing),
          () => page.writes.push({ text: home.text(), home }),
        ],
        [page.tools.length, () => page.pending.push({ id: `${page.log}.${++page.n}`, kind: "result", call: page.tools.shift() })],
        [!this.closing, () => this.there(page, !page.there)],
        [!this.closing && home && dice.chance(0.3), () => page.lose()],
        [!this.closing && dice.chance(0.15), () => this.reload(at)],
        [owns && !this.closing && (!home || (home.idle() && !page.writes.length && !this.waiting(page))), () => this.give(page)],
      ].filter(([can]) => can).map(([, act]) => act);
    });
  }

  speak(page, say) {
    const { dice } = this;
    const row = dice.below(2);
    const of = page.view.queue[row];
    const kinds = [
      () => say({ kind: "submit", reject: dice.chance(0.3), poison: dice.chance(0.1) }),
      () => say({ kind: "note" }),
      () => of && this.lock === this.pages.indexOf(page) && say({ kind: "cancel", of, row }),
      () => page.view.run && this.lock === this.pages.indexOf(page) && say({ kind: "stop", run: page.view.run }),
    ];
    kinds[dice.below(kinds.length)]();
  }

  waiting({ pending, home }) {
    return pending.some(({ id }) => {
      const [log, n] = numberOf(id);
      return (home.state.taken[log] ?? 0) < Number(n) && id !== home.noted;
    });
  }

  open(page) {
    const { record, text } = this.store;
    const home = new Home(this, page);
    this.skip(page);
    if (page.guarded(home, () => home.open(copy(record), copy(text), page.pending))) page.home = home;
  }

  /** The intents at which homes were lost are taken without being applied. */
  skip(page) {
    if (this.bug === "6") return;
    for (const intent of page.pending) if (this.losses[intent.id]) intent.skipped = true;
  }

  deliver(page) {
    const { home } = page;
    this.skip(page);
    for (const intent of page.pending) {
      const [log, n] = numberOf(intent.id);
      if ((home.state.taken[log] ?? 0) >= Number(n) || home.noted === intent.id) continue;
      home.noted = intent.id;
      page.guarded(home, () => home.apply(intent));
      return;
    }
  }

  note(page) {
    const { home } = page;
    page.writes.push({ record: home.record(), home });
  }

  /** Rule 4: the record goes first, and waits for no thread text. */
  next({ writes }) {
    const fits = ({ record }) => record || !this.full;
    return this.bug === "4-order" ? (writes.length && fits(writes[0]) ? 0 : -1) : writes.findIndex(fits);
  }

  /** A write is done. What was lost with the page is never written. */
  write(page) {
    const [{ record, text, home }] = page.writes.splice(this.next(page), 1);
    if (record) {
      this.store.record = record;
      home.saved(record.at);
    } else {
      this.store.text = text;
      home.kept(text);
      this.forget(page, text.state.taken);
    }
  }

  /** Rule 2: only the thread text lets an intent go. */
  forget(page, taken) {
    page.pending = page.pending.filter(({ id }) => (taken[numberOf(id)[0]] ?? 0) < Number(numberOf(id)[1]));
  }

  perform(page) {
    const { home } = page;
    const at = home.out.findIndex(({ ready }) => ready);
    const [effect] = home.out.splice(at, 1);
    const tally = effect.kind === "request" ? this.sent : this.executed;
    const id = effect.run ?? effect.call;
    tally[id] = (tally[id] ?? 0) + 1;
    if (effect.kind !== "execute") return;
    // Nobody is there any longer: the call goes back.
    if (page.there) page.tools.push(id);
    else this.decline(home, id);
  }

  decline(home, id) {
    this.executed[id]--;
    home.state.handled = home.state.handled.filter((call) => call !== id);
    home.state.calls[id] = "nobody";
    home.due = true;
  }

  answer(page) {
    const { home } = page;
    const { run } = home.state;
    if (this.dice.chance(0.5)) home.call(`${run}/call`);
    home.end("success");
    home.begin();
  }

  there(page, on) {
    page.there = on;
    if (on) page.home?.arrive();
  }

  reload(at) {
    const page = this.pages[at];
    for (const said of this.said) if (said.page === page) said.gone = true;
    this.pages[at] = this.page();
    if (this.lock === at) this.lock = this.dice.below(2);
  }

  give(page) {
    page.lose();
    this.lock = 1 - this.lock;
  }

  /** Plays a schedule, then lets everything come to rest, and says what is wrong. */
  play(steps = 40) {
    for (let i = 0; i < steps; i++) {
      const arrows = this.arrows();
      arrows[this.dice.below(arrows.length)]?.();
      const wrong = this.wrong();
      if (wrong) return wrong;
    }
    return this.rest();
  }

  rest() {
    this.closing = true;
    for (const page of this.pages) this.there(page, true);
    for (let turns = 0; turns < 2; turns++) {
      for (let i = 0;; i++) {
        if (i > 300) return "it never comes to rest";
        const page = this.pages[this.lock];
        if (!page.home) this.open(page);
        page.home?.arrive();
        const written = !page.writes.some(({ record }) => record) && (this.full || (!page.writes.length && !page.pending.length));
        if (page.home?.idle() && written && !this.waiting(page) && !page.tools.length) break;
        const arrows = this.arrows();
        arrows[this.dice.below(arrows.length)]?.();
        const wrong = this.wrong();
        if (wrong) return wrong;
      }
      const done = this.wrong() ?? this.finally(this.pages[this.lock]);
      if (done) return done;
      this.give(this.pages[this.lock]);
    }
    return undefined;
  }

  /** The invariants of every moment. */
  wrong() {
    for (const [id, times] of Object.entries(this.sent)) if (times > 1) return `${id} was sent twice`;
    for (const [id, times] of Object.entries(this.executed)) if (times > 1) return `${id} was executed twice`;
    for (const [id, times] of Object.entries(this.losses)) if (times > 2) return `homes are lost at ${id} without end`;
    if (this.late) return `${this.late} had begun before the cancel that waited`;
    for (const [id, told] of Object.entries(this.told)) {
      if (told.includes("aborted") && !this.said.some(({ kind, run }) => kind === "stop" && run === id)) return `${id} was ended by a stop of another run`;
      if (told.includes("cancelled") && !this.said.some(({ kind, of }) => kind === "cancel" && of === id))
        return `${id} was taken out by the cancel of another one`;
      if (told.includes("refused") && this.sent[id]) return `${id} was refused, and sent`;
    }
    return undefined;
  }

  /** The outcome of all messages of a page that is still there. */
  finally(page) {
    const { messages, calls } = page.home.state;
    const twice = messages.find((id, at) => messages.indexOf(id) !== at);
    if (twice) return `${twice} stands twice`;
    for (const { id, kind, page: of, gone } of this.said) {
      const told = this.told[id] ?? [];
      const ended = told.includes("refused") || told.includes("cancelled") || this.losses[id];
      if (told.includes("refused") && messages.includes(id)) return `${id} was refused, and stands there`;
      if ((kind === "submit" || kind === "note") && of === page && !gone && !ended && !messages.includes(id)) return `${id} is lost`;
    }
    const left = Object.entries(calls).find(([, stage]) => stage === "unasked" || stage === "nobody");
    if (left) return `${left[0]} counts as executed, and nobody was asked`;
    return undefined;
  }
}

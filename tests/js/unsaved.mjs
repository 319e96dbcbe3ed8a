// Agents without a store, played by chance from a seed: each has a thread of its own, and everything that comes from outside (the core,
// a worker, the server, files, the clock) comes in any order. Requests leave ahead of the core. What is typed stays while the page lives, nothing is sent
// or executed twice, and every promise settles. An application may save an agent itself and go on with another one.

import assert from "node:assert/strict";
import { random } from "./chance.mjs";
import { core, coreOf, uncaughtTraps } from "./cores.mjs";
import { load } from "./lib.mjs";
import { Origin } from "./origin.mjs";
import { joining } from "./origin-runs.mjs";
import { Outside } from "./outside.mjs";
import { People } from "./people.mjs";
import { Rewriters } from "./rewriters.mjs";
import { Senders } from "./senders.mjs";
import { SentEdits } from "./sent-edits.mjs";
import { localWorkers } from "./thread.mjs";
import { check } from "./unsaved-end.mjs";

const [{ createAgentWith }, { createWorkerAgentWith }] = await Promise.all(["agent/agent", "worker/agent"].map(load));
const [{ webSocket }, { eventSource }] = await Promise.all(["network/web-socket", "network/event-source"].map(load));
// They are there before a page asks for them.
await Promise.all(["remote-thread/index", "agent/channel", "network/channel"].map(load));

const { setTimeout: realTimeout, clearTimeout: realClear, fetch: realFetch } = globalThis;
const settle = async () => {
  for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
};

/** The words of an agent of that kind: their first one says what its server makes of them. */
const contentsOf = (kind) => {
  if (kind.rewrites || kind.connects) return ["say"];
  if (kind.asks) return ["say", "question", "question", "call"];
  if (kind.fills) return ["say", "fill", "fill", "call"];
  if (kind.steers) return ["say", "say", "call", "steer", "steer", "steer"];
  return ["say", "say", "call", "ask"];
};

class Play {
  threads = [];
  lives = [];
  names = 0;

  constructor(seed, kind, workers) {
    this.kind = kind;
    this.pick = random(seed);
    this.outside = new Outside(this.pick);
    this.contents = contentsOf(kind);
    this.spawn = () => (this.worker = workers.spawn());
    const { threads, lives } = this;
    const worker = () => this.worker;
    /** All agents are in one worker, whose core traps for one of them. */
    this.workerPage = {
      name: "all",
      get worker() {
        return worker();
      },
      set lost(on) {
        for (const { page } of lives) page.lost ||= on;
      },
    };
    this.workerCores = coreOf(this.workerPage, kind, this, true);
    // All files of a page are of one composer each, and go to all servers.
    const servers = {
      get reachable() {
        return threads.every(({ origin }) => origin.reachable);
      },
      get requests() {
        return threads.flatMap(({ origin }) => origin.requests);
      },
    };
    this.senders = kind.files && new Senders(this.pick, this.outside, servers);
  }

  /** A core, when it comes. */
  comes = (what, loads) => new Promise((resolve, reject) => this.outside.later(`${what} comes`, {}, () => loads().then(resolve, reject)));

  /** A worker's core, which may be refused. */
  workerCore = () =>
    this.comes("the core of the worker", () => {
      const refused = this.kind.losses === "deaths" && !this.reachable && this.pick(4) === 0;
      if (!refused) return this.workerCores();
      this.outside.note("the worker is refused its core");
      return Promise.reject(new Error("no network"));
    });

  /** The page's own fetch, by the address. */
  fetch = (url, init) => {
    const [, name] = /^http:\/\/host\/(\w+)/.exec(url);
    const life = this.lives.find((one) => one.page.name === name);
    return life.origin.fetch(life.page, this.kind.thread)(url, init);
  };

  here = () => this.lives.filter(({ gone }) => !gone);
  one = () => this.here()[this.pick(this.here().length || 1)];

  /** A thread begins, with a server of its own. */
  begin() {
    const { kind, pick, outside } = this;
    const origin = new Origin(outside, false, kind.resumes);
    origin.faulty = !!kind.faults;
    const promises = [];
    const thread = { origin, promises, edits: [], approved: [], people: new People({ ...kind, alone: true }, pick, outside, origin) };
    thread.rewriters = new Rewriters(pick, outside, origin, promises, kind);
    this.threads.push(thread);
    // Words that wait for a connection that is kept open were written before.
    if (!kind.thread && !kind.channel) origin.edits = new SentEdits(outside, thread);
    this.open(thread);
  }

  /** An agent of that thread is made, perhaps of what another one was saved as. */
  open(thread, restore) {
    const { kind, senders, outside } = this;
    const { origin } = thread;
    const page = origin.page(`p${++this.names}`);
    // As far as others know, it has the store.
    page.free.add(() => {});
    origin.owners.push(page);
    senders?.open(page);
    const life = { name: page.name, page, thread, origin, gone: false, late: false, agent: undefined, unmount: undefined, view: undefined };
    thread.life = life;
    this.lives.push(life);
    outside.note(`${life.name} opens ${restore ? "with a save" : ""}`);
    const options = { ...this.#options(life), ...(restore && { restore: this.#restored(life, restore) }) };
    const loads = () => this.comes(`the core of ${page.name}`, coreOf(page, kind, origin));
    const make = kind.worker
      ? (options) => createWorkerAgentWith(loads, this.spawn, undefined, options)
      : (options) => createAgentWith(loads, options, !!kind.views);
    if (!kind.views) life.agent = make(options);
    else this.#place(life, make, options);
    if (kind.views || this.pick(3)) this.mount(life);
  }

  /** The save, now or when it comes. */
  #restored(life, save) {
    if (this.pick(2)) return save;
    life.awaits = true;
    return this.comes(`the save of ${life.name}`, async () => {
      life.awaits = false;
      return save;
    });
  }

  #options(life) {
    const { kind, outside } = this;
    const { page, origin, name } = life;
    const count = { name: "count", description: "counts", parameters: {} };
    const execute = (_, { toolCallId }) => {
      if (page.dead) return new Promise(() => {});
      outside.note(`${name} executes ${toolCallId}`);
      origin.executed.push(toolCallId);
      return kind.slowTools ? this.comes(`the result of ${toolCallId}`, async () => "counted") : "counted";
    };
    const url = `http://host/${name}`;
    const joins = kind.resumes && joining(kind.resumes, kind.connects);
    const resume = kind.resumes && !kind.thread && joins.url ? { ...joins, url: (runId) => joins.url(runId).replace("http://host", url) } : joins;
    return {
      ...{ threadId: "t", notify: "sync" },
      ...(kind.channel ? { transport: this.#transport(page, origin) } : { url }),
      ...(kind.thread && {
        fetch: origin.fetch(page, kind.thread),
        thread: {
          send: kind.thread,
          steer: !!kind.steers,
          load: kind.connects ? "connect" : kind.hydrates ? "hydrate" : ({ before, signal }) => origin.stored(page, before, signal),
        },
      }),
      ...(kind.resumes && { resume, retry: { attempts: 8, perMinute: 1000, posts: true } }),
      tools: [{ ...count, execute }, { ...count, name: "ask", needsApproval: true, execute }, { ...count, name: "fill" }],
      onError: ({ code, message }) => {
        page.unopened ||= code === "thread";
        outside.note(`${name} error ${code} ${message}`);
      },
      onWarning: ({ code }) => outside.note(`${name} warning ${code}`),
    };
  }

  /** The transport whose connection is kept open. */
  #transport(page, origin) {
    const { kind } = this;
    if (!kind.source) return webSocket({ url: "ws://host/", WebSocket: origin.socket(page, kind.rough), keepOpen: true });
    const { PlayedSource: EventSource, post: fetch } = origin.source(page);
    return eventSource({ url: "http://host/events", submitUrl: "http://host/say", EventSource, fetch, keepOpen: true });
  }

  /** The agent is that of a component. */
  #place(life, make, options) {
    life.view = (this.views ??= this.kind.views(this.pick)).add(make, options);
    Object.defineProperty(life, "agent", { get: life.view.agent, configurable: true });
  }

  mount(life) {
    this.outside.note(`${life.name} is mounted`);
    const { agent } = life;
    life.unmount = life.view ? life.view.show() : agent.subscribe(() => {});
    this.follow(life, agent);
  }

  unmount(life) {
    this.outside.note(`${life.name} is unmounted`);
    life.unmount();
    life.unmount = undefined;
  }

  /** A component that was made anew has another agent, and with that another thread; the old one goes on unseen. */
  follow(life, agent) {
    if (!life.view || !agent || life.agent === agent) return;
    this.outside.note(`${life.name} has another agent`);
    const left = { ...life, thread: { ...life.thread }, unmount: undefined, view: undefined, agent, unseen: true, gone: true };
    left.thread.life = left;
    this.lives.push(left);
    this.threads.push(left.thread);
    for (const all of [left.thread.promises, left.thread.edits, left.thread.approved]) for (const one of all) one.life = left;
    const { kind, pick, outside } = this;
    const promises = [];
    Object.assign(life.thread, { promises, edits: [], approved: [], people: new People({ ...kind, alone: true }, pick, outside, life.origin) });
    life.thread.rewriters = new Rewriters(pick, outside, life.origin, promises, kind);
  }

  renew(life) {
    if (!life.unmount || !life.view) return;
    const { agent } = life;
    this.outside.note(`${life.name} has other ${life.view.change()}`);
    this.follow(life, agent);
  }

  submit(life) {
    const { kind, pick, outside, senders } = this;
    const id = `u${++this.names}`;
    const content = this.contents[pick(this.contents.length)];
    const ifBusy = content === "steer" ? content : kind.manners ? [undefined, undefined, "replace", "drop", "reject"][pick(5)] : undefined;
    outside.note(`${life.name} submits ${id} ${content} ${ifBusy ?? ""}`);
    const promise = { id, life, content, ifBusy, result: undefined };
    if (ifBusy === "replace") { for (const one of life.thread.promises) if (one.result === undefined) one.stopped = true; }
    life.thread.promises.push(promise);
    const words = senders
      ? { message: { id, role: "user", content: `${content} ${id}` }, parts: senders.parts(promise) }
      : { message: { id, role: "user", content } };
    const controller = kind.manners && pick(4) === 0 && new AbortController();
    if (controller) {
      outside.later(`${life.name} aborts ${id}`, {}, () => {
        if (promise.result === undefined) promise.stopped = true;
        controller.abort();
      });
    }
    life.agent.submit({ ...words, runId: `run ${id}`, ifBusy, ...(controller && { signal: controller.signal }) }).then(
      (result) => {
        promise.result = result.outcome;
        outside.note(`${life.name} ${id} ${result.outcome}`);
      },
      (error) => {
        promise.result = error;
        outside.note(`${life.name} ${id} refused: ${error.code} ${error.message}`);
      },
    );
  }

  edit(life) {
    const { kind, pick, outside } = this;
    const id = `e${++this.names}`;
    // An edit of messages would go with the answer that it stands after.
    const ofState = pick(3) === 0 || !!kind.rewrites;
    outside.note(`${life.name} ${ofState ? "sets" : "adds"} ${id}`);
    life.thread.edits.push({ id, life, ofState, at: outside.log.length });
    if (ofState) life.agent.setState((state) => ({ ...state, [id]: true }));
    else life.agent.setMessages((messages) => [...messages, { id, role: "user", content: id }]);
  }

  /** Says yes or no to a call. Says whether there was one. */
  approve(life) {
    const call = life.agent.getSnapshot().toolCalls.find(({ phase }) => phase === "awaiting-approval");
    if (!call) return false;
    const yes = this.pick(4) > 0;
    this.outside.note(`${life.name} ${yes ? "approves" : "denies"} ${call.id}`);
    life.thread.approved.push({ id: call.id, life, yes });
    if (yes) life.agent.approve(call.id);
    else life.agent.deny(call.id, "no");
    return true;
  }

  /** Takes a submit out of the queue, or changes it. */
  change(life) {
    const rows = life.agent.getSnapshot().queue.map(({ id, messages }) => ({
      id,
      said: life.thread.promises.find((promise) => promise.id === messages[0]?.id && !promise.files),
    }));
    const { id, said } = rows.filter((row) => row.said)[this.pick(rows.length || 1)] ?? {};
    if (!said) return;
    if (this.pick(2)) {
      const done = life.agent.cancelQueued(id);
      this.outside.note(`${life.name} takes out ${said.id}: ${done}`);
      if (done) said.out = { life, sent: life.origin.requests.length };
      return;
    }
    const name = `n${++this.names}`;
    const done = life.agent.editQueued(id, { message: { id: said.id, role: "user", content: said.content, name } });
    this.outside.note(`${life.name} names ${said.id} ${name}: ${done}`);
    said.edited ||= done;
    if (done) said.named = { life, name };
  }

  stop(life) {
    this.outside.note(`${life.name} stops`);
    life.page.stopped = true;
    this.#stopped(life);
    void life.agent.stop();
  }

  #stopped({ thread: { promises, approved, people } }) {
    for (const promise of promises) if (promise.result === undefined) promise.stopped = true;
    for (const given of [...approved, ...people.replies, ...people.results]) given.stopped = true;
  }

  die() {
    if (!this.worker || this.worker.dead) return;
    this.outside.note("the worker dies");
    for (const { page } of this.lives) page.lost = true;
    this.worker.crash("out of memory");
  }

  /** Asks for the answer again that was cut, or has failed. */
  again(life) {
    const { status, outcome, isLoading, messages } = life.agent.getSnapshot();
    if (isLoading || !messages.length || (status !== "error" && outcome !== "truncated")) return false;
    this.outside.note(`${life.name} retries`);
    life.origin.retries++;
    life.agent.retry({}).then(
      ({ outcome, runId }) => this.outside.note(`${life.name} has retried ${runId} ${outcome}`),
      ({ code, message }) => this.outside.note(`${life.name} retry refused ${code} ${message}`),
    );
    return true;
  }

  /** Calls this method, and looks at nothing that comes of it. */
  call(life, method) {
    this.outside.note(`${life.name} calls ${method}`);
    if (method === "load") life.page.unopened = false;
    // With nothing in progress that can be left, it is a stop.
    if (method === "disconnect") this.#stopped(life);
    life.agent[method]().then(
      () => this.outside.note(`${life.name} is done with ${method}`),
      ({ message }) => this.outside.note(`${life.name} fails to ${method}: ${message}`),
    );
  }

  /** The page is left; another one goes on with what the application has saved. */
  reload(life) {
    // Before its save has come, an agent cannot say all.
    if (life.awaits) return;
    const { senders, outside } = this;
    const { thread, page, agent } = life;
    senders?.leave(page, [life]);
    const save = JSON.parse(JSON.stringify(agent.save()));
    outside.note(`${life.name} is left with ${save.messages.map(({ id }) => id)} queue ${save.queue.map(({ messages }) => messages.map(({ id }) => id))}`);
    for (const promise of thread.promises) promise.left ||= promise.result === undefined;
    life.gone = true;
    page.die();
    // The rest of the page is of no use to anybody.
    this.open(thread, save);
    for (const given of [...thread.people.replies, ...thread.people.results, ...thread.approved]) given.left = true;
  }

  get steps() {
    const { kind, senders, pick } = this;
    const of = (times, on, step) => (on ? Array(times).fill(() => this.here().length && step(this.one())) : []);
    return [
      ...of(8, true, (life) => this.submit(life)),
      ...of(3, !kind.asks && !kind.fills, (life) => this.approve(life)),
      // A server that repeats its runs goes on with one that is stopped.
      ...of(1, !kind.connects, (life) => this.stop(life)),
      ...of(2, true, (life) => this.edit(life)),
      ...of(2, this.threads.length < (kind.threads ?? 2), () => this.begin()),
      ...of(2, true, (life) => (life.unmount ? kind.views || this.unmount(life) : this.mount(life))),
      ...of(4, kind.changes, (life) => this.change(life)),
      ...of(3, kind.losses === "traps", (life) => void ((kind.worker ? this.workerPage : life.page).calls = pick(20))),
      ...of(3, kind.losses === "deaths", () => this.die()),
      ...of(2, kind.channel, (life) => this.call(life, "connect")),
      ...of(3, kind.channel, (life) => life.origin.speak(`s${++this.names}`)),
      ...of(3, kind.resumes || kind.retries, (life) => life.origin.cut()),
      ...of(2, kind.retries || kind.losses, (life) => this.again(life)),
      ...of(2, kind.resumes && !kind.connects, (life) => {
        const { isLoading } = life.agent.getSnapshot();
        if (isLoading || life.left) this.call(life, (life.left = isLoading) ? "disconnect" : "attach");
      }),
      ...of(6, kind.asks, (life) => life.thread.people.reply(life)),
      ...of(6, kind.fills, (life) => life.thread.people.fill(life)),
      ...of(3, kind.rewrites, (life) => life.thread.rewriters.regenerate(life)),
      ...of(2, kind.rewrites, (life) => life.thread.rewriters.replace(life, `u${++this.names}`)),
      ...of(3, kind.resets, (life) => life.thread.rewriters.reset(life)),
      ...of(3, kind.forks, (life) => {
        life.thread.forked = true;
        life.thread.rewriters.fork(life, undefined, `run f${++this.names}`);
      }),
      ...of(1, kind.thread, (life) => this.call(life, ["load", "loadOlder"][pick(2)])),
      ...of(6, senders, (life) => senders.attach(life)),
      ...of(4, senders, (life) => senders.change(life)),
      ...of(1, senders, (life) => senders.takeBack(life, life.thread.promises)),
      ...of(1, senders, (life) => senders.renew(life.page, this.here(), life.thread.promises)),
      ...of(4, kind.views, (life) => this.renew(life)),
      ...of(3, kind.views, (life) => (life.unmount ? this.unmount(life) : this.mount(life))),
      ...of(2, kind.restores, (life) => this.reload(life)),
    ];
  }

  /** A person does what is left to do. Says whether there was something. */
  rest = (life) => {
    const { kind, senders } = this;
    const tries = (name, most, step) => (life[name] ??= 0) < most && ++life[name] && step();
    const snapshot = life.agent.getSnapshot();
    const { status, hasOlder } = snapshot.thread;
    if (status === "error" || hasOlder) return this.call(life, status === "error" ? "load" : "loadOlder"), true;
    return senders?.mend(life) || this.approve(life) || tries("tries", 8, () => this.again(life)) ||
      (!snapshot.isLoading && kind.asks && tries("replies", 30, () => life.thread.people.reply(life))) ||
      (kind.fills && tries("fills", 30, () => life.thread.people.fill(life))) ||
      // The run that was left to the server comes to its end first.
      (kind.resumes && !snapshot.isLoading && snapshot.queue.length > 0 && tries("joins", 5, () => (this.call(life, "attach"), true)));
  };

  async run() {
    const { pick, outside, kind } = this;
    this.begin();
    for (let n = 0; n < 40; n++) {
      const chance = pick(10);
      const { steps } = this;
      if (chance < 3) steps[pick(steps.length)]();
      else if (outside.waits && chance < 9) outside.next();
      else if (outside.timers && kind.late) outside.tick();
      await settle();
      outside.settled = outside.log.length;
    }
    // Everything comes, somebody looks, and then time passes.
    for (const life of this.here()) life.unmount || this.mount(life);
    for (const { view } of this.here()) view?.rest();
    await settle();
    this.reachable = true;
    for (const { origin } of this.threads) origin.reachable = true;
    for (let quiet = 0; quiet < 40;) {
      if (outside.log.length > 4000) throw new Error("the agents never come to rest");
      if (outside.waits) outside.next();
      else if (this.lives.some((life) => (!life.gone || life.unseen) && this.rest(life)));
      else if (outside.timers) outside.tick(), quiet++;
      else quiet = 40;
      await settle();
      outside.settled = outside.log.length;
    }
  }

  end() {
    const { lives, threads, kind, senders } = this;
    if (senders) {
      const all = threads.map(({ life }) => life.agent.getSnapshot());
      senders.check(lives, { messages: all.flatMap(({ messages }) => messages), queue: all.flatMap(({ queue }) => queue) });
    }
    for (const thread of threads) check(kind, thread, thread.life);
    for (const { origin } of threads) origin.edits?.check();
  }
}

/** Plays a seed. Throws what was broken, with all that happened. */
export async function play(seed, kind) {
  await core();
  const workers = await localWorkers(() => played.workerCore());
  const played = new Play(seed, kind, workers);
  const { outside, lives } = played;
  const [{ now }, { now: today }, { random: byChance }] = [performance, Date, Math];
  const documents = globalThis.document;
  Object.assign(globalThis, { setTimeout: outside.setTimeout, clearTimeout: outside.clearTimeout, fetch: played.fetch });
  // Where nothing is rendered, the core is loaded with the first run.
  if (!kind.views) globalThis.document = kind.bare ? undefined : new EventTarget();
  const uncaught = uncaughtTraps();
  performance.now = () => outside.now;
  Date.now = () => 1e12 + outside.now;
  Math.random = () => 0.5;
  try {
    await played.run();
    played.end();
    assert.deepEqual(uncaught.errors, [], "a worker ends of a trap that it could have reported");
  } catch (error) {
    error.message = `seed ${seed}, ${JSON.stringify(kind)}: ${error.message}\n${outside.log.join("\n")}`;
    throw error;
  } finally {
    played.senders?.end();
    uncaught.end();
    for (const { agent } of lives) agent?.dispose();
    played.views?.close();
    performance.now = now;
    [Date.now, Math.random] = [today, byChance];
    Object.assign(globalThis, { setTimeout: realTimeout, clearTimeout: realClear, fetch: realFetch, document: documents });
    if (documents === undefined) delete globalThis.document;
  }
}

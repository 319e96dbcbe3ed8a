// Pages with one store, played by chance from a seed: agents are made, used and left, and everything that comes from outside
// (what the store does, who gets the lock, what a page tells the others, what the server says, the clock) comes in any order.
// No message may get lost, or be missing in what a page shows first, and nothing is sent or executed twice. Agents may be those of
// components, which are mounted, hidden and made anew. The server may keep the thread: then a page opens it before it sends anything, and
// loads its older pages. One connection may be kept open for many runs. The agent may ask a person, who replies once, and a person may have a second thought.

import assert from "node:assert/strict";
import { random } from "./chance.mjs";
import { core, coreOf, uncaughtTraps } from "./cores.mjs";
import { Freezer } from "./freezer.mjs";
import { load } from "./lib.mjs";
import { Origin } from "./origin.mjs";
import { joining } from "./origin-runs.mjs";
import { hide, never, Outside } from "./outside.mjs";
import { People } from "./people.mjs";
import { Rewriters } from "./rewriters.mjs";
import { Senders } from "./senders.mjs";
import { SentEdits } from "./sent-edits.mjs";
import { check } from "./tabs-end.mjs";
import { localWorkers } from "./thread.mjs";

const [{ createAgentWith }, { createWorkerAgentWith }, { readStore }] = await Promise.all(["agent/agent", "worker/agent", "persistence/record"].map(load));
const [{ webSocket }, { eventSource }] = await Promise.all(["network/web-socket", "network/event-source"].map(load));
// They are there before a page asks for them.
await Promise.all(["remote-thread/index", "agent/channel", "network/channel"].map(load));

const { setTimeout: realTimeout, clearTimeout: realClear, BroadcastChannel: realChannel } = globalThis;
const settle = async () => {
  for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
};

/** Plays a seed. Throws what was broken, with all that happened. */
export async function play(seed, kind) {
  await core();
  const workers = await localWorkers(core);
  const pick = random(seed);
  const outside = new Outside(pick);
  const origin = new Origin(outside, kind.slow, kind.resumes);
  Object.assign(origin, { full: !!kind.full, cramped: !!kind.cramped, faulty: !!kind.faults });
  const pages = new Map();
  const promises = [];
  const edits = [];
  const approved = [];
  // Agents of other options have another thread, and what waits for a connection that is kept open was written before.
  if (!kind.thread && !kind.differ && !kind.channel) origin.edits = new SentEdits(outside, { edits, promises });
  const people = new People(kind, pick, outside, origin);
  const rewriters = new Rewriters(pick, outside, origin, promises, kind);
  const senders = kind.files && new Senders(pick, outside, origin);
  const lives = [];
  const navigators = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const [{ now }, { now: today }, { random: byChance }] = [performance, Date, Math];
  const documents = globalThis.document;
  const freezer = kind.freezes && new Freezer(pick, outside, origin, kind);
  const page = freezer?.document ?? (kind.views ? documents : new EventTarget());
  Object.assign(globalThis, { setTimeout: outside.setTimeout, clearTimeout: outside.clearTimeout, BroadcastChannel: origin.channel(pages), document: page });
  Object.defineProperty(globalThis, "navigator", { value: kind.alone ? {} : { locks: origin.locks(pages) }, configurable: true, writable: true });
  const uncaught = uncaughtTraps();
  performance.now = () => outside.now;
  Date.now = () => 1e12 + outside.now;
  Math.random = () => 0.5;

  /** The transport whose connection is kept open. */
  const transportOf = (page) => {
    if (!kind.source) return webSocket({ url: "ws://host/", WebSocket: origin.socket(page, kind.rough), keepOpen: true });
    const { PlayedSource: EventSource, post: fetch } = origin.source(page);
    return eventSource({ url: "http://host/events", submitUrl: "http://host/say", EventSource, fetch, keepOpen: true });
  };

  let names = 0;
  /** A page is opened, with one agent; or one more agent in a page that is. */
  const open = (page = origin.page(`p${++names}`)) => {
    pages.set(page.name, page);
    outside.current = page.name;
    if (senders && !page.composer) senders.open(page);
    const beside = lives.filter((other) => other.page === page);
    const name = [page.name, ...(beside.length ? [beside.length] : [])].join(".");
    // Agents of other options have a thread of their own, and the store in turn.
    const frameBytes = kind.differ && beside.length % 2 ? 1e6 : 1e7;
    const life = {
      name,
      page,
      frameBytes,
      gone: false,
      late: beside.some(({ late }) => late) || (!!kind.alone && outside.owes),
      agent: undefined,
      view: undefined,
      unmount: undefined,
    };
    const count = { name: "count", description: "counts", parameters: {} };
    const execute = (_, { toolCallId }) => {
      if (page.dead) return new Promise(() => {});
      outside.note(`${name} executes ${toolCallId}`);
      origin.executed.push(toolCallId);
      return "counted";
    };
    const options = {
      ...{
        threadId: "t",
        notify: "sync",
        limits: { frameBytes },
        persist: origin.store(page, kind),
      },
      ...(kind.channel
        ? { transport: transportOf(page) }
        : { url: "http://host/", fetch: origin.fetch(page, kind.thread) }),
      ...(kind.resumes && { resume: joining(kind.resumes, kind.connects), retry: { attempts: 100, perMinute: 1000, posts: true } }),
      ...(kind.thread &&
        {
          thread: {
            send: kind.thread,
            steer: !!kind.steers,
            load: kind.connects ? "connect" : kind.hydrates ? "hydrate" : ({ before, signal }) => origin.stored(page, before, signal),
          },
        }),
      // Once a request has not waited for its save, another page may send it again.
      saving: { waitMs: never, linger: kind.linger },
      tools: [{ ...count, execute }, { ...count, name: "ask", needsApproval: true, execute }, { ...count, name: "fill" }],
      onError: ({ code, message }) => {
        page.unopened ||= code === "thread";
        // It goes on without what is there, which is read again before it writes.
        life.refused ||= code === "restore" && !!kind.unread;
        life.late ||= !!life.refused;
        outside.note(`${name} error ${code} ${message}`);
      },
      onWarning: ({ code }) => {
        life.late ||= code === "not-restored";
        outside.note(`${name} warning ${code}`);
      },
    };
    page.core ??= coreOf(page, kind, origin);
    page.spawn ??= () => (page.worker = workers.spawn(coreOf(page, kind, origin, true)));
    const make = kind.worker
      ? (options) => createWorkerAgentWith(page.core, page.spawn, undefined, options)
      : (options) => createAgentWith(page.core, options, !!kind.together);
    outside.note(`${name} opens`);
    if (!kind.views) life.agent = make(options);
    else {
      life.view = (page.views ??= kind.views(pick)).add(make, options);
      Object.defineProperty(life, "agent", { get: life.view.agent });
    }
    if (kind.alone) outside.later(`${name} is looked at`, {}, () => life.gone || life.unmount || mount(life));
    else mount(life);
    lives.push(life);
    if (!kind.slow && !beside.length && !page.unread.size) looked(life);
  };
  const mount = (life) => {
    outside.note(`${life.name} is mounted`);
    life.unmount = life.view ? life.view.show() : life.agent.subscribe(() => {});
  };
  const unmount = (life) => {
    outside.note(`${life.name} is unmounted`);
    life.unmount();
    life.unmount = undefined;
  };
  /** The agents of a page have one store, and with that one thread, unless their options differ. */
  const together = (life) => lives.filter(({ page, frameBytes }) => page === life.page && frameBytes === life.frameBytes);
  const submit = (life, content) => {
    const id = `u${++names}`;
    outside.note(`${life.name} submits ${id} ${content}`);
    const promise = { id, life, content, result: undefined, left: false, rests: false };
    promises.push(promise);
    const ifBusy = content === "steer" ? content : undefined;
    const words = senders
      ? { message: { id, role: "user", content: `${content} ${id}` }, parts: senders.parts(promise) }
      : { message: { id, role: "user", content } };
    life.agent.submit({ ...words, runId: `run ${id}`, ifBusy }).then(
      (result) => {
        promise.result = result.outcome;
        promise.rests = life.page.unopened || (!!kind.together && !together(life).some(({ unmount, gone }) => unmount && !gone));
        outside.note(`${life.name} ${id} ${result.outcome}`);
      },
      (error) => {
        promise.result = error;
        outside.note(`${life.name} ${id} refused: ${error.code} ${error.message}`);
      },
    );
  };
  const edit = (life) => {
    const id = `e${++names}`;
    // An edit of messages would go with the answer that it stands after.
    const ofState = pick(3) === 0 || !!kind.rewrites;
    outside.note(`${life.name} ${ofState ? "sets" : "adds"} ${id}`);
    edits.push({ id, life, ofState, at: outside.log.length });
    if (ofState) life.agent.setState((state) => ({ ...state, [id]: true }));
    else life.agent.setMessages((messages) => [...messages, { id, role: "user", content: id }]);
  };
  const approve = (life) => {
    const call = life.agent.getSnapshot().toolCalls.find(({ phase }) => phase === "awaiting-approval");
    if (!call) return;
    outside.note(`${life.name} approves ${call.id}`);
    approved.push({ id: call.id, life, owned: origin.owners.lastIndexOf(life.page) });
    life.agent.approve(call.id);
  };
  /** One of the submits that wait in this page, while it has the store. One that a page has left there may have begun. */
  const waiting = (life) => {
    const { page } = life;
    if (!kind.alone && (origin.owners.at(-1) !== page || !page.free.size || outside.expects(`${page.name} frees the lock`))) return [];
    const rows = life.agent.getSnapshot().queue.map(({ id, messages }) => ({ id, said: promises.find((promise) => promise.id === messages[0]?.id) }));
    const row = rows.filter(({ said }) => said && (said.left || (said.life.page === page && said.result === undefined)))[pick(rows.length || 1)];
    return row ? [row] : [];
  };
  const takeOut = (life) => {
    for (const { id, said } of waiting(life)) {
      const done = life.agent.cancelQueued(id);
      outside.note(`${life.name} takes out ${said.id}: ${done}`);
      if (done && said.left) said.removed = true;
      else if (done) said.out = { life, sent: origin.requests.length };
    }
  };
  const change = (life) => {
    for (const { id, said } of waiting(life)) {
      const name = `n${++names}`;
      const done = life.agent.editQueued(id, { message: { id: said.id, role: "user", content: said.content, name } });
      outside.note(`${life.name} names ${said.id} ${name}: ${done}`);
      said.edited ||= done;
      if (done && !said.left) said.named = { life, name };
    }
  };
  const die = (page) => {
    if (!page.worker || page.worker.dead) return;
    outside.note(`the worker of ${page.name} dies`);
    page.lost = true;
    page.worker.crash("out of memory");
  };
  /** The component is made anew, or waits. */
  const renew = (life) => life?.unmount && outside.note(`${life.name} has other ${life.view.change()}`);
  /** Opens the thread once more, or pages back in it. */
  const ask = (life, method) => {
    outside.note(`${life.name} ${method}s`);
    if (method === "load") life.page.unopened = false;
    life.asks = true;
    life.agent[method]()
      .catch(({ message }) => outside.note(`${life.name} ${method} fails: ${message}`))
      .finally(() => (life.asks = false));
  };
  /** Asks for the answer again that was cut, or has failed. */
  const again = (life) => {
    const { status, outcome, isLoading, messages } = life.agent.getSnapshot();
    if (isLoading || !messages.length || (status !== "error" && outcome !== "truncated")) return false;
    outside.note(`${life.name} retries`);
    origin.retries++;
    life.agent.retry({}).then(
      ({ outcome, runId }) => outside.note(`${life.name} has retried ${runId} ${outcome}`),
      ({ code, message }) => outside.note(`${life.name} retry refused ${code} ${message}`),
    );
    return true;
  };
  const stop = (life) => {
    outside.note(`${life.name} stops`);
    life.page.stopped = true;
    const all = together(life);
    for (const promise of promises) if (all.includes(promise.life) && promise.result === undefined) promise.stopped = true;
    for (const given of [...approved, ...people.replies, ...people.results]) if (all.includes(given.life)) given.stopped = true;
    // Its run may have gone out with what another page was told.
    for (const sent of origin.replies) sent.stopped ||= sent.page === life.page;
    void life.agent.stop();
  };
  /** Listens without a message, or listens no longer. */
  const listen = (life, method) => {
    outside.note(`${life.name} ${method}s`);
    life.agent[method]().then(
      () => outside.note(`${life.name} has ${method}ed`),
      ({ message }) => outside.note(`${life.name} ${method} fails: ${message}`),
    );
  };
  const leave = (life, how) => {
    outside.note(`${life.name} ${how}`);
    const others = together(life).filter((other) => other !== life && !other.gone && (other.unmount || !kind.together || kind.worker));
    // The last one that somebody uses takes the thread along, and what nobody uses shows it.
    const ends = how !== "dispose" || !others.length;
    if (life.page.early && kind.inbox) kept(life.page);
    const left = how !== "dispose" ? lives.filter(({ page }) => page === life.page) : ends ? together(life) : [life];
    for (const one of left) one.gone = true;
    for (const promise of promises) if (ends && left.includes(promise.life) && promise.result === undefined) promise.left = true;
    if (how === "dispose") {
      for (const one of senders ? left : []) senders.aborts(one, promises);
      // One that was used a moment ago keeps the thread for a task. Without locks the next page opens after this one.
      for (const one of kind.alone ? left : [life]) one.agent.dispose();
      return;
    }
    if (how === "reload") {
      senders?.leave(life.page, left);
      if (freezer) freezer.hide(life.page);
      else hide(page);
    }
    life.page.die();
  };
  /** One of the pages that stand still comes back, or does not. */
  const comeBack = () => {
    const still = here().filter(({ page }) => outside.frozen.has(page.name));
    const life = still[pick(still.length || 1)];
    if (!life) return;
    // Whoever has tried in vain while that had the lock tries again.
    for (const other of here()) Object.assign(other, { tries: 0, replies: 0, fills: 0 });
    if (pick(4)) return freezer.thaw(life.page);
    outside.frozen.delete(life.page.name);
    leave(life, "crash");
  };

  /** The words of this page are in the inbox, although the code that writes stores has not come. */
  const kept = (page) => {
    const ids = Object.values(origin.inbox ?? {}).flatMap(([, queue]) => queue.flatMap(({ messages }) => messages.map(({ id }) => id)));
    for (const { id, life, result, stopped } of promises)
      if (life.page === page && result === undefined && !stopped) assert.ok(ids.includes(id), `${id} is in no letter`);
  };

  /** A page that is opened shows at once all that the store has. */
  const looked = ({ name, agent }) => {
    const { messages = [], queue = [] } = stored() ?? {};
    const shown = agent.getSnapshot();
    const ids = [...shown.messages, ...shown.queue.flatMap((row) => row.messages)].map(({ id }) => id);
    for (const { id } of [...messages, ...queue.flatMap((row) => row.messages)]) assert.ok(ids.includes(id), `${name} does not show ${id} at once`);
  };

  /** Somebody tries again what has failed, and pages back to the first message. Says whether there is something to do. */
  const askAll = (life) => {
    const { status, hasOlder } = life.agent.getSnapshot().thread;
    const method = status === "error" ? "load" : hasOlder && "loadOlder";
    // It may wait for a page that stands still.
    if (outside.frozen.size && life.asks) return false;
    if (method) ask(life, method);
    return !!method;
  };

  // Without locks, pages that are open at once know nothing of each other.
  const most = kind.pages ?? (kind.alone ? 1 : 3);
  const here = () => lives.filter(({ gone }) => !gone);
  const awake = () => here().filter(({ page }) => !outside.frozen.has(page.name));
  const one = () => {
    const all = awake();
    const life = all[pick(all.length)];
    outside.current = life?.page.name;
    return life;
  };
  /** Whether one of them has this to do. */
  const some = (step) => awake().some((life) => ((outside.current = life.page.name), step(life)));
  // A call of a server that repeats its runs has another number in each page.
  const contents = kind.rewrites || kind.connects
    ? ["say"]
    : kind.asks
    ? ["say", "question", "question", "call"]
    : kind.fills
    ? ["say", "fill", "fill", "call"]
    : kind.steers
    ? ["say", "say", "call", "steer", "steer", "steer"]
    : ["say", "say", "call", "ask"];
  const steps = [
    ...Array(8).fill(() => awake().length && submit(one(), contents[pick(contents.length)])),
    ...Array(3).fill(() => awake().length && approve(one())),
    // A server that repeats its runs goes on with one that is stopped.
    () => awake().length && !kind.connects && stop(one()),
    ...Array(2).fill(() => awake().length && edit(one())),
    () => here().length < most && open(),
    ...(kind.thread ? ["load", "load", "loadOlder"].map((method) => () => awake().length && ask(one(), method)) : []),
    ...(kind.together
      ? [
        ...Array(3).fill(() => awake().length && here().length < 5 && open(one().page)),
        ...Array(4).fill(() => {
          const life = one();
          if (life?.unmount) unmount(life);
          else if (life) mount(life);
        }),
      ]
      : []),
    ...(kind.changes ? [takeOut, change, takeOut, change].map((step) => () => awake().length && step(one())) : []),
    ...(kind.losses === "traps" ? Array(3).fill(() => awake().length && (one().page.calls = pick(20))) : []),
    ...(kind.losses === "deaths" ? Array(3).fill(() => awake().length && die(one().page)) : []),
    ...(kind.channel
      ? [
        ...Array(2).fill(() => awake().length && listen(one(), "connect")),
        ...Array(3).fill(() => origin.speak(`s${++names}`)),
      ]
      : []),
    ...(kind.resumes || kind.retries ? Array(3).fill(() => origin.cut()) : []),
    ...(kind.retries ? Array(3).fill(() => awake().length && again(one())) : []),
    ...(kind.asks ? Array(6).fill(() => awake().length && people.reply(one())) : []),
    ...(kind.fills ? Array(6).fill(() => awake().length && people.fill(one())) : []),
    ...(kind.rewrites
      ? [
        ...Array(3).fill(() => awake().length && rewriters.regenerate(one())),
        ...Array(2).fill(() => awake().length && rewriters.replace(one(), `u${++names}`)),
      ]
      : []),
    ...(kind.resets ? Array(3).fill(() => awake().length && rewriters.reset(one(), stored())) : []),
    ...(kind.forks ? Array(kind.anywhere ? 15 : 3).fill(() => awake().length && rewriters.fork(one(), stored(), `run f${++names}`)) : []),
    ...(senders
      ? [
        ...Array(6).fill(senders.attach),
        ...Array(4).fill(senders.change),
        (life) => senders.takeBack(life, promises),
        (life) => senders.renew(life.page, here(), promises),
      ].map((step) => () => awake().length && step.call(senders, one()))
      : []),
    ...(kind.views ? Array(4).fill(() => renew(one())) : []),
    ...(freezer ? [...Array(3).fill(() => awake().length && freezer.freeze(one().page)), comeBack, comeBack] : []),
    () => awake().length && leave(one(), ["reload", kind.views ? "reload" : "dispose", "crash"][pick(3)]),
  ];
  try {
    open();
    if (most > 1) open();
    for (let n = 0; n < 40; n++) {
      const chance = pick(10);
      if (chance < 2) steps[pick(steps.length)]();
      else if (outside.waits && chance < 9) outside.next();
      else if (outside.timers && kind.late) outside.tick();
      await settle();
      outside.settled = outside.log.length;
    }
    for (;;) {
      await rest();
      if (!outside.frozen.size) break;
      // Long after all others have come to rest.
      comeBack();
    }
    senders?.check(lives, stored());
    check({ kind, origin, promises, edits, approved, people, rewriters, lives }, stored());
    origin.edits?.check();
    assert.deepEqual(uncaught.errors, [], "a worker ends of a trap that it could have reported");
  } catch (error) {
    error.message = `seed ${seed}, ${JSON.stringify(kind)}: ${error.message}\n${outside.log.join("\n")}`;
    throw error;
  } finally {
    senders?.end();
    uncaught.end();
    for (const { agent } of lives) agent.dispose();
    for (const { views } of new Set(lives.map((life) => life.page))) views?.close();
    performance.now = now;
    [Date.now, Math.random] = [today, byChance];
    Object.assign(globalThis, { setTimeout: realTimeout, clearTimeout: realClear, BroadcastChannel: realChannel, document: documents });
    if (documents === undefined) delete globalThis.document;
    if (navigators) Object.defineProperty(globalThis, "navigator", navigators);
    else delete globalThis.navigator;
  }

  /** Everything comes, somebody looks, and then time passes. */
  async function rest() {
    if (!here().length) open();
    if (kind.together) { for (const life of awake()) if (!life.unmount) mount(life); }
    for (const { view } of here()) view?.rest();
    await settle();
    origin.reachable = true;
    for (let quiet = 0; quiet < 40;) {
      assert.ok(outside.log.length < 4000, "the pages never come to rest");
      if (outside.waits) outside.next();
      else if (some(askAll));
      else if (senders && some((life) => senders.mend(life)));
      else if (kind.retries && some((life) => (life.tries ??= 0) < 5 && ++life.tries && again(life)));
      else if (kind.asks && some((life) => !life.agent.getSnapshot().isLoading && (life.replies ??= 0) < 30 && ++life.replies && people.reply(life)));
      else if (kind.fills && some((life) => (life.fills ??= 0) < 30 && ++life.fills && people.fill(life)));
      else if (outside.timers) outside.tick(), quiet++;
      else quiet = 40;
      await settle();
      outside.settled = outside.log.length;
    }
  }

  function stored() {
    return kind.full || kind.records
      ? readStore({ load: () => origin.saved, record: { load: () => origin.record } }, { first: { messages: [], state: {} } })
      : origin.saved;
  }
}

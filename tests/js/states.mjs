// Pages with one store whose agent shares a state, played by chance from a seed: runs change it, applications edit it before, while and after,
// pages are left in the middle of a run and join it again, and the server tells a run from its beginning or from where it was read to.
// In the end the state has what each run has done to it, and each edit, once.

import assert from "node:assert/strict";
import { random } from "./chance.mjs";
import { carried, load } from "./lib.mjs";
import { Origin } from "./origin.mjs";
import { joining } from "./origin-runs.mjs";
import { hide, never, Outside } from "./outside.mjs";
import { localWorkers } from "./thread.mjs";

const [{ createAgentWith }, { createWorkerAgentWith }, { readStore }] = await Promise.all(["agent/agent", "worker/agent", "persistence/record"].map(load));
const core = await carried();

const { setTimeout: realTimeout, clearTimeout: realClear, BroadcastChannel: realChannel } = globalThis;
const settle = async () => {
  for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
};

/** The state of an agent that has done nothing. */
const initialState = () => ({ log: [], n: 0, marks: {} });

/** A server whose runs change the state that they are sent. */
class Server {
  /** The rows that the runs have added, by the names of the runs. */
  rows = new Map();
  /** The pages that have joined a run. */
  joins = [];

  constructor(pick, outside, origin) {
    Object.assign(this, { pick, outside, origin });
  }

  /** The events of a run that changes this state. */
  #events(run, state) {
    const { pick } = this;
    const messageId = `after ${run.runId}`;
    const rows = [];
    const ids = () => ({ id: `${run.runId}#${rows.push(rows.length)}` });
    const kinds = {
      whole: () => {
        state.log.push(ids());
        return { type: "STATE_SNAPSHOT", snapshot: structuredClone(state) };
      },
      last: () => {
        const row = ids();
        state.log.push(row);
        return { type: "STATE_DELTA", delta: [{ op: "add", path: "/log/-", value: structuredClone(row) }] };
      },
      first: () => {
        const row = ids();
        state.log.unshift(row);
        return { type: "STATE_DELTA", delta: [{ op: "add", path: "/log/0", value: structuredClone(row) }] };
      },
      count: () => ({ type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: ++state.n }] }),
      see: () => {
        const at = pick(state.log.length || 1);
        const row = state.log[at];
        if (!row) return kinds.count();
        row.seen = `${row.seen ?? ""}${row.id},`;
        return { type: "STATE_DELTA", delta: [{ op: "add", path: `/log/${at}/seen`, value: row.seen }] };
      },
    };
    const wheel = ["whole", "last", "last", "first", "count", "see", "see"];
    const changes = Array.from({ length: 1 + pick(5) }, () => kinds[wheel[pick(wheel.length)]]());
    const text = { type: "TEXT_MESSAGE_CHUNK", messageId, role: "assistant", delta: "Done" };
    this.rows.set(run.runId, rows.map((at) => `${run.runId}#${at + 1}`));
    return [{ type: "RUN_STARTED", ...run }, ...changes, text, { type: "RUN_FINISHED", ...run }];
  }

  fetch(page, resumes) {
    const { runs } = this.origin;
    return (url, { body, headers, signal }) => {
      if (page.dead) return new Promise(() => {});
      const joined = resumes && runs.find(url, headers);
      if (joined) {
        this.outside.note(`${page.name} joins ${joined[0]?.runId} from ${joined[1]}`);
        this.joins.push({ runId: joined[0]?.runId, page });
        return runs.listen(page, ...joined, signal);
      }
      const { threadId, runId, state } = JSON.parse(body);
      assert.ok(!runs.named(runId), `${runId} is sent twice`);
      this.outside.note(`${page.name} sends ${runId} ${JSON.stringify(state)}`);
      return runs.listen(page, runs.begin(runId, this.#events({ threadId, runId }, state).map((event) => [event])), 0, signal);
    };
  }
}

/** Plays a seed. Throws what was broken, with all that happened. */
export async function play(seed, kind) {
  await core();
  const workers = await localWorkers(core);
  const pick = random(seed);
  const outside = new Outside(pick);
  const origin = new Origin(outside, kind.slow, kind.resumes ?? "replay");
  origin.full = !!kind.full;
  const server = new Server(pick, outside, origin);
  const pages = new Map();
  const lives = [];
  const submits = [];
  const edits = [];
  const navigators = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const { now } = performance;
  const documents = globalThis.document;
  const page = new EventTarget();
  Object.assign(globalThis, { setTimeout: outside.setTimeout, clearTimeout: outside.clearTimeout, BroadcastChannel: origin.channel(pages), document: page });
  Object.defineProperty(globalThis, "navigator", { value: { locks: origin.locks(pages) }, configurable: true, writable: true });
  performance.now = () => outside.now;

  let names = 0;
  const open = () => {
    const page = origin.page(`p${++names}`);
    pages.set(page.name, page);
    const life = { name: page.name, page, gone: false, late: false };
    const options = {
      ...{ url: "http://host/", threadId: "t", notify: "sync", initialState: initialState() },
      ...{ fetch: server.fetch(page, kind.resumes), persist: origin.store(page, kind), saving: { waitMs: never } },
      ...(kind.resumes && { resume: joining(kind.resumes), retry: { attempts: 100, perMinute: 1000 } }),
      onError: ({ code, message }) => outside.note(`${life.name} error ${code} ${message}`),
      onWarning: ({ code, message }) => {
        life.late ||= code === "not-restored";
        outside.note(`${life.name} warning ${code} ${message}`);
      },
    };
    page.spawn ??= () => (page.worker = workers.spawn());
    outside.note(`${life.name} opens`);
    life.agent = kind.worker ? createWorkerAgentWith(core, page.spawn, undefined, options) : createAgentWith(core, options, false);
    life.agent.subscribe(() => {});
    lives.push(life);
  };
  const submit = (life) => {
    const id = `u${++names}`;
    outside.note(`${life.name} submits ${id}`);
    const said = { id, runId: `run ${id}`, life, result: undefined };
    submits.push(said);
    life.agent.submit({ message: { id, role: "user", content: id }, runId: said.runId }).then(
      ({ outcome }) => life.page.dead || outside.note(`${life.name} ${id} ${said.result = outcome}`),
      (error) => outside.note(`${life.name} ${id} refused ${said.result = error}`),
    );
  };
  /** The application changes the state. */
  const edit = (life) => {
    const id = `e${++names}`;
    const { agent } = life;
    const how = ["mark", "last", "first", "drop"][pick(4)];
    const row = how === "drop" && agent.getSnapshot().state.log[pick(agent.getSnapshot().state.log.length || 1)]?.id;
    if (how === "drop" && !row) return;
    outside.note(`${life.name} edits ${how} ${row || id} ${JSON.stringify(agent.getSnapshot().state)}`);
    // An element that a run has made is made anew in a replay.
    const told = submits.some(({ runId, result }) => result !== "success" && row && row.startsWith(`${runId}#`));
    edits.push({ id, life, how, row, told });
    agent.setState((state) => ({
      ...state,
      ...(how === "mark" && { marks: { ...state.marks, [id]: true } }),
      ...(how === "last" && { log: [...state.log, { id }] }),
      ...(how === "first" && { log: [{ id }, ...state.log] }),
      ...(how === "drop" && { log: state.log.filter((each) => each.id !== row) }),
    }));
    outside.note(`${life.name} shows ${JSON.stringify(agent.getSnapshot().state)}`);
  };
  const stop = (life) => {
    const { runId, isLoading } = life.agent.getSnapshot();
    outside.note(`${life.name} stops ${isLoading && runId}`);
    life.page.stopped = true;
    void life.agent.stop();
  };
  const leave = (life, how) => {
    outside.note(`${life.name} ${how}`);
    life.gone = true;
    if (how === "dispose") return life.agent.dispose();
    if (how === "reload") {
      hide(page);
      // The owner of a store that answers at once, and that nobody else wants, has saved all that it shows.
      const owns = origin.owners.at(-1) === life.page && life.page.free.size && !outside.expects(`${life.name} frees the lock`);
      const saves = !kind.slow && !kind.full && !kind.worker && owns && !here().length;
      if (saves) assert.deepEqual(stored()?.state ?? initialState(), life.agent.getSnapshot().state, `${life.name} is left, and the store lacks its state`);
    }
    life.page.die();
  };
  const die = ({ page }) => {
    if (!page.worker || page.worker.dead) return;
    outside.note(`the worker of ${page.name} dies`);
    page.lost = true;
    page.worker.crash("out of memory");
  };
  const stored = () => readStore({ load: () => origin.saved, record: { load: () => origin.record } }, { first: { messages: [], state: initialState() } });
  const here = () => lives.filter(({ gone }) => !gone);
  const one = (step) => () => here().length && step(here()[pick(here().length)]);
  const steps = [
    ...Array(6).fill(one(submit)),
    ...Array(8).fill(one(edit)),
    ...(kind.stops ? [one(stop)] : []),
    ...(kind.deaths ? Array(2).fill(one(die)) : []),
    ...Array(kind.resumes ? 3 : 1).fill(() => origin.cut()),
    () => here().length < (kind.pages ?? 2) && open(),
    one((life) => leave(life, ["reload", "dispose", "crash"][pick(3)])),
  ];
  try {
    open();
    for (let n = 0; n < 40; n++) {
      const chance = pick(10);
      if (chance < 3) steps[pick(steps.length)]();
      else if (outside.waits && chance < 9) outside.next();
      else if (outside.timers && kind.late) outside.tick();
      await settle();
    }
    if (!here().length) open();
    for (let quiet = 0; quiet < 40;) {
      assert.ok(outside.log.length < 4000, "the pages never come to rest");
      if (outside.waits) outside.next(), quiet = 0;
      else if (outside.timers) outside.tick(), quiet++;
      else quiet = 40;
      await settle();
    }
    check();
  } catch (error) {
    error.message = `seed ${seed}, ${JSON.stringify(kind)}: ${error.message}\n${outside.log.join("\n")}`;
    throw error;
  } finally {
    for (const { agent } of lives) agent.dispose();
    performance.now = now;
    Object.assign(globalThis, { setTimeout: realTimeout, clearTimeout: realClear, BroadcastChannel: realChannel, document: documents });
    if (documents === undefined) delete globalThis.document;
    if (navigators) Object.defineProperty(globalThis, "navigator", navigators);
    else delete globalThis.navigator;
  }

  function check() {
    const saved = stored()?.state ?? initialState();
    const dropped = new Set(edits.filter(({ row }) => row).map(({ row }) => row));
    const stays = ({ gone, late, page }) => !gone && !late && !page.lost;
    for (const [name, { log, marks }] of [["the store", saved], ...here().filter(stays).map(({ name, agent }) => [name, agent.getSnapshot().state])]) {
      outside.note(`${name}: ${JSON.stringify({ log, marks })}`);
      const ids = log.map(({ id }) => id);
      assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), [], `${name} has a row twice`);
      for (const { id, seen = "" } of log) assert.equal(seen.replaceAll(`${id},`, ""), "", `what is said of a row in ${name} is of another one`);
      // Each run that has come to its end has done all.
      for (const { runId, result, life } of submits) {
        const last = server.joins.findLast((join) => join.runId === runId);
        // A write that a slow store is asked for as the page goes may come to nothing.
        const ended = (result === "success" && !(kind.slow && life.page.dead)) || here().some(({ page }) => page === last?.page && !page.stopped && !page.lost);
        if (!ended || lives.some(({ late }) => late)) continue;
        for (const row of server.rows.get(runId) ?? []) assert.ok(ids.includes(row) || dropped.has(row), `${name} lacks ${row}`);
      }
      for (const { id, life, how, row, told } of edits) {
        if (!stays(life) || (told && kind.resumes === "replay")) continue;
        if (how === "mark") assert.ok(marks[id], `${name} lacks the edit ${id}`);
        else if (how !== "drop") assert.ok(ids.includes(id) || dropped.has(id), `${name} lacks the edit ${id}`);
        // A replay makes the state anew: an element that it has moved is another one.
        else if (kind.resumes !== "replay" || !server.joins.length) assert.ok(!ids.includes(row), `${row} was taken out by ${id}, and is in ${name}`);
      }
    }
  }
}

/**
 * Lives by chance of a page with a store: what is said, stopped and edited between reloads and moves to another tab, over answers that
 * come at once, slowly, after a tool of the page, or not to their end. `LIVES=100 LIVES_SEED=7` plays others.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { inputOf, serveFiles } from "./files.mjs";

const LIVES = Number(process.env.LIVES ?? 6);
const SEED = Number(process.env.LIVES_SEED ?? 1);
const later = (ms) => new Promise((done) => setTimeout(done, ms));

let server;
let browser;
/** The inputs of all requests, by thread. */
const requests = new Map();

/** Answers with sixty words, in the way that the first word of the user's last message names. */
async function answer(request, response) {
  const input = await inputOf(request);
  const { threadId, runId, messages } = input;
  requests.set(threadId, [...(requests.get(threadId) ?? []), input]);
  const say = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const [way] = messages.findLast(({ role }) => role === "user").content.split(" ");
  if (way === "late") await later(200);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  say({ type: "RUN_STARTED", threadId, runId });
  if (way === "count" && messages.at(-1).role !== "tool") {
    say({ type: "TOOL_CALL_START", toolCallId: `${runId}-call`, toolCallName: "count" });
    say({ type: "TOOL_CALL_ARGS", toolCallId: `${runId}-call`, delta: "{}" });
    say({ type: "TOOL_CALL_END", toolCallId: `${runId}-call` });
  } else {
    say({ type: "TEXT_MESSAGE_START", messageId: `${runId}-answer`, role: "assistant" });
    for (let word = 0; word < 60; word++) {
      if (way === "stream") await later(10);
      if (way === "cut" && word === 30) {
        // Its first half has left by then: Chromium asks again by itself where a connection brings nothing at all.
        await later(30);
        response.destroy();
      }
      if (response.destroyed) return;
      say({ type: "TEXT_MESSAGE_CONTENT", messageId: `${runId}-answer`, delta: ` word${word}` });
    }
    say({ type: "TEXT_MESSAGE_END", messageId: `${runId}-answer` });
  }
  say({ type: "RUN_FINISHED", threadId, runId });
  response.end();
}

before(async () => {
  server = await serveFiles(answer);
  browser = await openBrowser(process.env.ENGINE ?? "chromium", { width: 600, height: 400 });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Lives in a frame of this page, as chance will have it: runs there. */
async function live(options, seed, steps) {
  let chance = Math.imul(seed + 1, 2654435761) >>> 0 || 1;
  const below = (count) => {
    chance ^= chance << 13;
    chance ^= chance >>> 17;
    chance ^= chance << 5;
    chance >>>= 0;
    return chance % count;
  };
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const log = [];
  const note = (what) => log.push(`${Math.round(performance.now())} ${what}`);
  const outcomes = {};
  const said = [];
  let state = {};
  let frame = document.querySelector("iframe");
  document.querySelectorAll("iframe")[1].remove();

  const begin = async () => {
    while (!frame.contentWindow?.life || frame.contentWindow.life.agent) await wait(3);
    frame.contentWindow.life.start(options);
  };
  const snapshot = () => frame.contentWindow.life.agent.getSnapshot();
  const shown = () => [...snapshot().messages, ...snapshot().queue.flatMap((row) => row.messages)].filter(({ role }) => role === "user");
  /** Nothing that was said may be missing after a while. */
  const compare = async (what) => {
    for (let turn = 0; turn < 100 && shown().length < said.length; turn++) await wait(20);
    note(`${what}: ${shown().length} of ${said.length}`);
  };

  const acts = {
    submit() {
      const text = `${["quick", "stream", "count", "late", "cut"][below(5)]} ${said.length}`;
      note(text);
      said.push(text);
      const settled = (outcome) => {
        outcomes[text] = outcome;
        note(`${text}: ${outcome}`);
      };
      frame.contentWindow.life.agent.submit(text).then(({ outcome }) => settled(outcome), ({ message }) => settled(message));
    },
    stop: () => void frame.contentWindow.life.agent.stop(),
    retry() {
      if (snapshot().error?.retryable) frame.contentWindow.life.agent.retry().catch(({ message }) => note(message));
    },
    async edit() {
      // The first save needs the answer of the store and the lock.
      await frame.contentWindow.life.store.load();
      await wait(20);
      frame.contentWindow.life.agent.setState(state = { edit: log.length });
    },
    /** The database has much to do. */
    async busy() {
      if (!options.database) return;
      const opening = frame.contentWindow.indexedDB.open(options.database);
      const database = await new Promise((done) => (opening.onsuccess = () => done(opening.result)));
      for (let at = 0; at < 800; at++) {
        const transaction = database.transaction("agents", "readwrite");
        transaction.objectStore("agents").put(at, "other");
        transaction.commit();
      }
    },
    async reload() {
      const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
      frame.contentWindow.location.reload();
      await loaded;
      await begin();
      await compare("reloaded");
    },
    /** Another tab is opened, and this one closed. */
    async move() {
      const last = frame;
      frame = document.body.appendChild(document.createElement("iframe"));
      frame.src = "/index.html";
      await begin();
      await wait(below(100));
      last.remove();
      await compare("moved");
      // Its own calls wait for the store.
      await wait(200);
    },
    wait() {},
  };
  const names = [...Object.keys(acts), "submit", "submit", "reload"];

  await begin();
  for (let step = 0; step < steps; step++) {
    const name = names[below(names.length)];
    note(name);
    await acts[name]();
    await wait([0, 0, 3, 30, 200, 700][below(6)]);
  }
  // A queue waits for the user where an answer was cut.
  const rests = () => !snapshot().isLoading && (snapshot().status === "error" || !snapshot().queue.length);
  for (let calm = 0, turn = 0; calm < 20 && turn < 700; turn++) {
    calm = rests() ? calm + 1 : 0;
    await wait(20);
  }
  const { messages, state: last } = snapshot();
  const users = shown().map(({ content }) => content);
  return { log, said, outcomes, users, messages, states: [last, state], rests: rests(), counted: localStorage.getItem("counted") };
}

/** The faults of such a life. */
function faultsOf({ log, said, outcomes, users, messages, states, rests, counted }, inputs) {
  const faults = [];
  const did = (name) => log.filter((line) => line.endsWith(` ${name}`)).length;
  // A submit that is stopped before the core is there stands before those that wait.
  const inOrder = (texts) => (did("stop") ? texts.toSorted() : texts).join(", ");
  if (inOrder(users) !== inOrder(said)) faults.push(`said ${said}, shown ${users}`);
  if (JSON.stringify(states[0]) !== JSON.stringify(states[1])) faults.push(`the state is ${JSON.stringify(states[0])}, not ${JSON.stringify(states[1])}`);
  if (!rests) faults.push("is never at rest");
  const ids = inputs.map(({ runId }) => runId);
  if (new Set(ids).size < ids.length) faults.push("a run was sent twice");
  const calls = counted.split(" ").filter(Boolean);
  if (new Set(calls).size < calls.length) faults.push(`a call was executed twice: ${calls}`);
  const asked = inputs.filter(({ messages: sent }) => sent.at(-1).role === "user").map(({ messages: sent }) => sent.at(-1).content);
  for (const text of new Set(asked)) {
    const times = asked.filter((other) => other === text).length;
    if (times > 1 + did("retry")) faults.push(`${text} was asked ${times} times`);
  }
  for (const [text, outcome] of Object.entries(outcomes)) {
    const from = messages.findIndex(({ role, content }) => role === "user" && content === text);
    const rest = messages.slice(from + 1);
    const next = rest.findIndex(({ role }) => role === "user");
    const answers = next < 0 ? rest : rest.slice(0, next);
    if (outcome === "success" && !answers.some(({ content }) => content?.endsWith(" word59"))) faults.push(`${text} has no answer`);
  }
  return faults;
}

it(`nothing that was said is lost, sent twice or without its answer: LIVES_SEED=${SEED}`, async () => {
  for (let seed = SEED; seed < SEED + LIVES; seed++) {
    const persist = `life ${seed} ${Math.random()}`;
    const options = { url: "/agent", persist, database: seed % 3 ? "lives" : undefined, worker: seed % 4 === 1, threadId: persist, counts: true };
    await browser.goto(server.address("tabs.html"));
    await browser.waitFor(() => frames.length === 2 && frames[0].life && frames[1].life);
    await browser.evaluate(() => localStorage.setItem("counted", ""));
    const life = await browser.evaluate(live, options, seed, 10);
    assert.deepEqual(faultsOf(life, requests.get(persist) ?? []), [], `LIVES=1 LIVES_SEED=${seed}\n${life.log.join("\n")}`);
  }
});

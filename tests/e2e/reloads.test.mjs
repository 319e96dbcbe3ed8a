/**
 * A page that is left and comes back: at any moment of a run, with both stores, in the page and in a worker; and two of them
 * with one store. Two frames of a page are to each other what two tabs are: modules of their own over the same locks and stores.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { openBrowser } from "../webdriver/client.mjs";
import { inputOf, serveFiles } from "./files.mjs";

const engine = process.env.ENGINE ?? "chromium";
const MOMENTS = Number(process.env.MOMENTS ?? 13);
const words = Array.from({ length: 60 }, (_, n) => ` word${n}`);

let server;
let browser;
/** The bodies of all requests for an agent. */
let requests = [];
/** Answers that wait, by what was said. */
let held = [];
/** The code that writes stores waits for this. */
let saves;
/** The milliseconds between two words of an answer that streams. */
let pause = 25;

/** Streams words, calls the page's tool `count`, or says nothing until it is let go: as the last message of the user asks. */
async function answer(request, response) {
  const input = await inputOf(request);
  requests.push(input);
  const { threadId, runId, messages } = input;
  const say = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const last = messages.at(-1);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  say({ type: "RUN_STARTED", threadId, runId });
  const text = messages.findLast(({ role }) => role === "user").content;
  if (text.startsWith("hold")) await new Promise((go) => held.push(go));
  if (text.startsWith("count") && last.role !== "tool") {
    say({ type: "TOOL_CALL_START", toolCallId: `${runId}-call`, toolCallName: "count" });
    say({ type: "TOOL_CALL_ARGS", toolCallId: `${runId}-call`, delta: "{}" });
    say({ type: "TOOL_CALL_END", toolCallId: `${runId}-call` });
  } else {
    say({ type: "TEXT_MESSAGE_START", messageId: `${runId}-answer`, role: "assistant" });
    for (const delta of words) {
      if (text.startsWith("stream")) await new Promise((next) => setTimeout(next, pause));
      if (response.destroyed) return;
      say({ type: "TEXT_MESSAGE_CONTENT", messageId: `${runId}-answer`, delta });
    }
    say({ type: "TEXT_MESSAGE_END", messageId: `${runId}-answer` });
  }
  say({ type: "RUN_FINISHED", threadId, runId });
  response.end();
}

before(async () => {
  server = await serveFiles(answer, {}, (path) => path.endsWith("/persistence/saves.js") && saves);
  browser = await openBrowser(engine, { width: 600, height: 400 });
});
after(async () => {
  await browser?.close();
  server?.close();
});
afterEach(() => {
  saves = undefined;
  pause = 25;
  requests = [];
  for (const go of held.splice(0)) go();
});

const address = (path) => server.address(path);
const started = () => browser.waitFor(() => window.life !== undefined);

/** The end of the answer to the second question, once nothing is in progress and nothing waits: the page says that it is whole, or was cut. */
const became = () => {
  const { messages, queue, isLoading, outcome, error } = life.agent.getSnapshot();
  if (isLoading || queue.length) return false;
  if (messages[3]?.content.endsWith("word59")) return "whole";
  return (outcome === "truncated" || !!error) && "cut";
};
/** Asks for it again. Returns the outcome, and the ends of the texts that are shown then. */
const again = async () => {
  const { outcome } = await life.agent.retry();
  const { messages, queue, isLoading } = life.agent.getSnapshot();
  return [outcome, messages.map(({ content }) => content.slice(-6)), queue.length, isLoading];
};

describe("a reload in the middle of a run", () => {
  let key = 0;
  for (const database of [undefined, "reloads"]) {
    for (const worker of [false, true]) {
      const where = `${database ? "IndexedDB" : "localStorage"}, ${worker ? "in a worker" : "in the page"}`;
      it(`shows no less than a second before, and always what the user said: ${where}`, async () => {
        for (let n = 0; n < MOMENTS; n++) {
          const persist = `reload ${++key} ${Math.random()}`;
          const options = { url: "/agent", persist, database, worker, threadId: persist };
          // Most within the run, some after it, and some before the core can have taken what was said.
          const moment = Math.round(Math.random() * (n % 3 ? 1900 : 12));
          await browser.goto(address("index.html"));
          await started();
          await browser.evaluate(
            async (options, moment) => {
              // Chromium's driver runs a script again if the page is left before its answer is read.
              if (sessionStorage.getItem("begun") === options.persist) return;
              sessionStorage.setItem("begun", options.persist);
              life.start(options);
              await life.store.load();
              // The page has been used before: the store is there, and is the agent's.
              await life.agent.submit("hello");
              const since = performance.now();
              void life.agent.submit("stream");
              await new Promise((done) => setTimeout(done, moment));
              const before = life.shown.findLast(([at]) => at <= performance.now() - 1000 && at >= since);
              sessionStorage.setItem("before", before?.[1] ?? "");
              location.reload();
            },
            options,
            moment,
          );
          await browser.waitFor((moment) => window.life !== undefined && performance.now() >= 0 && life.agent === undefined, { args: [moment] });
          await browser.evaluate((options) => life.start(options), options);
          await browser.waitFor(() => life.agent.getSnapshot().messages.length > 0, { message: `${where}: nothing is left after ${moment} ms` });
          const [texts, seen] = await browser.evaluate(() => [
            // A submit that waits for the core stands in the queue.
            [life.agent.getSnapshot()].flatMap(({ messages, queue }) => [...messages, ...queue.flatMap((row) => row.messages)]).map(({ content }) => content),
            sessionStorage.getItem("before"),
          ]);
          assert.deepEqual([texts[0], texts[2]], ["hello", "stream"], `${where}, after ${moment} ms`);
          assert.ok((texts[3] ?? "").length >= seen.length, `${where}, after ${moment} ms: ${texts[3]} is less than ${seen}`);
          const was = await browser.waitFor(became, { message: `${where}, after ${moment} ms: what became of the answer` });
          const sent = requests.filter(({ threadId }) => threadId === persist).map(({ runId }) => runId);
          assert.equal(new Set(sent).size, sent.length, "nothing is sent twice");
          assert.ok(sent.length <= 2, `nothing is sent unasked: ${sent}`);
          // That it is asked for again takes no time.
          pause = 0;
          if (was !== "whole") {
            const now = await browser.evaluate(again);
            assert.deepEqual(now, ["success", ["hello", "word59", "stream", "word59"], 0, false], `${where}, after ${moment} ms, when it is asked for again`);
          }
          pause = 25;
        }
      });
    }
  }
});

describe("a page that is left before the code has come that writes its store", () => {
  for (const database of [undefined, "early"]) {
    for (const worker of [false, true]) {
      const where = `${database ? "IndexedDB" : "localStorage"}, ${worker ? "in a worker" : "in the page"}`;
      it(`has kept what was said, which is sent once: ${where}`, async () => {
        const persist = `early ${Math.random()}`;
        const options = { url: "/agent", persist, database, worker, threadId: persist };
        let arrive;
        saves = new Promise((resolve) => (arrive = resolve));
        const begin = async () => {
          await browser.goto(address("index.html"));
          await started();
          await browser.evaluate((options) => life.start(options), options);
        };
        await begin();
        await browser.evaluate(() => void life.agent.submit("hello"));
        const kept = await browser.evaluate(() => Object.values(life.store.inbox.load() ?? {}).map(([, [{ messages }]]) => messages[0].content));
        assert.deepEqual(kept, ["hello"], `${where}: it is not in the inbox`);
        await browser.goto(address("tabs.html"));
        assert.equal(requests.length, 0);
        arrive();
        await begin();
        const shown = () => {
          const { messages, status, queue } = life.agent.getSnapshot();
          return messages.length === 2 && status === "idle" && !queue.length && messages.map(({ content }) => content.slice(-6));
        };
        assert.deepEqual(await browser.waitFor(shown, { message: `${where}: it is not sent` }), ["hello", "word59"]);
        assert.deepEqual(requests.map(({ messages }) => messages.length), [1]);
      });
    }
  }
});

describe("a page that is left while IndexedDB is busy", () => {
  for (const worker of [false, true]) {
    // A browser gives up the transactions of a page that has gone which have not begun.
    it(`has what was said a moment before: ${worker ? "in a worker" : "in the page"}`, async () => {
      for (let n = 0; n < Math.min(MOMENTS, 4); n++) {
        const persist = `busy ${worker} ${n} ${Math.random()}`;
        const options = { url: "/agent", persist, database: "busy", worker, threadId: persist };
        await browser.goto(address("index.html"));
        await started();
        await browser.evaluate(async (options) => {
          if (sessionStorage.getItem("begun") === options.persist) return;
          sessionStorage.setItem("begun", options.persist);
          life.start(options);
          await life.store.load();
          await life.agent.submit("hello");
          const database = await new Promise((done) => (indexedDB.open("busy").onsuccess = ({ target }) => done(target.result)));
          for (let at = 0; at < 3000; at++) {
            const transaction = database.transaction("agents", "readwrite");
            transaction.objectStore("agents").put(at, "other");
            transaction.commit();
          }
          void life.agent.submit("next");
          await new Promise((done) => setTimeout(done));
          // An edit is saved a while later, or when the page is hidden.
          life.agent.setState({ edited: true });
          location.reload();
        }, options);
        await browser.waitFor(() => window.life !== undefined && life.agent === undefined);
        await browser.evaluate((options) => life.start(options), options);
        const said = () => {
          const { messages, queue } = life.agent.getSnapshot();
          return messages.length > 0 &&
            [...messages, ...queue.flatMap((row) => row.messages)].filter(({ role }) => role === "user").map(({ content }) => content);
        };
        assert.deepEqual(await browser.waitFor(said), ["hello", "next"]);
        assert.deepEqual(await browser.evaluate(() => life.agent.getSnapshot().state), { edited: true });
        const was = await browser.waitFor(became, { message: "what became of the answer" });
        if (was !== "whole") assert.deepEqual(await browser.evaluate(again), ["success", ["hello", "word59", "next", "word59"], 0, false]);
      }
    });
  }
});

describe("a page that is left in the task in which something is said", () => {
  for (const database of [undefined, "said"]) {
    for (const worker of [false, true]) {
      it(`has said it, and the next page has it, and sends it once: ${database ? "IndexedDB" : "localStorage"}, ${worker ? "in a worker" : "in the page"}`, async () => {
        for (let n = 0; n < Math.min(MOMENTS, 4); n++) {
          const persist = `said ${Math.random()}`;
          const options = { url: "/agent", persist, database, worker, threadId: persist };
          await browser.goto(address("index.html"));
          await started();
          await browser.evaluate((options) => {
            if (sessionStorage.getItem("begun") === options.persist) return;
            sessionStorage.setItem("begun", options.persist);
            life.start(options);
            void life.agent.submit("hello");
            location.reload();
          }, options);
          await browser.waitFor(() => window.life !== undefined && life.agent === undefined);
          await browser.evaluate((options) => life.start(options), options);
          const shown = () => {
            const { messages, status, queue, isLoading } = life.agent.getSnapshot();
            // A browser may refuse a page the core that is being left: then the message stands in the thread.
            if (messages.length === 1 && !isLoading && !queue.length && !life.again) life.again = life.agent.retry();
            return messages.length === 2 && status === "idle" && !queue.length && messages.map(({ content }) => content.slice(-6));
          };
          assert.deepEqual(await browser.waitFor(shown, { message: "it is not sent" }), ["hello", "word59"]);
          assert.equal(requests.filter(({ threadId }) => threadId === persist).length, 1);
          const empty = () => Object.keys(life.store.inbox.load() ?? {}).length === 0;
          await browser.waitFor(empty, { message: "it is still in the inbox" });
        }
      });
    }
  }
});

describe("a page that is left in the middle of a run while another submit waits", () => {
  const questions = (threadId) =>
    requests.filter((input) => input.threadId === threadId).map(({ messages }) => messages.findLast(({ role }) => role === "user").content);
  const options = [{}, { worker: true }, { persist: true }, { persist: true, database: "left" }];
  for (const [at, { persist, ...given }] of options.entries()) {
    const where = persist ? (given.database ? "IndexedDB" : "localStorage") : "no store";
    it(`sends nothing more, and asks again first for the answer that was cut: ${where}${given.worker ? ", in a worker" : ""}`, async () => {
      for (let n = 0; n < Math.min(MOMENTS, 4); n++) {
        const threadId = `left ${at} ${n} ${Math.random()}`;
        const life = { url: "/agent", threadId, ...given, ...(persist && { persist: threadId }) };
        await browser.goto(address("index.html"));
        await started();
        await browser.evaluate(async (options) => {
          window.life.start(options);
          void window.life.agent.submit("stream");
          void window.life.agent.submit("next");
        }, life);
        await browser.waitFor(() => window.life.agent.getSnapshot().messages[1]?.content.includes("word3"));
        const waits = async () => [await window.life.store.load(), await window.life.store.record.load()].some((kept) => kept?.queue?.length === 1);
        if (persist) await browser.waitFor(waits, { message: `${where}: the submit that waits is not in the store` });
        await browser.goto(address("tabs.html"));
        await new Promise((next) => setTimeout(next, 1500));
        assert.deepEqual(questions(threadId), ["stream"], where);
        if (!persist) continue;
        await browser.goto(address("index.html"));
        await started();
        await browser.evaluate((options) => window.life.start(options), life);
        await browser.waitFor(() => window.life.agent.getSnapshot().queue.length === 1, { message: `${where}: the queue is lost` });
        await browser.evaluate(() => void window.life.agent.retry());
        await browser.waitFor(() => window.life.agent.getSnapshot().messages.length === 4 && window.life.agent.getSnapshot().status === "idle");
        assert.deepEqual(questions(threadId), ["stream", "stream", "next"], where);
      }
    });
  }
});

describe("two tabs with one store", () => {
  const frames = async (options) => {
    await browser.goto(address("tabs.html"));
    await browser.waitFor(() => frames.length === 2 && frames[0].life && frames[1].life);
    if (options)
      await browser.evaluate((options) => [...document.querySelectorAll("iframe")].forEach(({ contentWindow }) => contentWindow.life.start(options)), options);
  };
  const shows = (frame, text) =>
    browser.waitFor((frame, text) => frames[frame].life.agent.getSnapshot().messages.some(({ content }) => content?.includes(text)), { args: [frame, text] });
  const queued = (text) => ({
    ...{ v: 1, threadId: "tabs", messages: [], state: {}, interrupts: [], handled: [], unsent: [] },
    queue: [{
      start: "submit",
      runId: "queued",
      messages: [{ id: "m", role: "user", content: text }],
      tools: [],
      context: [],
      forwardedProps: {},
      pageTools: [{ name: "count" }],
    }],
  });
  let place = 0;
  const seeded = async (text) => {
    const persist = `tabs ${++place} ${Math.random()}`;
    await frames();
    await browser.evaluate(
      (persist, saved) => {
        localStorage.setItem(persist, JSON.stringify(saved));
        localStorage.setItem("counted", "");
      },
      persist,
      queued(text),
    );
    return { url: "/agent", persist, threadId: "tabs", counts: true };
  };

  for (const worker of [false, true]) {
    const where = worker ? "in workers" : "in the page";
    it(`send a queued submit once, and both show its answer: ${where}`, async () => {
      const options = { ...(await seeded("stream")), worker };
      await frames(options);
      await shows(0, "word59");
      await shows(1, "word59");
      assert.deepEqual(requests.map(({ runId }) => runId), ["queued"]);
    });

    it(`execute a call once: ${where}`, async () => {
      const options = { ...(await seeded("count")), worker };
      await frames(options);
      await shows(0, "word59");
      await shows(1, "word59");
      assert.deepEqual(requests.map(({ runId }) => runId), ["queued", "queued-1"]);
      assert.equal(await browser.evaluate(() => localStorage.getItem("counted")), "queued-call ");
    });

    it(`take turns, and know what the other one did: ${where}`, async () => {
      const options = { url: "/agent", persist: `turns ${Math.random()}`, threadId: "tabs", worker };
      await frames(options);
      for (const [frame, text] of [[0, "one"], [1, "two"], [0, "three"]]) {
        const outcome = await browser.evaluate(async (frame, text) => (await frames[frame].life.agent.submit(text)).outcome, frame, text);
        assert.equal(outcome, "success");
      }
      assert.deepEqual(requests.map(({ messages }) => messages.filter(({ role }) => role === "user").length), [1, 2, 3]);
    });

    it(`go on when the other one is gone: ${where}`, async () => {
      const options = { url: "/agent", persist: `gone ${Math.random()}`, threadId: "tabs", worker };
      await frames();
      await browser.evaluate((options) => frames[0].life.start(options), options);
      await browser.evaluate(() => void frames[0].life.agent.submit("hold"));
      await browser.waitFor(() => frames[0].life.agent.getSnapshot().connection.phase === "open");
      await browser.evaluate((options) => frames[1].life.start(options), options);
      await shows(1, "hold");
      await browser.waitFor(() => frames[1].life.warnings.includes("not-owner"));
      await browser.evaluate(() => document.querySelector("iframe").remove());
      await browser.waitFor(() => frames[0].life.agent.getSnapshot().outcome === "truncated");
      assert.equal(requests.length, 1);
    });
  }
});

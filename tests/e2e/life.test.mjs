/**
 * The package in a page whose network fails: cut streams, expired tokens, stops, double clicks, reloads. The built package
 * is loaded as it is, without a bundler, in the browser that ENGINE names; `proxy.mjs` is the network. A wait between two
 * attempts is either none or one of weeks, so a test that ends has not waited.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startServer } from "../../www/server.mjs";
import { serveFile, sitePolicy } from "../../www/server/site.mjs";
import { openBrowser } from "../webdriver/client.mjs";
import { startProxy } from "./proxy.mjs";

const engine = process.env.ENGINE ?? "chromium";
const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const shot = (name) => folder(`../../.artifacts/screenshots/${engine}-life-${name}.png`);

const AT_ONCE = { baseMs: 0, minMs: 0, maxMs: 0 };
const IN_WEEKS = { baseMs: 2e9, maxMs: 2e9 }; // a random part of it: more than a minute but once in thirty thousand times
const JOIN = { by: "last-event-id" };

/** Lines that browsers log by themselves about requests that fail. */
const refused = /Failed to load resource|net::ERR_|NS_ERROR|network connection was lost|Load failed|status of (401|503)/;

const question = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, 十二位拳手 🦊🦊 and one more word.";
const answer = `You said: ${question}`;

let demo;
let proxy;
let browser;

before(async () => {
  const entry = folder("./page/strict.entry.js");
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
  demo = await startServer();
  proxy = await startProxy(demo.url, (request, response) => {
    if (request.url === "/strict.js") return response.writeHead(200, { "content-type": "text/javascript" }).end(outputFiles[0].text);
    const [root, path] = request.url.startsWith("/pkg/") ? ["../../pkg", request.url.slice(4)] : ["./page", request.url];
    return serveFile(folder(root), sitePolicy, { method: request.method, url: path }, response);
  });
  browser = await openBrowser(engine, { width: 900, height: 600 });
});
after(async () => {
  await browser?.close();
  await proxy?.close();
  await demo?.close();
});

/** Opens the page with an agent. */
async function open(options) {
  await browser.goto(`${proxy.url}/`);
  await start(options);
}

async function start(options) {
  await browser.waitFor(() => window.life !== undefined);
  await browser.evaluate((options) => life.start(options), { url: "/agent/echo?speed=0", ...options });
}

/** Writes a message and clicks. The driver of WebKitGTK cannot type what lies beyond U+FFFF. */
async function send(text = question) {
  await browser.evaluate((text) => void (document.getElementById("input").value = text), text);
  await browser.click("#send");
}

const messages = () => browser.evaluate(() => life.agent.getSnapshot().messages.map(({ content }) => content));
const shows = (text) => browser.waitFor((text) => document.getElementById("messages").textContent.includes(text), { args: [text] });
const phase = (wanted) => browser.waitFor((wanted) => document.getElementById("connection").value === wanted, { args: [wanted] });

/** Waits until the page has read all that the request of this number was given, breaks the connection, and gives the last id. */
async function cutWhenRead(number) {
  const request = await proxy.request(number);
  const { last, text } = await request.stalled;
  await browser.waitFor((text) => document.querySelector("#messages li:last-child")?.textContent === text, { args: [text] });
  request.cut();
  return last;
}

/** Waits until so many runs have ended, and gives how. */
async function ended(count = 1) {
  await browser.waitFor((count) => life.results.length >= count && !life.agent.getSnapshot().isLoading, { args: [count] });
  const { results, errors } = await browser.evaluate(() => ({ results: life.results, errors: life.errors }));
  assert.equal(results.length, count, "a run ends once");
  assert.deepEqual(errors, results.filter(({ error }) => error).map(({ error }) => error));
  return results.map(({ outcome }) => outcome);
}

/** Whether all requests were for one run. */
const oneRun = () => new Set(proxy.requests.map(({ runId }) => runId)).size === 1;

describe("a page and a network that fails", () => {
  beforeEach(async () => {
    proxy.plan();
    await browser.consoleErrors();
  });
  afterEach(async () => {
    const errors = await browser.consoleErrors();
    assert.deepEqual(errors.filter((error) => !refused.test(error)), [], "the console is clean");
  });

  it("an answer that is cut twice is joined, and every word is there once", async () => {
    await open({ resume: JOIN, retry: AT_ONCE });
    // A frame has some 130 bytes: they are cut in their ids, their JSON, their letters, and between.
    for (let more = 0; more < 150; more += 13) {
      await start({ resume: JOIN, retry: AT_ONCE });
      proxy.plan({ bytes: 1500 + more, then: "stall" }, { bytes: 700 + more, then: "stall", overlap: 3 }, { overlap: 1000 });
      await send();
      const first = await cutWhenRead(1);
      const second = await cutWhenRead(2);
      assert.deepEqual(await ended(), ["success"]);
      assert.deepEqual(await messages(), [question, answer]);
      assert.ok(oneRun());
      assert.deepEqual(proxy.requests.map(({ lastEventId }) => lastEventId), [undefined, first, second]);
      assert.ok(Number(second) > Number(first));
      assert.equal(proxy.most, 1);
    }
    await browser.screenshot(shot("joined"));
  });

  it("connections that break while they are read, and before they answer", async () => {
    await open({ resume: JOIN, retry: AT_ONCE });
    proxy.plan({ bytes: 1500, then: "stall" }, { drop: true }, { bytes: 400, then: "cut" }, { drop: true }, { bytes: 500, then: "cut" });
    await send();
    await cutWhenRead(1);
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.ok(oneRun());
  });

  it("a token that has expired is asked for again", async () => {
    await open({ tokens: ["old", "new"] });
    proxy.plan({ status: 401 });
    await send();
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.deepEqual(proxy.requests.map(({ authorization }) => authorization), ["Bearer old", "Bearer new"]);
    assert.ok(oneRun());
  });

  it("a token that expires in mid-answer", async () => {
    await open({ tokens: ["old", "expired", "new"], resume: JOIN, retry: AT_ONCE });
    proxy.plan({ bytes: 1500, then: "stall" }, { status: 401 });
    await send();
    await cutWhenRead(1);
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.deepEqual(proxy.requests.map(({ authorization }) => authorization), ["Bearer old", "Bearer expired", "Bearer new"]);
  });

  it("a token that is refused twice is an error, and a retry helps", async () => {
    await open({ tokens: ["old", "older", "new"] });
    proxy.plan({ status: 401 }, { status: 401 });
    await send();
    assert.deepEqual(await ended(), ["error"]);
    assert.deepEqual(await browser.evaluate(() => life.errors), ["auth"]);
    assert.equal(proxy.requests.length, 2);
    await browser.click("#retry");
    assert.deepEqual(await ended(2), ["error", "success"]);
    assert.deepEqual(await messages(), [question, answer]);
  });

  it("stop during the answer: the server sees the page go", async () => {
    await open({ resume: JOIN, retry: AT_ONCE });
    proxy.plan({ bytes: 1500, then: "stall" });
    await send();
    await shows("You said: Zwölf");
    await browser.click("#stop");
    assert.deepEqual(await ended(), ["aborted"]);
    await (await proxy.request(1)).left();
    const [, partial] = await messages();
    assert.ok(partial.startsWith("You said: Zwölf") && answer.startsWith(partial), partial);
    assert.equal(await browser.evaluate(() => life.agent.getSnapshot().status), "idle");
    await browser.screenshot(shot("stopped"));
    await send("next");
    assert.deepEqual(await ended(2), ["aborted", "success"]);
    assert.equal(proxy.requests.length, 2, "what was stopped is not joined");
  });

  it("stop while waiting for the next attempt", async () => {
    await open({ resume: JOIN, retry: IN_WEEKS });
    proxy.plan({ bytes: 1500, then: "stall" });
    await send();
    await cutWhenRead(1);
    await phase("reconnecting");
    await browser.click("#stop");
    assert.deepEqual(await ended(), ["aborted"]);
    await phase("closed");
    await browser.evaluate(() => dispatchEvent(new Event("online"))); // wakes nobody
    await send("next");
    assert.deepEqual(await ended(2), ["aborted", "success"]);
    assert.equal(proxy.requests.length, 2);
    assert.equal((await messages()).at(-1), "You said: next");
  });

  it("a page that is online again waits no longer", async () => {
    await open({ resume: JOIN, retry: IN_WEEKS });
    proxy.plan({ bytes: 1500, then: "stall" }, { status: 503 });
    await send();
    await cutWhenRead(1);
    for (const attempt of [1, 2]) {
      await browser.waitFor(
        (attempt) => {
          const { connection } = life.agent.getSnapshot();
          return connection.attempt === attempt && connection.retryAt !== undefined;
        },
        { args: [attempt] },
      );
      await browser.evaluate(() => dispatchEvent(new Event("online")));
    }
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.equal(proxy.requests.length, 3);
  });

  it("a page in a hidden tab goes on, and waits no longer when it is looked at again", async () => {
    const show = (visible) =>
      browser.evaluate((visible) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => !visible });
        Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (visible ? "visible" : "hidden") });
        // No frame is drawn in a tab that nobody sees.
        if (!visible) window.requestAnimationFrame = () => 0;
        document.dispatchEvent(new Event("visibilitychange"));
      }, visible);
    await open({ resume: JOIN, retry: IN_WEEKS });
    proxy.plan({ bytes: 600, then: "stall" });
    await send();
    await show(false);
    await cutWhenRead(1);
    await browser.waitFor(() => life.agent.getSnapshot().connection.retryAt !== undefined);
    await show(true);
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
  });

  // WebKitGTK's driver cannot do that; it has the test that follows.
  const offline = engine === "webkit" ? () => {} : it;
  offline("the browser is offline, and back: the run goes on", async () => {
    await open({ resume: JOIN, retry: IN_WEEKS });
    proxy.plan({ bytes: 1500, then: "stall" });
    await send();
    await shows("You said: Zwölf");
    assert.ok(await browser.offline(true), "the driver can");
    try {
      // An open page may outlive it in a test, though in no train.
      (await proxy.request(1)).cut();
      await browser.waitFor(() => !navigator.onLine && life.agent.getSnapshot().connection.retryAt !== undefined);
    } finally {
      await browser.offline(false);
    }
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.ok(oneRun());
  });

  it("a server that cannot be reached for a while", async () => {
    await open({ resume: JOIN, retry: { baseMs: 20, maxMs: 20, attempts: 10_000 } });
    proxy.plan({ bytes: 1500, then: "stall" });
    await send();
    await shows("You said: Zwölf");
    proxy.reachable(false);
    try {
      await proxy.request(4);
      assert.equal(await browser.evaluate(() => life.agent.getSnapshot().status), "running");
      await phase("reconnecting");
    } finally {
      proxy.reachable(true);
    }
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.ok(oneRun());
  });

  it("a connection on which nothing comes is given up, and the run joined", async () => {
    await open({ resume: JOIN, retry: { ...AT_ONCE, idleMs: 400 } });
    proxy.plan({ bytes: 1500, then: "stall" });
    await send();
    await (await proxy.request(1)).left();
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.ok(proxy.requests.length >= 2 && oneRun());
  });

  for (const by of ["replay", "snapshot", "prelude"]) {
    it(`a server that lets runs be joined by ${by}`, async () => {
      await open({ resume: { by }, retry: AT_ONCE });
      proxy.plan({ bytes: 1500, then: "stall" });
      await send();
      await cutWhenRead(1);
      assert.deepEqual(await ended(), ["success"]);
      assert.deepEqual(await messages(), [question, answer]);
      assert.deepEqual(proxy.requests.map(({ method, by }) => [method, by]), [["POST", undefined], ["GET", by]]);
      assert.ok(oneRun());
    });
  }

  it("two clicks are two answers, one after the other", async () => {
    await open();
    proxy.plan({ bytes: 500, then: "stall" });
    await send();
    await browser.click("#send");
    await browser.waitFor(() => life.agent.getSnapshot().queue.length === 1);
    (await proxy.request(1)).go();
    assert.deepEqual(await ended(2), ["success", "success"]);
    assert.deepEqual(await messages(), [question, answer, question, answer]);
    assert.deepEqual(proxy.requests.map(({ body }) => body.messages.length), [1, 3]);
    assert.equal(proxy.most, 1, "never two at once");
  });

  it("a reload in mid-answer: the thread is there, nothing is sent unasked, and a retry completes it", async () => {
    const options = { persist: "life", threadId: "kept" };
    await browser.goto(`${proxy.url}/`);
    await browser.evaluate(() => localStorage.clear());
    await start(options);
    await send("one");
    assert.deepEqual(await ended(), ["success"]);
    proxy.plan({ bytes: 1500, then: "stall" });
    await send();
    await shows("You said: Zwölf");
    await browser.reload();
    await (await proxy.request(1)).left();
    await start(options);
    await shows(question);
    const [one, said, asked, partial, ...rest] = await messages();
    assert.deepEqual([one, said, asked, rest], ["one", "You said: one", question, []]);
    assert.ok(answer.startsWith(partial ?? ""), partial);
    await browser.screenshot(shot("reloaded"));
    assert.equal(proxy.requests.length, 1);
    await browser.click("#retry");
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), ["one", "You said: one", question, answer]);
    assert.equal(proxy.requests.length, 2);
    assert.deepEqual(proxy.requests[1].body.messages.map(({ content }) => content), ["one", "You said: one", question]);
  });

  it("a reload in mid-answer, kept in IndexedDB: the run is joined where it was", async () => {
    // At once, Firefox would join the run from the page that goes.
    const options = { persist: "life", database: "life", threadId: "kept", resume: JOIN, retry: IN_WEEKS };
    await open(options);
    await browser.evaluate(() => life.store.clear());
    proxy.plan({ bytes: 1500, then: "stall" });
    await send();
    await shows("You said: Zwölf");
    // As when the user looks at another tab first: a store that takes its time is not waited for by a page that goes.
    await browser.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await browser.waitFor(async () => JSON.stringify(await life.store.load())?.includes("You said: Zwölf"));
    await browser.reload();
    await (await proxy.request(1)).left();
    await start({ ...options, autoAttach: false });
    await shows("You said: Zwölf");
    const [asked, partial] = await messages();
    assert.equal(asked, question);
    assert.ok(partial !== answer && answer.startsWith(partial), partial);
    assert.equal(proxy.requests.length, 1, "nothing is sent unasked");
    await browser.reload();
    // By itself, once more.
    await start(options);
    assert.deepEqual(await ended(), ["success"]);
    assert.deepEqual(await messages(), [question, answer]);
    assert.ok(Number(proxy.requests[1].lastEventId) > 1 && oneRun());
    const deliveries = await browser.evaluate(() => life.agent.getSnapshot().messages.map(({ delivery }) => delivery));
    assert.deepEqual(deliveries, ["complete", "complete"]);
  });

  it("what React takes away does not end the run", async () => {
    await browser.goto(`${proxy.url}/strict.html?away`);
    await browser.waitFor(() => document.getElementById("chat")?.dataset.status === "idle");
    proxy.plan({ bytes: 1500, then: "stall" });
    await browser.evaluate((text) => void agent.submit(text), question);
    await browser.waitFor(() => document.getElementById("chat").textContent.includes("You said: Zwölf"));
    await browser.click("#toggle");
    await browser.waitFor(() => document.getElementById("chat") === null);
    (await proxy.request(1)).go();
    await browser.waitFor(() => agent.getSnapshot().outcome === "success");
    await browser.click("#toggle");
    const rows = () => [...document.querySelectorAll("#chat li")].map((row) => row.textContent);
    assert.deepEqual(await browser.waitFor(`const rows = (${rows})(); return rows.length === 2 && rows;`), [question, answer]);
    assert.equal(proxy.requests.length, 1);
  });

  it("React's StrictMode mounts twice and asks once", async () => {
    const rows = (count) =>
      browser.waitFor(
        (count) =>
          document.getElementById("chat")?.dataset.status === "idle" &&
          document.querySelectorAll("li").length === count &&
          [...document.querySelectorAll("li")].map((row) => row.textContent),
        { args: [count] },
      );
    await browser.goto(`${proxy.url}/strict.html`);
    assert.deepEqual(await rows(2), ["Hello", "You said: Hello"]);
    assert.equal(await browser.evaluate(() => window.mounted), 2);
    await browser.click("#send");
    assert.deepEqual(await rows(4), ["Hello", "You said: Hello", "And again", "You said: And again"]);
    assert.equal(proxy.requests.length, 2);
    assert.equal(proxy.most, 1);
  });
});

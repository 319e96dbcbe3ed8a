// Announcements for a screen reader, over the real core.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { JSDOM } from "jsdom";
import { load, until } from "../lib.mjs";
import { call, createAgent, createStore, serve, skip, text, tool } from "../ai-sdk/server.mjs";

const { announcer } = await load("announcer/index");
const saved = createAgent({
  threadId: "t",
  url: "/",
  initialMessages: [{ id: "u", role: "user", content: "q" }, { id: "s", role: "assistant", content: "stored" }],
}).save();

describe("the announcer", { skip }, () => {
  beforeEach(() => void (globalThis.document = new JSDOM().window.document));

  const start = (options, more) => {
    const { requests, fetch } = serve();
    const agent = createAgent({ url: "https://agent.test/", fetch, notify: "sync", ...options });
    const end = announcer(agent, undefined, more);
    const region = document.body.lastElementChild;
    return { agent, requests, end, region, lines: () => [...region.children].map(({ textContent }) => textContent) };
  };
  const begun = async ({ agent, requests }, message = "go") => {
    const count = requests.length;
    const run = agent.submit(message);
    await until(() => requests.length > count);
    return { run, request: requests.at(-1) };
  };

  it("says that the agent answers, then the answer, once and whole", async () => {
    const page = start({ initialMessages: [{ id: "old", role: "assistant", content: "before" }] });
    const { run, request } = await begun(page);
    assert.deepEqual(page.lines(), ["Answering."]);
    request.begin(...text("a", "Hel", "lo").slice(0, 2));
    await until(() => page.agent.getSnapshot().messages.at(-1).content === "Hel");
    assert.deepEqual(page.lines(), ["Answering."]);
    request.end(...text("a", "Hel", "lo").slice(2), ...text("b", "and more"));
    await run;
    assert.deepEqual(page.lines(), ["Hello", "and more"]);
    assert.deepEqual([page.region.getAttribute("role"), page.region.getAttribute("aria-live")], ["log", "polite"]);
    page.end();
    assert.equal(document.body.childElementCount, 0);
  });

  it("says that a call needs approval, what the agent asks, and what has failed", async () => {
    const page = start({ tools: [tool({ name: "pay", description: "d", parameters: { type: "object" }, needsApproval: true, execute: () => "paid" })] });
    const first = await begun(page);
    first.request.answer(...call("c", "pay", {}, "a"));
    await first.run;
    assert.deepEqual(page.lines(), ["Approval needed: pay."]);
    const second = await begun(page);
    second.request.begin();
    second.request.send({
      type: "RUN_FINISHED",
      ...second.request.ids,
      outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", message: "Sure?" }] },
    });
    second.request.cut();
    await second.run;
    assert.deepEqual(page.lines().slice(1), ["Sure?"]);
    page.agent.resume({ i: {} });
    await until(() => page.requests.length === 3);
    page.requests[2].begin();
    page.requests[2].send({ type: "RUN_ERROR", message: "out of memory" });
    page.requests[2].cut();
    await until(() => page.agent.getSnapshot().status === "error");
    assert.match(page.lines().at(-1), /^Error: .*out of memory/);
  });

  it("says an answer, and a question, whose id comes again", async () => {
    const page = start({}, { words: { answering: "" } });
    const answered = async ({ run, request }, content) => {
      request.answer(...text("a", content));
      await run;
    };
    await answered(await begun(page), "one");
    const again = page.agent.regenerate();
    await until(() => page.requests.length === 2);
    await answered({ run: again, request: page.requests[1] }, "another");
    page.agent.reset();
    await answered(await begun(page), "first");
    const cut = await begun(page);
    cut.request.begin(...text("b", "ha").slice(0, 2));
    await until(() => page.agent.getSnapshot().messages.at(-1).content === "ha");
    cut.request.cut();
    await cut.run;
    const whole = page.agent.retry();
    await until(() => page.requests.length === 5);
    page.requests[4].answer(...text("b", "half"));
    await whole;
    assert.deepEqual(page.lines().filter((line) => !line.startsWith("Error")), ["one", "another", "first", "ha", "half"]);
    for (const [count, message] of [[5, "Sure?"], [6, "Quite?"]]) {
      const run = count === 5 ? page.agent.submit("go") : page.agent.resume({ i: {} });
      await until(() => page.requests.length === count + 1);
      const request = page.requests[count];
      request.begin();
      request.send({ type: "RUN_FINISHED", ...request.ids, outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", message }] } });
      request.cut();
      await run;
    }
    assert.deepEqual(page.lines().slice(-2), ["Sure?", "Quite?"]);
    page.end();
  });

  it("reads no thread that is loaded, and what is said after it", async () => {
    const stored = [{ id: "u", role: "user", content: "q" }, { id: "s", role: "assistant", content: "stored" }];
    const older = [{ id: "o", role: "assistant", content: "older" }];
    const loader = async ({ before }) => (before === undefined ? { messages: stored, older: true } : { messages: older });
    for (const options of [{ thread: { load: loader } }, { persist: createStore({ load: async () => saved, save: () => {}, clear: () => {} }) }]) {
      const page = start({ threadId: "t", ...options }, { words: { answering: "" } });
      await until(() => page.agent.getSnapshot().messages.length === 2);
      await page.agent.ready;
      await page.agent.loadOlder();
      assert.deepEqual(page.lines(), []);
      const { run, request } = await begun(page);
      request.answer(...text("a", "new"));
      await run;
      assert.deepEqual(page.lines(), ["new"]);
      page.end();
      page.agent.dispose();
    }
  });

  it("has the words and the number of lines that it is given", async () => {
    const page = start({}, { lines: 2, words: { answering: "", answer: ({ content }) => content.toUpperCase() } });
    const { run, request } = await begun(page);
    assert.deepEqual(page.lines(), []);
    request.answer(...text("a", "one"), ...text("b", "two"), ...text("c", "three"));
    await run;
    assert.deepEqual(page.lines(), ["TWO", "THREE"]);
  });

  it("leaves an element that it was given where it is", async () => {
    const agent = createAgent({ url: "https://agent.test/", fetch: serve().fetch });
    document.body.innerHTML = `<div role="log"></div>`;
    announcer(agent, document.body.firstElementChild)();
    assert.equal(document.body.childElementCount, 1);
  });
});

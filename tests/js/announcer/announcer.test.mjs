// Announcements for a screen reader, over the real core.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { JSDOM } from "jsdom";
import { load, until } from "../lib.mjs";
import { call, createAgent, serve, skip, text, tool } from "../ai-sdk/server.mjs";

const { announcer } = await load("announcer/index");

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
    second.request.send({ type: "RUN_FINISHED", ...second.request.ids, outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", message: "Sure?" }] } });
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

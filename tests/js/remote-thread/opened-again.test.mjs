// A stored thread and a save of the page: what is shown first, and what becomes of what was typed while the thread was opened.

import assert from "node:assert/strict";
import { it } from "node:test";
import { load, until } from "../lib.mjs";
import { create, createServer, ids, said, user } from "./server.mjs";

const { createStore } = await load("persistence/stores");
const stored = [user("u1"), said("a1"), user("u2"), said("a2")];

/** A store in memory, for pages one after the other. */
function createPages() {
  let text;
  return () => createStore({ key: "pages", load: async () => text && JSON.parse(text), save: async (saved) => void (text = JSON.stringify(saved)), clear: async () => void (text = undefined) });
}

it("the save is shown at once, and the server's answer wins message by message", async () => {
  const store = createPages();
  const first = create({ persist: store(), initialMessages: [user("u1"), said("a1", "old")] });
  await first.submit({ message: { id: "q", content: "q" } });
  first.dispose();
  const seen = [];
  const agent = create({ persist: store(), thread: { load: async () => ({ messages: [user("u1"), said("a1", "new"), user("q"), said("q-answer", "answer to q")] }) } });
  agent.subscribe(() => seen.push(agent.getSnapshot()));
  await agent.ready;
  assert.ok(seen.some(({ thread, messages }) => thread.status === "loading" && messages.length === 4), "the save was shown");
  assert.deepEqual(agent.getSnapshot().messages.map(({ id, content }) => [id, content]), [["u1", "u1"], ["a1", "new"], ["q", "q"], ["q-answer", "answer to q"]]);
  agent.dispose();
});

it("what was typed while the thread was opened is there after a reload, and is sent once", async () => {
  const store = createPages();
  const server = createServer();
  const resume = { by: "run-url", url: (runId) => `http://agent/runs/${runId}` };
  const first = create({ persist: store(), resume, thread: { load: () => new Promise(() => {}) } }, server);
  void first.submit({ message: { id: "q", content: "q" } }).catch(() => {});
  await until(() => first.getSnapshot().queue.length === 1);
  assert.equal(first.save().queue.length, 1);
  // The page is left: nothing settles.
  const text = JSON.stringify(first.save());
  assert.equal(server.requests.length, 0);
  first.dispose();
  assert.match(text, /"content":"q"/);
  const agent = create({ persist: store(), resume, thread: { load: async () => ({ messages: stored }) } }, server);
  const seen = [];
  agent.subscribe(() => seen.push(agent.getSnapshot().error));
  await agent.ready;
  await until(() => !agent.getSnapshot().isLoading && agent.getSnapshot().queue.length === 0 && server.requests.length === 1);
  assert.equal(agent.getSnapshot().error, undefined);
  assert.equal(ids(agent).filter((id) => id === "q").length, 1);
  assert.deepEqual(server.requests.map(({ url }) => url), ["http://agent/run"], "no run is joined that there never was");
  assert.deepEqual(seen.filter(Boolean), []);
  agent.dispose();
});

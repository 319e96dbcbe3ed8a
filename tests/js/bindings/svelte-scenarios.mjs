// Bundled with Svelte's client by svelte.test.mjs, which compiles the components.

import { createAgentWith } from "ag-ui-wasm/agent";
import { useAgent } from "ag-ui-wasm/svelte";
import { createStore } from "ag-ui-wasm/slim";
import { createThreads } from "ag-ui-wasm/threads";
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { flushSync, mount, unmount } from "svelte";
import { get } from "svelte/store";
import { Session } from "./bundled-core.mjs";
import App from "./components/App.svelte";
import Chat from "./components/Chat.svelte";
import Follow from "./components/Follow.svelte";
import Keyed from "./components/Keyed.svelte";
import Store from "./components/Store.svelte";
import Thread from "./components/Thread.svelte";
import Threads from "./components/Threads.svelte";
import { remounts } from "./svelte-remounts.mjs";

const create = (options) => createAgentWith(async () => ({ CoreSession: Session }), { url: "/agent", notify: "sync", ...options });

function counted(agent) {
  let count = 0;
  const subscribe = (listener) => {
    const off = agent.subscribe(listener);
    count++;
    return () => (count--, off());
  };
  return { ...agent, subscribe, listening: () => count };
}

function show(component, props) {
  const target = document.createElement("div");
  const shown = mount(component, { target, props });
  flushSync();
  return { text: () => (flushSync(), target.textContent.trim().replace(/\s+/g, " ")), target, unmount: () => unmount(shown) };
}

async function until(condition) {
  while (!condition()) await new Promise(setImmediate);
}

async function opened() {
  await until(() => Session.last);
  return Session.last;
}

const turn = () => new Promise(setImmediate);

export function suite() {
  describe("Svelte 5", () => {
    beforeEach(() => {
      Session.all = [];
    });

    it("renders what streams, and stops listening with the component", async () => {
      const agent = counted(create());
      const { text, unmount } = show(Chat, { target: agent });
      assert.equal(text(), "idle 0:");
      const result = agent.submit("hello");
      const session = await opened();
      await turn();
      session.say("Hel", "lo");
      assert.equal(text(), "running 2: [hello][Hello]");
      assert.equal(agent.listening(), 1);
      session.finish();
      assert.equal((await result).outcome, "success");
      assert.equal(text(), "idle 2: [hello][Hello]");
      await unmount();
      await turn();
      assert.equal(agent.listening(), 0);
      assert.ok(!session.disposed);
    });

    it("has the agent's methods, and works outside of components", async () => {
      const agent = create({ threadId: "t" });
      const chat = useAgent(agent);
      assert.equal(chat.agent, agent);
      assert.equal(chat.threadId, "t");
      const { submit, stop } = chat;
      const result = submit("a");
      await opened();
      assert.equal(chat.status, "running");
      await stop();
      assert.equal((await result).outcome, "aborted");
      assert.equal(chat.events, agent.events);
    });

    it("follows the thread of its options", async () => {
      const { text, target, unmount } = show(Thread);
      assert.equal(text(), "thread a: 0");
      target.querySelector("button.add").click();
      assert.equal(text(), "thread a: 1");
      target.querySelector("button.next").click();
      assert.equal(text(), "thread b: 0");
      target.querySelector("button.add").click();
      assert.equal(text(), "thread b: 1");
      await unmount();
    });

    it("gives an agent to the components below", async () => {
      const agent = counted(create());
      const { text, unmount } = show(App, { target: agent });
      assert.equal(text(), "{} idle 0:");
      agent.setState({ n: 1 });
      agent.submit("hello");
      await opened();
      assert.equal(text(), `{"n":1} running 1: [hello]`);
      assert.equal(agent.listening(), 1);
      await unmount();
      await turn();
      assert.equal(agent.listening(), 0);
      assert.throws(() => show(Chat, {}), { name: "AgentError", message: /setAgent/ });
    });

    it("keeps options fresh", async () => {
      const requests = [];
      let name = "one";
      const chat = useAgent(() => {
        const mine = name;
        return {
          url: "http://host/agent",
          threadId: "1",
          fetch: async () => (requests.push(mine), new Response("no", { status: 500 })),
        };
      });
      const { agent } = chat;
      name = "two";
      void chat.submit("a");
      while (!requests.length) await turn();
      assert.deepEqual(requests, ["two"]);
      assert.equal(chat.agent, agent);
      chat.dispose();
    });

    it("as a store follows the agent that a function of options makes", async () => {
      const { text, target, unmount } = show(Follow);
      assert.equal(text(), "a 0");
      target.querySelector("button.add").click();
      assert.equal(text(), "a 1");
      target.querySelector("button.next").click();
      assert.equal(text(), "b 0");
      target.querySelector("button.add").click();
      assert.equal(text(), "b 1");
      await unmount();
    });

    it("takes a function of agents, and is a string where one is asked for", () => {
      const agent = create({ threadId: "t" });
      const chat = useAgent(() => agent);
      assert.equal(chat.agent, agent);
      assert.equal(chat.threadId, "t");
      assert.equal(String(chat), "[object Object]");
    });

    it("keeps the store contract", async () => {
      const agent = counted(create());
      const chat = useAgent(agent);
      assert.equal(get(chat), agent.getSnapshot());
      const seen = [];
      const off = chat.subscribe((snapshot) => seen.push(snapshot.state));
      agent.setState(1);
      off();
      agent.setState(2);
      assert.deepEqual(seen, [{}, 1]);
      assert.equal(agent.listening(), 0);

      const { text, unmount } = show(Store, { target: agent });
      agent.setState(3);
      assert.equal(text(), "3");
      await unmount();
      assert.equal(agent.listening(), 0);
    });

    it("with a store, a component that {#key} makes anew in a run has that run, whatever waits in it", async () => {
      let saved;
      let chat;
      const persist = createStore({ load: () => saved, save: (next) => void (saved = next), clear: () => {} });
      const options = { url: "/agent", notify: "sync", persist, saving: { linger: 0 } };
      const mounted = (given) => createAgentWith(async () => ({ CoreSession: Session }), given, true);
      const { text, target, unmount } = show(Keyed, { create: mounted, options, take: (made) => (chat = made) });
      const anew = async () => {
        const before = chat;
        target.querySelector("button").click();
        flushSync();
        await new Promise((done) => setTimeout(done, 5));
        assert.notEqual(chat, before);
      };
      const results = [chat.submit("1")];
      const session = await opened();
      await anew();
      assert.equal(text(), "running: 1");
      session.say("so far");
      session.patch(["=", ["toolCalls"], [{ id: "c", name: "pay", args: {}, argsText: "{}", status: "running", phase: "awaiting-approval", messageId: "a" }]]);
      session.changed(true);
      results.push(chat.submit("2"));
      await anew();
      assert.equal(text(), "running: 1 | so far");
      chat.approve("c");
      assert.deepEqual(session.calls.filter(([name]) => name === "approve").map(([, { toolCallId }]) => toolCallId), ["c"]);
      session.finish();
      await anew();
      session.finish();
      assert.deepEqual((await Promise.all(results)).map(({ outcome }) => outcome), ["success", "success"]);
      assert.deepEqual([Session.all.length, session.calls.filter(([name]) => name === "submit").length], [1, 2]);
      await unmount();
    });

    it("renders a list of threads, which it begins to load", async () => {
      const list = createThreads({ list: async () => ({ threads: [{ threadId: "1", title: "Rome" }] }), rename: async () => {} });
      const { text, unmount } = show(Threads, { list });
      while (list.getSnapshot().status !== "ready") await turn();
      assert.equal(text(), "ready: Rome");
      void list.rename("1", "Kyiv");
      assert.equal(text(), "ready: Kyiv", "before the server has answered");
      await unmount();
    });

    remounts(show, until);
  });
}

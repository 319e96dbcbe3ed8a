// Bundled once with React 18 and once with React 19 by react.test.mjs.

import { createAgentWith } from "ag-ui-wasm/agent";
import { AgentProvider, useAgent, useAgentSelector } from "ag-ui-wasm/react";
import { createStore } from "ag-ui-wasm/slim";
import { createThreads } from "ag-ui-wasm/threads";
import { useThreads } from "ag-ui-wasm/threads/react";
import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, it, mock } from "node:test";
import { act, createElement as h, startTransition, StrictMode, Suspense, useEffect, useInsertionEffect, useLayoutEffect, useState, version } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { Session } from "./bundled-core.mjs";
import { remounts } from "./react-remounts.mjs";

const create = (options) => createAgentWith(async () => ({ CoreSession: Session }), { url: "/agent", notify: "sync", ...options });

async function until(condition) {
  for (const deadline = Date.now() + 10_000; !condition(); await new Promise((done) => setImmediate(done))) assert.ok(Date.now() < deadline, String(condition));
}

/** The agent, with a count of its listeners. */
function counted(agent) {
  let count = 0;
  const subscribe = (listener) => {
    const off = agent.subscribe(listener);
    count++;
    return () => (count--, off());
  };
  return { ...agent, subscribe, listening: () => count };
}

async function mount(element) {
  const container = document.createElement("div");
  const root = createRoot(container);
  const render = (next) => act(async () => root.render(h(StrictMode, null, next)));
  await render(element);
  return { container, render, unmount: () => act(async () => root.unmount()) };
}

export function suite(major, closePage) {
  describe(`React ${major}`, () => {
    after(closePage);
    let errors;
    beforeEach(() => {
      Session.all = [];
      errors = mock.method(console, "error", () => {});
    });
    afterEach(() => {
      const told = errors.mock.calls.map((call) => call.arguments.map(String).join(" "));
      errors.mock.restore();
      assert.deepEqual(told, []);
    });

    it("is the version meant", () => assert.ok(version.startsWith(`${major}.`)));

    it("renders what streams, and what it returns is bound", async () => {
      const agent = counted(create());
      let chat;
      const Chat = () => {
        chat = useAgent(agent);
        return h("p", null, `${chat.status}: ${chat.messages.map(({ content }) => content).join(" | ")}`);
      };
      const { container, unmount } = await mount(h(Chat));
      assert.equal(container.textContent, "idle: ");
      assert.equal(chat.agent, agent);
      const { submit, stop } = chat;
      let result;
      await act(async () => void (result = submit("hello")));
      assert.equal(container.textContent, "running: hello");
      assert.equal(chat.submit, submit);
      await act(async () => Session.last.say("Hel", "lo"));
      assert.equal(container.textContent, "running: hello | Hello");
      await act(async () => stop());
      assert.equal((await result).outcome, "aborted");
      assert.equal(container.textContent, "idle: hello | Hello");
      assert.equal(agent.listening(), 1);
      await unmount();
      assert.equal(agent.listening(), 0);
      assert.equal(Session.all.length, 1);
      assert.equal(Session.last.calls.filter(([name]) => name === "submit").length, 1);
      assert.ok(!Session.last.disposed);
    });

    it("renders a list of threads, which it begins to load", async () => {
      const list = createThreads({ list: async () => ({ threads: [{ threadId: "1", title: "Rome" }] }), rename: async () => {} });
      let shown;
      const Sidebar = () => {
        shown = useThreads(list);
        return h("p", null, `${shown.status}: ${shown.threads.map(({ title }) => title).join(" ")}`);
      };
      assert.equal(renderToString(h(Sidebar)), "<p>new: </p>");
      const { container, unmount } = await mount(h(Sidebar));
      await act(() => until(() => list.getSnapshot().status === "ready"));
      assert.equal(container.textContent, "ready: Rome");
      await act(async () => void shown.rename("1", "Kyiv"));
      assert.equal(container.textContent, "ready: Kyiv");
      await unmount();
    });

    it("does not stop a run when it unmounts", async () => {
      const agent = create();
      const { unmount } = await mount(h(() => useAgent(agent).status));
      let result;
      await act(async () => void (result = agent.submit("a")));
      await unmount();
      assert.equal(agent.getSnapshot().status, "running");
      Session.last.finish();
      assert.equal((await result).outcome, "success");
    });

    remounts(mount, until);

    it("makes one agent of options, for as long as url and threadId stay", async () => {
      const agents = new Set();
      const Chat = (options) => {
        const { agent, threadId } = useAgent(options);
        agents.add(agent);
        return threadId;
      };
      const { container, render, unmount } = await mount(h(Chat, { url: "/a", threadId: "1" }));
      assert.equal(container.textContent, "1");
      const first = agents.size;
      await render(h(Chat, { url: "/a", threadId: "1", headers: { a: "b" }, onError: () => {} }));
      assert.equal(agents.size, first);
      await render(h(Chat, { url: "/a", threadId: "2" }));
      assert.equal(container.textContent, "2");
      const second = agents.size;
      assert.ok(second > first);
      await render(h(Chat, { url: new URL("http://host/b"), threadId: "2" }));
      const third = agents.size;
      assert.ok(third > second);
      await render(h(Chat, { url: "http://host/b", threadId: "2" }));
      assert.equal(agents.size, third);
      await render(h(Chat, { url: () => "/c", threadId: "2" }));
      const fourth = agents.size;
      await render(h(Chat, { url: () => "/d", threadId: "2" }));
      assert.equal(agents.size, fourth);
      await unmount();
    });

    it("follows another agent", async () => {
      const [one, two] = [create({ threadId: "1" }), counted(create({ threadId: "2" }))];
      const Chat = ({ agent }) => useAgent(agent).threadId;
      const { container, render, unmount } = await mount(h(Chat, { agent: one }));
      assert.equal(container.textContent, "1");
      await render(h(Chat, { agent: two }));
      assert.equal(container.textContent, "2");
      assert.equal(two.listening(), 1);
      await render(h(Chat, { agent: one }));
      assert.equal(two.listening(), 0);
      await unmount();
    });

    it("keeps options fresh, and lets go of those that are left out", async () => {
      const requests = [];
      const asked = (name) => async () => {
        requests.push(name);
        return new Response("no", { status: 500 });
      };
      let chat;
      const Chat = (options) => {
        chat = useAgent({ url: "http://host/agent", threadId: "1", notify: "sync", ...options });
        return null;
      };
      const { render, unmount } = await mount(h(Chat, { fetch: asked("one"), tools: () => (requests.push("tools"), []) }));
      await render(h(Chat, { fetch: asked("two") }));
      await act(async () => {
        void chat.submit("a");
        while (!requests.length) await new Promise(setImmediate);
      });
      assert.deepEqual(requests, ["two"]);
      await act(async () => chat.dispose());
      await unmount();
    });

    it("selects: renders again only when the part changes", async () => {
      const agent = create();
      const renders = { status: 0, last: 0, ids: 0 };
      const Status = () => (renders.status++, useAgentSelector(agent, ({ status }) => status));
      const Last = () => {
        renders.last++;
        return useAgentSelector(agent, (snapshot) => snapshot.messages[snapshot.messages.length - 1]?.content);
      };
      const same = (a, b) => a.join() === b.join();
      const Ids = () => {
        renders.ids++;
        return useAgentSelector(agent, ({ messages }) => messages.map(({ id }) => id), same).length;
      };
      const { container, unmount } = await mount(h("p", null, h(Status), " ", h(Last), " ", h(Ids)));
      await act(async () => void agent.submit({ message: { id: "m", content: "hello" } }));
      assert.equal(container.textContent, "running hello 1");
      await act(async () => Session.last.say("a"));
      const before = { ...renders };
      for (const text of ["b", "c"]) {
        await act(async () => {
          Session.last.patch(["+", ["messages", 1, "content"], text]);
          Session.last.changed();
        });
      }
      assert.equal(container.textContent, "running abc 2");
      assert.equal(renders.status, before.status);
      assert.equal(renders.ids, before.ids);
      assert.ok(renders.last > before.last);
      await unmount();
    });

    it("selects what a new selector asks for", async () => {
      const agent = create({ initialState: { a: 1, b: 2 } });
      let choose;
      const Part = () => {
        const [key, set] = useState("a");
        choose = set;
        return useAgentSelector(agent, ({ state }) => state[key]);
      };
      const { container, unmount } = await mount(h(Part));
      assert.equal(container.textContent, "1");
      await act(async () => choose("b"));
      assert.equal(container.textContent, "2");
      await unmount();
    });

    it("renders what another selector or another agent says in the same render", async () => {
      const [one, two] = [create({ initialState: { a: 1, b: 1 } }), create({ initialState: { a: 9, b: 9 } })];
      const selectors = { a: ({ state }) => state.a, b: ({ state }) => state.b };
      const seen = [];
      const Part = ({ agent, part }) => {
        const value = useAgentSelector(agent, selectors[part]);
        seen.push(value);
        return value;
      };
      const { container, render, unmount } = await mount(h(Part, { agent: one, part: "a" }));
      const next = async (props, change) => {
        seen.length = 0;
        await act(async () => change?.());
        await render(h(Part, props));
        assert.equal(container.textContent, String(seen.at(-1)));
        return [...new Set(seen)];
      };
      // The selected part stayed as it was while the other one changed.
      assert.deepEqual(await next({ agent: one, part: "b" }, () => one.setState({ a: 1, b: 2 })), [2]);
      assert.deepEqual(await next({ agent: one, part: "b" }), [2]);
      assert.deepEqual(await next({ agent: two, part: "b" }, () => one.setState({ a: 3, b: 2 })), [9]);
      assert.deepEqual(await next({ agent: two, part: "b" }, () => one.setState({ a: 3, b: 3 })), [9]);
      assert.deepEqual(await next({ agent: one, part: "b" }), [3]);
      assert.deepEqual(await next({ agent: one, part: "a" }), [3]);
      await unmount();
    });

    it("misses nothing that changes before it listens", async () => {
      const agent = create({ initialState: { n: 0 } });
      const Early = () => {
        useInsertionEffect(() => agent.setState({ n: 1 }), []);
        useLayoutEffect(() => agent.setState({ n: 2 }), []);
        useEffect(() => agent.setState({ n: 3 }), []);
        return null;
      };
      const Whole = () => useAgent(agent).state.n;
      const Part = () => useAgentSelector(agent, ({ state }) => state.n);
      const { container, unmount } = await mount([h(Early, { key: 0 }), h(Whole, { key: 1 }), " ", h(Part, { key: 2 })]);
      assert.equal(container.textContent, "3 3");
      await unmount();
    });

    it("all components of a page show the same snapshot whenever one is shown", async () => {
      const agent = create({ initialState: { n: 0 } });
      const Whole = () => h("b", null, useAgent(agent).state.n);
      const Part = () => h("b", null, useAgentSelector(agent, ({ state }) => state.n));
      let more;
      const Page = () => {
        const [count, set] = useState(1);
        more = () => startTransition(() => set((old) => old + 1));
        return Array.from({ length: count }, (_, key) => h("p", { key }, h(Whole), h(Part)));
      };
      const { container, unmount } = await mount(h(Page));
      const torn = [];
      const observer = new window.MutationObserver(() => {
        const shown = [...container.querySelectorAll("b")].map((node) => node.textContent);
        if (new Set(shown).size > 1) torn.push(shown.join());
      });
      observer.observe(container, { subtree: true, childList: true, characterData: true });
      for (let n = 1; n < 20; n++) {
        await act(async () => {
          more();
          agent.setState({ n });
        });
      }
      assert.equal(container.querySelectorAll("b").length, 40);
      observer.disconnect();
      assert.deepEqual(torn, []);
      await unmount();
    });

    it("selectors written inline show one snapshot in a transition, although the agent goes on meanwhile", async () => {
      globalThis.IS_REACT_ACT_ENVIRONMENT = false;
      const agent = create({ initialState: { n: 0 } });
      const Slow = ({ children }) => {
        for (const end = performance.now() + 6; performance.now() < end;);
        return children;
      };
      const Part = () => h(Slow, null, h("b", null, useAgentSelector(agent, ({ state }) => state.n)));
      let more;
      const Page = () => {
        const [count, set] = useState(0);
        more = () => startTransition(() => set(10));
        return Array.from({ length: count }, (_, key) => h(Part, { key }));
      };
      const container = document.createElement("div");
      const root = createRoot(container);
      root.render(h(Page));
      await until(() => more);
      const torn = [];
      const observer = new window.MutationObserver(() => {
        const shown = [...container.querySelectorAll("b")].map((node) => node.textContent);
        if (new Set(shown).size > 1) torn.push(shown.join());
      });
      observer.observe(container, { subtree: true, childList: true, characterData: true });
      const values = () => [...container.querySelectorAll("b")].map((node) => Number(node.textContent));
      let n = 0;
      let on = true;
      const count = () => void (on && n < 5000 && (agent.setState({ n: ++n }), setImmediate(count)));
      for (let round = 0; round < 3; round++) {
        more();
        count();
        await until(() => values().length === 10);
      }
      assert.ok(n > 1, "it has gone on");
      on = false;
      await until(() => values().every((value) => value === n));
      observer.disconnect();
      assert.deepEqual(torn, []);
      root.unmount();
      globalThis.IS_REACT_ACT_ENVIRONMENT = true;
    });

    it("renders that are thrown away make no further agents, and read no store again", async () => {
      let loads = 0;
      const persist = () => createStore({ key: "thrown away", load: () => void loads++, save() {}, clear() {} });
      const made = new Set();
      let come;
      let late = new Promise((resolve) => (come = resolve));
      let ready = false;
      const Chat = ({ url }) => {
        const { agent, status } = useAgent({ url, persist: persist() });
        made.add(agent);
        if (!ready) throw late;
        return status;
      };
      const page = (n) => h(Suspense, { fallback: `wait ${n}` }, h(Chat, { url: "/a" }), n);
      const container = document.createElement("div");
      const root = createRoot(container);
      for (let n = 0; n < 20; n++) await act(async () => root.render(page(n)));
      ready = true;
      await act(async () => come());
      assert.equal(container.textContent, "idle19");
      assert.ok(made.size <= 2 && loads <= 3, `${made.size} agents, ${loads} loads`);
      // The same of a page that goes to another agent, and is thrown away on its way.
      ready = false;
      late = new Promise(() => {});
      made.clear();
      const before = loads;
      for (let n = 0; n < 20; n++) await act(async () => startTransition(() => root.render(h(Suspense, null, h(Chat, { url: "/b" }), n))));
      assert.ok(made.size <= 2 && loads - before <= 3, `${made.size} agents, ${loads - before} loads`);
      await act(async () => root.unmount());
    });

    it("two components with the same options have an agent each, however they came to them", async () => {
      let ready = false;
      const never = new Promise(() => {});
      const agents = [];
      const Chat = ({ at }) => {
        agents[at] = useAgent({ url: "/same" }).agent;
        if (!ready) throw never;
        return null;
      };
      const page = () => h(Suspense, { fallback: "" }, h(Chat, { at: 0 }), h(Chat, { at: 1 }));
      const root = createRoot(document.createElement("div"));
      for (let n = 0; n < 5; n++) await act(async () => root.render(page()));
      ready = true;
      await act(async () => root.render(page()));
      assert.notEqual(agents[0], agents[1]);
      const shown = [...agents];
      await act(async () => root.render(page()));
      assert.deepEqual(agents, shown);
      await act(async () => root.unmount());
    });

    it("two components that are rendered in turns of their own have an agent each", async () => {
      globalThis.IS_REACT_ACT_ENVIRONMENT = false;
      const agents = [];
      const Chat = ({ at }) => {
        agents[at] = useAgent({ url: "/slices" }).agent;
        for (const end = performance.now() + 12; performance.now() < end;);
        return null;
      };
      let more;
      const Page = () => {
        const [count, set] = useState(0);
        more = () => startTransition(() => set(3));
        return Array.from({ length: count }, (_, at) => h(Chat, { key: at, at }));
      };
      const root = createRoot(document.createElement("div"));
      root.render(h(Page));
      await until(() => more);
      more();
      await until(() => agents.length === 3 && new Set(agents).size === 3);
      root.unmount();
      globalThis.IS_REACT_ACT_ENVIRONMENT = true;
    });

    it("a row whose message is gone asks nobody in vain", async () => {
      const agent = create({ initialMessages: [{ id: "1", role: "user", content: "a" }, { id: "2", role: "user", content: "b" }] });
      const Row = ({ index }) => useAgentSelector(agent, ({ messages }) => messages[index].content);
      const Rows = () => useAgent(agent).messages.map(({ id }, index) => h(Row, { key: id, index }));
      const { container, unmount } = await mount(h(Rows));
      assert.equal(container.textContent, "ab");
      await act(async () => agent.setMessages((messages) => messages.slice(0, 1)));
      assert.equal(container.textContent, "a");
      await unmount();
    });

    it("gives an agent to the components below, which render alone", async () => {
      const agent = counted(create({ threadId: "1" }));
      const renders = { frame: 0, status: 0 };
      const Thread = () => useAgent().messages.map(({ content }) => content).join(" | ");
      const Status = () => (renders.status++, useAgentSelector(({ status }) => status));
      const Frame = ({ agent }) => (renders.frame++, h(AgentProvider, { agent }, h(Thread), ", ", h(Status)));
      const { container, render, unmount } = await mount(h(Frame, { agent }));
      assert.equal(container.textContent, ", idle");
      assert.equal(agent.listening(), 2);
      await act(async () => void agent.submit("hello"));
      assert.equal(container.textContent, "hello, running");
      const before = { ...renders };
      await act(async () => Session.last.say("a"));
      assert.equal(container.textContent, "hello | a, running");
      assert.deepEqual(renders, before);
      const other = create({ threadId: "2" });
      await render(h(Frame, { agent: other }));
      assert.equal(container.textContent, ", idle");
      assert.equal(agent.listening(), 0);
      await unmount();
    });

    it("makes the provider's agent of options, and keeps them fresh", async () => {
      const seen = new Set();
      const requests = [];
      const Child = () => (seen.add(useAgent().agent), null);
      const asked = (name) => async () => (requests.push(name), new Response("no", { status: 500 }));
      const Frame = (options) => h(AgentProvider, { agent: { url: "http://host/agent", notify: "sync", ...options } }, h(Child));
      const { render, unmount } = await mount(h(Frame, { threadId: "1", fetch: asked("one") }));
      const [first] = seen;
      assert.equal(seen.size, 1);
      await render(h(Frame, { threadId: "1", fetch: asked("two") }));
      assert.equal(seen.size, 1);
      await act(async () => {
        void first.submit("a");
        while (!requests.length) await new Promise(setImmediate);
      });
      assert.deepEqual(requests, ["two"]);
      await render(h(Frame, { threadId: "2" }));
      assert.equal(seen.size, 2);
      await act(async () => first.dispose());
      await unmount();
    });

    it("says that there is no provider", () => {
      for (const Lost of [() => useAgent().status, () => useAgentSelector(({ status }) => status)]) {
        assert.throws(() => renderToString(h(Lost)), { name: "AgentError", message: /AgentProvider/ });
      }
    });

    it("renders on a server, and takes over in the page", async () => {
      const agent = () => create({ threadId: "1", initialMessages: [{ id: "1", role: "assistant", content: "welcome" }] });
      const Chat = ({ agent }) => {
        const { messages } = useAgent(agent);
        const count = useAgentSelector(agent, (snapshot) => ({ count: snapshot.messages.length })).count;
        return h("p", null, `${count} ${messages.map(({ content }) => content).join()}`);
      };
      const container = document.createElement("div");
      container.innerHTML = renderToString(h(Chat, { agent: agent() }));
      assert.equal(container.textContent, "1 welcome");
      assert.equal(Session.all.length, 0);
      const client = agent();
      // Something has changed between the making and the hydration.
      client.setMessages((messages) => [...messages, { id: "2", role: "user", content: "hi" }]);
      let root;
      await act(async () => void (root = hydrateRoot(container, h(StrictMode, null, h(Chat, { agent: client })))));
      assert.equal(container.textContent, "2 welcome,hi");
      await act(async () => root.unmount());
    });

    it("renders options on a server without loading anything", () => {
      const compile = mock.method(WebAssembly, "instantiate");
      assert.equal(renderToString(h(() => useAgent({ url: "/agent" }).status)), "idle");
      assert.equal(compile.mock.callCount(), 0);
      compile.mock.restore();
    });
  });
}

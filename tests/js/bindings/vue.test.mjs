// The Vue binding over a core that does what the test says.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { openPage } from "../page.mjs";

openPage();
for (const name of ["SVGElement", "MathMLElement", "ShadowRoot", "Comment"]) globalThis[name] ??= window[name];
const { computed, createApp, createSSRApp, effectScope, h, nextTick, ref } = await import("vue");
const { renderToString } = await import("@vue/server-renderer");
const { createAgentWith } = await load("agent/agent");
const { injectAgent, provideAgent, useAgent, useAgentSelector } = await load("vue");
const { useThreads } = await load("threads/vue");
const { createThreads } = await load("threads/index");
const { useAgentOf } = await load("bindings/vue");

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

const lines = (messages) => messages.map(({ content }) => `[${content}]`).join("");
const Thread = (target) => ({
  setup() {
    const { status, messages } = useAgent(target);
    return () => h("p", `${status.value} ${messages.value.length}: ${lines(messages.value)}`);
  },
});

function show(component, props) {
  const target = document.createElement("div");
  const app = createApp(component, props);
  app.mount(target);
  return { target, text: async () => (await nextTick(), target.textContent), unmount: () => app.unmount() };
}

async function opened() {
  await until(() => Session.last);
  return Session.last;
}

describe("Vue 3", () => {
  beforeEach(() => void (Session.all = []));

  it("renders what streams, and stops listening with the component", async () => {
    const agent = counted(create());
    const { text, unmount } = show(Thread(agent));
    assert.equal(await text(), "idle 0: ");
    const result = agent.submit("hello");
    const session = await opened();
    session.say("Hel", "lo");
    assert.equal(await text(), "running 2: [hello][Hello]");
    assert.equal(agent.listening(), 1);
    session.finish();
    assert.equal((await result).outcome, "success");
    assert.equal(await text(), "idle 2: [hello][Hello]");
    unmount();
    assert.equal(agent.listening(), 0);
    assert.equal(agent.getSnapshot().messages.length, 2);
  });

  it("makes another agent for another key, and sets the options of the same", async () => {
    const id = ref("a");
    const context = ref([]);
    const scope = effectScope();
    const made = [];
    const make = (options) => {
      const agent = counted(create({ ...options, initialMessages: [{ id: "m", role: "user", content: options.threadId }] }));
      made.push(agent);
      return { ...agent, setOptions: (next) => (agent.set = next) && agent.setOptions(next) };
    };
    const chat = scope.run(() => useAgentOf(make, () => ({ url: "/agent", threadId: id.value, context: context.value })));
    const seen = scope.run(() => computed(() => lines(chat.messages.value)));
    assert.equal(seen.value, "[a]");
    context.value = [{ description: "page", value: "2" }];
    assert.equal(made.length, 1);
    assert.equal(made[0].set.context[0].value, "2");
    const { setMessages } = chat;
    id.value = "b";
    assert.deepEqual([seen.value, made.length, made[0].listening(), made[1].listening()], ["[b]", 2, 0, 1]);
    setMessages([{ id: "n", role: "user", content: "new" }]);
    assert.equal(seen.value, "[new]");
    scope.stop();
    assert.equal(made[1].listening(), 0);
  });

  it("provides an agent, and selects a part that is rendered only when it changes", async () => {
    const agent = counted(create());
    let renders = 0;
    const Child = {
      setup() {
        const first = useAgentSelector(({ messages }) => messages[0]?.content);
        const { submit } = injectAgent();
        return () => (renders++, h("button", { onClick: () => submit("hi") }, String(first.value)));
      },
    };
    const Parent = { setup: () => (provideAgent(agent), () => h(Child)) };
    const { target, text, unmount } = show(Parent);
    target.querySelector("button").click();
    const session = await opened();
    session.say("a");
    assert.equal(await text(), "hi");
    const before = renders;
    session.say("b", "c");
    await nextTick();
    assert.equal(renders, before);
    unmount();
    assert.equal(agent.listening(), 0);
    assert.throws(() => effectScope().run(() => createApp({}).runWithContext(() => injectAgent())), /provideAgent/);
  });

  it("is mounted and unmounted many times without a listener left", async () => {
    const agent = counted(create());
    for (let time = 0; time < 50; time++) {
      const { unmount } = show(Thread(agent));
      unmount();
    }
    assert.equal(agent.listening(), 0);
  });

  it("renders on a server without listening, and hydrates what that has rendered", async () => {
    const options = { initialMessages: [{ id: "1", role: "user", content: "hi" }] };
    const html = await (async () => {
      const page = globalThis.document;
      delete globalThis.document;
      try {
        const agent = counted(create(options));
        const html = await renderToString(createSSRApp(Thread(agent)));
        assert.equal(agent.listening(), 0);
        return html;
      } finally {
        globalThis.document = page;
      }
    })();
    assert.equal(html, "<p>idle 1: [hi]</p>");
    const target = document.createElement("div");
    target.innerHTML = html;
    const agent = create(options);
    agent.setMessages((messages) => [...messages, { id: "2", role: "user", content: "later" }]);
    const warnings = [];
    const warn = console.warn;
    const error = console.error;
    console.warn = console.error = (...args) => warnings.push(args.join(" "));
    try {
      createSSRApp(Thread(agent)).mount(target);
    } finally {
      [console.warn, console.error] = [warn, error];
    }
    assert.deepEqual(warnings, []);
    await nextTick();
    assert.equal(target.textContent, "idle 2: [hi][later]");
  });

  it("renders a list of threads, which it begins to load", async () => {
    const list = createThreads({ list: async () => ({ threads: [{ threadId: "1", title: "Rome" }] }), rename: async () => {} });
    const { text, unmount } = show({
      setup() {
        const { status, threads } = useThreads(list);
        return () => h("p", `${status.value}: ${threads.value.map(({ title }) => title).join(" ")}`);
      },
    });
    await until(() => list.getSnapshot().status === "ready");
    assert.equal(await text(), "ready: Rome");
    void list.rename("1", "Kyiv");
    assert.equal(await text(), "ready: Kyiv");
    unmount();
  });
});

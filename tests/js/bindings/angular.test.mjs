// The Angular binding over a core that does what the test says, zoneless and with zone.js.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import "zone.js";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { openPage } from "../page.mjs";

openPage();
for (const name of ["SVGElement", "MathMLElement", "ShadowRoot", "CSSStyleSheet"]) globalThis[name] ??= window[name];
await import("@angular/compiler");
const {
  ApplicationRef,
  Component,
  computed,
  createEnvironmentInjector,
  EnvironmentInjector,
  input,
  NgZone,
  provideZoneChangeDetection,
  provideZonelessChangeDetection,
  runInInjectionContext,
  signal,
} = await import("@angular/core");
const { bootstrapApplication, provideClientHydration } = await import("@angular/platform-browser");
const { createAgentWith } = await load("agent/agent");
const { agentResource, injectAgent, provideAgent } = await load("angular");
const { agentResourceOf } = await load("bindings/angular");

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

/** A component class without the syntax of decorators. */
const component = (metadata, type) => Component({ standalone: true, ...metadata })(type);
const template = `<p>{{ chat.status() }} {{ chat.messages().length }}: @for (message of chat.messages(); track message.id) {[{{ message.content }}]}</p>`;

async function show(type, providers, attributes = "") {
  document.body.innerHTML = `<app-root ${attributes}></app-root>`;
  const app = await bootstrapApplication(type, { providers });
  await app.whenStable();
  const text = async () => (await app.whenStable(), document.body.textContent.trim());
  return { app, text };
}

const opened = async () => (await until(() => Session.last), Session.last);

for (const [name, mode] of [["zoneless", provideZonelessChangeDetection], ["with zone.js", provideZoneChangeDetection]]) {
  describe(`Angular, ${name}`, () => {
    beforeEach(() => void (Session.all = []));

    it("renders what streams, outside of the zone, and stops listening with the component", async () => {
      const agent = counted(create());
      const zones = [];
      agent.on("finish", () => zones.push(NgZone.isInAngularZone()));
      class App {
        chat = agentResource(agent);
      }
      const { app, text } = await show(component({ selector: "app-root", template }, App), [mode()]);
      assert.equal(await text(), "idle 0:");
      const { chat } = app.components[0].instance;
      const result = chat.submit("hello");
      const session = await opened();
      session.say("Hel", "lo");
      assert.equal(await text(), "running 2: [hello][Hello]");
      assert.equal(agent.listening(), 1);
      session.finish();
      assert.equal((await result).outcome, "success");
      assert.equal(await text(), "idle 2: [hello][Hello]");
      assert.deepEqual(zones, [false]);
      app.destroy();
      assert.equal(agent.listening(), 0);
      assert.equal(agent.getSnapshot().messages.length, 2);
    });

    it("provides an agent, and a computed signal renders only when its part changes", async () => {
      const agent = counted(create());
      let renders = 0;
      class Child {
        chat = injectAgent();
        first = computed(() => this.chat.messages()[0]?.content);
        get text() {
          renders++;
          return String(this.first());
        }
      }
      const Inner = component({ selector: "app-child", template: `<button (click)="chat.submit('hi')">{{ text }}</button>` }, Child);
      class App {}
      const onPush = { selector: "app-root", template: "<app-child />", imports: [Inner], changeDetection: 0 };
      const { app, text } = await show(component(onPush, App), [mode(), provideAgent(agent)]);
      document.querySelector("button").click();
      const session = await opened();
      session.say("a");
      assert.equal(await text(), "hi");
      const before = renders;
      session.say("b", "c");
      assert.equal(await text(), "hi");
      assert.equal(agent.getSnapshot().messages.length, 3);
      if (name === "zoneless") assert.equal(renders, before);
      app.destroy();
      assert.equal(agent.listening(), 0);
    });
  });
}

describe("agentResource", () => {
  beforeEach(() => void (Session.all = []));
  class App {}
  const Empty = component({ selector: "app-root", template: "" }, App);
  /** An injection context that can be ended. */
  const scope = async () => {
    const { app } = await show(Empty, [provideZonelessChangeDetection()]);
    const injector = createEnvironmentInjector([], app.injector.get(EnvironmentInjector));
    return { app, run: (action) => runInInjectionContext(injector, action), end: () => injector.destroy() };
  };

  it("makes another agent for another key, and sets the options of the same", async () => {
    const { app, run, end } = await scope();
    const id = signal("a");
    const context = signal([]);
    const made = [];
    const make = (options) => {
      const agent = counted(create({ ...options, initialMessages: [{ id: "m", role: "user", content: options.threadId }] }));
      made.push(agent);
      return { ...agent, setOptions: (next) => (agent.set = next) && agent.setOptions(next) };
    };
    const chat = run(() => agentResourceOf(make, () => ({ url: "/agent", threadId: id(), context: context() })));
    const seen = computed(() => chat.messages().map(({ content }) => content).join());
    assert.equal(seen(), "a");
    context.set([{ description: "page", value: "2" }]);
    await app.whenStable();
    assert.equal(made.length, 1);
    assert.equal(made[0].set.context[0].value, "2");
    const { setMessages } = chat;
    id.set("b");
    assert.equal(seen(), "b");
    await app.whenStable();
    assert.deepEqual([made.length, made[0].listening(), made[1].listening()], [2, 0, 1]);
    setMessages([{ id: "n", role: "user", content: "new" }]);
    assert.equal(seen(), "new");
    end();
    assert.equal(made[1].listening(), 0);
    app.destroy();
  });

  it("misses nothing that comes before it listens", async () => {
    const { app, run } = await scope();
    const agent = create();
    const chat = run(() => agentResource(agent));
    assert.equal(chat.messages().length, 0);
    agent.setMessages([{ id: "n", role: "user", content: "early" }]);
    await app.whenStable();
    assert.equal(chat.messages().length, 1);
    app.destroy();
  });

  it("leaves no listener behind when it comes and goes many times, also before an effect has run", async () => {
    const agent = counted(create());
    const { app } = await show(Empty, [provideZonelessChangeDetection()]);
    for (let round = 0; round < 50; round++) {
      const injector = createEnvironmentInjector([], app.injector.get(EnvironmentInjector));
      const chat = runInInjectionContext(injector, () => agentResource(agent));
      chat.messages();
      if (round % 2) await app.whenStable();
      injector.destroy();
    }
    await app.whenStable();
    assert.equal(agent.listening(), 0);
    app.destroy();
  });

  it("lets an agent be collected that it has made", { skip: !globalThis.gc && "needs --expose-gc" }, async () => {
    const { app, run, end } = await scope();
    const agent = await (async () => {
      let made;
      run(() => agentResourceOf((options) => (made = create(options)), { url: "/agent" })).messages();
      await app.whenStable();
      return new WeakRef(made);
    })();
    end();
    await until(() => (globalThis.gc(), agent.deref() === undefined));
    app.destroy();
  });

  it("begins with the server's snapshot where it hydrates", async () => {
    const agent = create({ threadId: "t" });
    agent.setMessages([{ id: "n", role: "user", content: "saved" }]);
    const first = [];
    class Chat {
      chat = agentResource(agent);
      constructor() {
        first.push(this.chat.messages().length);
      }
    }
    document.head.innerHTML = "";
    const { app, text } = await show(component({ selector: "app-root", template }, Chat), [provideZonelessChangeDetection()], 'ngh="0"');
    assert.deepEqual(first, [0]);
    document.querySelector("[ngh]")?.removeAttribute("ngh");
    assert.equal(await text(), "idle 1: [saved]");
    app.destroy();
  });

  it("says what is missing where nothing is provided", async () => {
    const { app, run } = await scope();
    assert.throws(() => run(() => injectAgent()), /injectAgent\(\) found no agent: provide one with provideAgent/);
    app.destroy();
  });
});

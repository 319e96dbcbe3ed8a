// The announcer in components of React, Svelte and Vue, in jsdom.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { bundled } from "../bundle.mjs";
import { components } from "../components.mjs";
import { load } from "../lib.mjs";
import { openPage } from "../page.mjs";

const closePage = openPage();
for (const name of ["SVGElement", "MathMLElement", "ShadowRoot", "Comment", "HTMLMediaElement"]) globalThis[name] ??= window[name];
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const { act, createElement, StrictMode, useRef, useState } = await import("react");
const { createRoot } = await import("react-dom/client");
const { renderToString } = await import("react-dom/server");
const vue = await import("vue");
const { useAnnouncer: useReact } = await load("announcer/react");
const { useAnnouncer: useVue } = await load("announcer/vue");
const svelte = await bundled("announcer/svelte-page.mjs", "announcer-svelte", { plugins: [components("client")], conditions: ["browser", "svelte"] });

/** As much of an agent as an announcer asks for. */
function scripted() {
  const listeners = new Set();
  let snapshot = { messages: [], toolCalls: [], interrupts: [], isLoading: false, error: undefined, thread: { status: "ready", hasOlder: false } };
  const set = (next) => {
    snapshot = { ...snapshot, ...next };
    listeners.forEach((listener) => listener());
  };
  return {
    listeners,
    agent: { getSnapshot: () => snapshot, subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)) },
    answer: (content) => set({ isLoading: true, messages: [...snapshot.messages, { id: content, role: "assistant", content, delivery: "complete" }] }),
  };
}

/** Each shows an announcer; with `place` it has an element of the component's. */
const frameworks = {
  React: (host, { agent, place, words }) => {
    let turn;
    function Said({ agent }) {
      const said = useRef(null);
      useReact(agent, { element: place ? said : undefined, words });
      return place && createElement("div", { role: "log", ref: said });
    }
    function Page() {
      const [current, setCurrent] = useState(agent);
      turn = setCurrent;
      return current && createElement(Said, { agent: current });
    }
    const root = createRoot(host);
    act(() => root.render(createElement(StrictMode, {}, createElement(Page))));
    return { turn: (next) => act(() => turn(next)), leave: () => act(() => turn(undefined)) };
  },
  Svelte: (host, props) => svelte.show(host, props),
  Vue: (host, { agent, place, words }) => {
    const current = vue.shallowRef(agent);
    const app = vue.createApp({
      setup() {
        const said = vue.shallowRef();
        useVue(current, { element: place ? said : undefined, words });
        return () => place && vue.h("div", { role: "log", ref: said });
      },
    });
    app.mount(host);
    return { turn: (next) => ((current.value = next), vue.nextTick()), leave: () => app.unmount() };
  },
};
after(closePage);

for (const [name, show] of Object.entries(frameworks)) {
  describe(name, () => {
    for (const place of [true, false]) {
      it(place ? "speaks into an element of the component" : "makes a region of its own, and takes it away", async () => {
        const host = document.body.appendChild(document.createElement("div"));
        const [one, two] = [scripted(), scripted()];
        one.answer("before");
        const { turn, leave } = show(host, { agent: one.agent, place, words: { answer: ({ content }) => `${content}!` } });
        const region = document.querySelector('[role="log"]');
        assert.equal(host.contains(region), place);
        one.answer("one");
        assert.match(region.textContent, /one!$/);
        assert.doesNotMatch(region.textContent, /before/);
        assert.equal(one.listeners.size, 1);

        await turn(two.agent);
        assert.deepEqual([one.listeners.size, two.listeners.size], [0, 1]);
        one.answer("late");
        two.answer("two");
        const now = document.querySelectorAll('[role="log"]');
        assert.equal(now.length, 1);
        assert.match(now[0].textContent, /two!$/);
        assert.doesNotMatch(now[0].textContent, /late|before/);

        await leave();
        assert.equal(two.listeners.size, 0);
        assert.equal(document.querySelector('[role="log"]'), null);
        host.remove();
      });
    }
  });
}

it("says with the words of the last render in React", () => {
  const { agent, answer } = scripted();
  const host = document.body.appendChild(document.createElement("div"));
  const root = createRoot(host);
  function Said({ mark }) {
    useReact(agent, { words: { answer: ({ content }) => content + mark } });
    return null;
  }
  act(() => root.render(createElement(Said, { mark: "?" })));
  const region = document.querySelector('[role="log"]');
  act(() => root.render(createElement(Said, { mark: "!" })));
  answer("yes");
  assert.match(region.textContent, /yes!$/);
  act(() => root.unmount());
});

it("does nothing on a server", () => {
  const { agent, listeners } = scripted();
  const Said = () => (useReact(agent), null);
  assert.equal(renderToString(createElement(Said)), "");
  assert.equal(listeners.size, 0);
});

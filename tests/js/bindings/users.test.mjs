// Two users rendered on one server: what is global there belongs to both. Neither sees the other's thread, whatever their stores have in common.

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { describe, it } from "node:test";
import { createElement as h, Suspense, use } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import { createSSRApp, h as vueElement } from "vue";
import { renderToString as renderVue } from "@vue/server-renderer";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { deferred, load } from "../lib.mjs";

const [react, vue, { createStore, indexedDbStore, localStorageStore }] = await Promise.all(["react", "vue", "persistence/stores"].map(load));

/** The user whose request is being answered, and what each has stored. */
const request = new AsyncLocalStorage();
const stored = (user) => ({ v: 1, threadId: "t", messages: [{ id: user, role: "user", content: `stored by ${user}` }], state: {} });
const ownStore = (load) => createStore({ key: "chat", load, save: () => {}, clear: () => {} });
const stores = {
  localStorageStore: () => localStorageStore("chat"),
  indexedDbStore: () => indexedDbStore("app", "chat"),
  "createStore, empty": () => ownStore(() => undefined),
  "createStore, of the user's": () => ownStore(() => stored(request.getStore())),
};

const optionsOf = (user, persist) => ({ url: "/agent", threadId: "t", persist, initialMessages: [{ id: user, role: "user", content: `first of ${user}` }] });
const said = (messages) => messages.map(({ content }) => content).join();

/** A page that also edits the thread, as one of the user's components may do while it renders. */
const Chat = ({ user, persist }) => {
  const { agent } = react.useAgent(optionsOf(user, persist));
  agent.setMessages((messages) => [...messages, { id: `${user} 2`, role: "user", content: `more of ${user}` }]);
  agent.setState({ user });
  return h("p", null, said(agent.getSnapshot().messages), JSON.stringify(agent.getSnapshot().state));
};
const VueChat = ({ user, persist }) => ({
  setup() {
    const { agent, messages, setMessages } = vue.useAgent(optionsOf(user, persist));
    setMessages((before) => [...before, { id: `${user} 2`, role: "user", content: `more of ${user}` }]);
    return () => vueElement("p", `${said(messages.value)} ${said(agent.value.getSnapshot().messages)}`);
  },
});
const renders = {
  "React": (props) => renderToString(h(Chat, props)),
  "Vue": (props) => renderVue(createSSRApp(VueChat(props))),
};

const isOnly = (html, user, other) => {
  assert.match(html, new RegExp(`(first of|stored by) ${user},more of ${user}`));
  assert.doesNotMatch(html, new RegExp(other));
};

describe("two users of a server that renders", () => {
  for (const [kind, make] of Object.entries(stores)) {
    const one = make();
    for (const [how, storeOf] of Object.entries({ "a store each": make, "the store of a module": () => one })) {
      for (const [binding, render] of Object.entries(renders)) {
        it(`have a thread each, with one key: ${kind}, ${how}, ${binding}`, async () => {
          for (const [user, other] of [["ada", "bob"], ["bob", "ada"], ["ada", "bob"]]) {
            isOnly(await request.run(user, () => render({ user, persist: storeOf() })), user, other);
          }
        });
      }

      it(`have a thread each where one is rendered while the other waits: ${kind}, ${how}, React`, async () => {
        const { promise, resolve } = deferred();
        const Late = (props) => {
          use(promise);
          return h(Chat, props);
        };
        const start = (Page, user) =>
          request.run(user, () => {
            const html = new PassThrough();
            renderToPipeableStream(h(Suspense, { fallback: "waits" }, h(Chat, { user, persist: storeOf() }), h(Page, { user, persist: storeOf() }))).pipe(html);
            return text(html);
          });
        const ada = start(Late, "ada");
        isOnly(await start(Chat, "bob"), "bob", "ada");
        resolve();
        isOnly(await ada, "ada", "bob");
      });
    }
  }
});

// A module of an application, which hot.test.mjs evaluates anew, as a bundler does that has seen a change of it: the package stays as it is.

import { createElement as h } from "react";
import { load } from "../lib.mjs";

const [{ createAgent }, { useAgent }, { indexedDbStore, localStorageStore }] = await Promise.all(["index", "react", "persistence/stores"].map(load));

const { searchParams } = new URL(import.meta.url);
const [version, kind, key] = ["version", "kind", "key"].map((name) => searchParams.get(name));
const { fetch, ran } = globalThis.hot;

const options = {
  url: "http://host/agent",
  notify: "sync",
  persist: kind === "IndexedDB" ? indexedDbStore("hot", key) : localStorageStore(key),
  tools: [{ name: "work", description: "", parameters: {}, execute: () => (ran.push(version), new Promise((done) => (globalThis.hot.done = done))) }],
  fetch,
};

const Shown = ({ take, target }) => {
  const chat = useAgent(target);
  take(chat);
  return h("p", null, `${version} ${chat.status}: ${chat.messages.map(({ content }) => content ?? "").join(" | ")}`);
};

let agent;
/** A component that makes its agent of options, and one whose agent is the module's. */
export const components = {
  "of options": ({ take }) => h(Shown, { take, target: options }),
  "of the module": ({ take }) => h(Shown, { take, target: agent ??= createAgent(options) }),
};

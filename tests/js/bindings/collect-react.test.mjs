// An agent of `useAgent(options)` is released when no component uses it, and not before.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Activity, createElement as h, StrictMode, Suspense, use, useEffect, useState } from "react";
import { deferred, load, real, storeOf } from "../lib.mjs";
import { collected, run, say, sweep, swept } from "../garbage.mjs";
import { openPage } from "../page.mjs";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

describe("React gives back what it made", { skip: !real && "the core is a stand-in" }, async () => {
  const closePage = openPage();
  const { act } = await import("react");
  const { createRoot } = await import("react-dom/client");
  const { useAgent } = await load("react");
  after(closePage);

  const text = "0123456789".repeat(1000);
  const fetch = async () => run(...say(text));

  /** A page of one root; `agents()` tells how many of those that were watched are gone. */
  async function open(element) {
    const container = document.createElement("div");
    const root = createRoot(container);
    const render = (next) => act(async () => root.render(h(StrictMode, null, next)));
    await render(element);
    return { container, render, close: () => act(async () => root.unmount()) };
  }

  /** Asks once, as soon as it is shown. */
  const Thread = ({ id, watch, ended = () => {}, ...options }) => {
    const { agent, messages, threadId, submit } = useAgent({ url: "/agent", notify: "sync", threadId: id, fetch, ...options });
    watch(agent);
    useEffect(() => {
      const tell = ({ outcome }) => outcome === "dropped" || ended(outcome);
      void submit({ message: "hi", ifBusy: "drop" }).then(tell);
    }, [submit]);
    return `${threadId} ${messages.length}`;
  };

  it("20 threads, shown one after the other", async () => {
    const { watch, gone, made } = collected();
    const { render, close, container } = await open(null);
    for (let id = 0; id < 20; id++) {
      const end = deferred();
      await render(h(Thread, { id: String(id), watch, ended: end.resolve }));
      await act(async () => assert.equal(await end.promise, "success"));
      assert.equal(container.textContent, `${id} 2`);
    }
    // React keeps what it has rendered last, and what before.
    await swept(() => gone() >= made() - 4, () => `${gone()} of ${made()}`);
    await render(null);
    await render(null);
    await close();
    await swept(() => gone() >= made() - 1);
  });

  it("what StrictMode and a suspended render made is collected; what is shown is not", async () => {
    const { watch, gone, made } = collected();
    const never = new Promise(() => {});
    const Suspended = () => {
      watch(useAgent({ url: "/agent", fetch }).agent);
      use(never);
    };
    let chat;
    const Shown = () => {
      chat = useAgent({ url: "/agent", notify: "sync", fetch });
      watch(chat.agent);
      return chat.messages.length;
    };
    const { container, close } = await open([h(Shown, { key: 1 }), h(Suspense, { key: 2, fallback: null }, h(Suspended))]);
    // One that is shown, and one that the suspended component is rendered with again, which takes what its last render left.
    await swept(() => made() - gone() <= 2, () => `${gone()} of ${made()}`);
    await sweep();
    await act(async () => assert.equal((await chat.submit("hi")).outcome, "success"));
    assert.equal(container.textContent, "2");
    chat = undefined;
    await close();
    await swept(() => gone() >= made() - 1);
  });

  it("an <Activity> that was hidden finds its agent, also after a sweep", async () => {
    const { watch, gone } = collected();
    let chat;
    const Chat = () => {
      chat = useAgent({ url: "/agent", notify: "sync", fetch });
      watch(chat.agent);
      return chat.messages.length;
    };
    const show = (mode) => h(Activity, { mode }, h(Chat));
    const { container, render, close } = await open(show("visible"));
    await act(async () => void (await chat.submit("hi")));
    chat = undefined;
    await render(show("hidden"));
    await sweep();
    const before = gone();
    await render(show("visible"));
    assert.equal(container.textContent, "2");
    await act(async () => assert.equal((await chat.submit("more")).outcome, "success"));
    assert.equal(container.textContent, "3");
    assert.equal(gone(), before);
    chat = undefined;
    await close();
  });

  it("a run continues after an unmount, is saved, and then its agent is collected", async () => {
    const { watch, gone, made } = collected();
    const saves = [];
    const persist = storeOf({ load: () => undefined, save: (saved) => void saves.push(saved), clear() {} });
    const answer = deferred();
    const end = deferred();
    const asked = deferred();
    const slow = async () => (asked.resolve(), answer.promise);
    const { render, close } = await open(h(Thread, { id: "t", watch, persist, fetch: slow, ended: end.resolve }));
    await act(async () => asked.promise);
    await render(null);
    await close();
    await sweep();
    answer.resolve(run(...say("late")));
    assert.equal(await end.promise, "success");
    assert.equal(saves.at(-1).messages.at(-1).content, "late");
    await swept(() => gone() >= made() - 1);
  });

  it("what waits for another tab's lock is sent although its component is gone", async () => {
    const { watch, gone, made } = collected();
    let grant;
    const request = (_, ...rest) => {
      const take = rest.pop();
      // Asked for at once, it is not to be had; then it has to be waited for.
      return rest[0]?.ifAvailable ? Promise.resolve(take(null)) : new Promise((done) => (grant = () => done(take({}))));
    };
    Object.defineProperty(navigator, "locks", { value: { request }, configurable: true });
    const persist = storeOf({ key: "one", load: () => undefined, save() {}, clear() {} });
    const end = deferred();
    const { render, close } = await open(h(Thread, { id: "t", watch, persist, ended: end.resolve }));
    await render(null);
    await close();
    await sweep();
    assert.ok(gone() < made());
    grant();
    assert.equal(await end.promise, "success");
    delete navigator.locks;
    await swept(() => gone() >= made() - 1);
  });

  it("a remount by another key, and back", async () => {
    const { watch, gone, made } = collected();
    const { container, render, close } = await open(h(Thread, { key: 1, id: "1", watch }));
    for (const key of [2, 1, 2, 1]) await render(h(Thread, { key, id: String(key), watch }));
    await act(async () => {
      while (container.textContent !== "1 2") await new Promise(setImmediate);
    });
    await render(null);
    await close();
    await swept(() => gone() >= made() - 1);
  });
});

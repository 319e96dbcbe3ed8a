// Components that `{#key}` makes anew in the middle of a run, for svelte-scenarios.mjs, as react-remounts.mjs.

import { createAgentWith } from "ag-ui-wasm/agent";
import { createStore } from "ag-ui-wasm/slim";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { flushSync } from "svelte";
import { Session } from "./bundled-core.mjs";
import Keyed from "./components/Keyed.svelte";

/** `show` mounts a component; `until` waits for a condition. */
export function remounts(show, until) {
  describe("with a store, a component that {#key} makes anew in a run has that run:", () => {
    const said = (name) => Session.all.flatMap(({ calls }) => calls).filter(([called]) => called === name);
    /** A chat whose agent is made of options, once it has submitted something. */
    const begun = async () => {
      let saved;
      let ended;
      const ran = [];
      const work = { name: "work", description: "", parameters: {}, execute: () => (ran.push("work"), new Promise((resolve) => (ended = resolve))) };
      const persist = createStore({ load: () => saved, save: (next) => void (saved = next), clear: () => {} });
      const options = { url: "/agent", notify: "sync", persist, saving: { linger: 0 }, tools: [work] };
      const mounted = (given) => createAgentWith(async () => ({ CoreSession: Session }), given, true);
      let chat;
      const { text, target, unmount } = show(Keyed, { create: mounted, options, take: (made) => (chat = made) });
      const result = chat.submit("1");
      await until(() => said("submit").length);
      const anew = async () => {
        const before = chat;
        target.querySelector("button").click();
        flushSync();
        await new Promise((done) => setTimeout(done, 5));
        assert.notEqual(chat, before);
      };
      return { text, unmount, anew, ran, result, chat: () => chat, end: () => ended("done") };
    };
    const ends = async ({ result, unmount }, outcome = "success") => {
      if (outcome === "success") Session.last.finish();
      assert.equal((await result).outcome, outcome);
      assert.deepEqual([Session.all.length, said("submit").length], [1, 1]);
      await unmount();
    };

    it("while a tool of the page works, whose result arrives", async () => {
      const chat = await begun();
      Session.last.host.execute("c", "work", "{}", false);
      await until(() => chat.ran.length);
      await chat.anew();
      assert.equal(said("settleCall").length, 0);
      chat.end();
      await until(() => said("settleCall").length);
      assert.deepEqual(said("settleCall").map(([, { toolCallId, result }]) => [toolCallId, result]), [["c", "done"]]);
      assert.equal(chat.ran.length, 1);
      await ends(chat);
    });

    it("while an attempt to connect again is waited for", async () => {
      const chat = await begun();
      const connection = { phase: "reconnecting", attempt: 1, retryAt: 5 };
      Session.last.patch(["=", ["connection"], connection]);
      Session.last.changed(true);
      await chat.anew();
      assert.deepEqual([chat.text(), chat.chat().connection], ["running: 1", connection]);
      await ends(chat);
    });

    it("while a retry waits for its turn, which is asked for once", async () => {
      const chat = await begun();
      const again = chat.chat().retry();
      await chat.anew();
      assert.equal(chat.chat().queue.length, 1);
      Session.last.finish();
      assert.equal((await chat.result).outcome, "success");
      await chat.anew();
      assert.deepEqual([chat.text(), said("retry").length], ["running: 1", 1]);
      await ends({ ...chat, result: again });
    });

    it("in a text, and it can be stopped", async () => {
      const chat = await begun();
      Session.last.say("so far");
      await chat.anew();
      assert.equal(chat.text(), "running: 1 | so far");
      await chat.chat().stop();
      assert.equal(chat.text(), "idle: 1 | so far");
      await ends(chat, "aborted");
    });

    it("while a tool of the page works, and it can be stopped: its result is of no use", async () => {
      const chat = await begun();
      Session.last.host.execute("c", "work", "{}", false);
      await until(() => chat.ran.length);
      await chat.anew();
      await chat.chat().stop();
      chat.end();
      await new Promise((done) => setTimeout(done, 5));
      assert.deepEqual([said("stop").length, said("settleCall").length], [1, 0]);
      await ends(chat, "aborted");
    });
  });
}

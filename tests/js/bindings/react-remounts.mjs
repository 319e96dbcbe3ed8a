// Components that are made anew in the middle of a run, for react-scenarios.mjs.

import { createAgentWith } from "ag-ui-wasm/agent";
import { useAgentOf } from "ag-ui-wasm/bindings/react";
import { createStore } from "ag-ui-wasm/slim";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { act, Activity, createElement as h, Suspense } from "react";
import { Session } from "./bundled-core.mjs";

/** `mount` renders in StrictMode; `until` waits for a condition. */
export function remounts(mount, until) {
  describe("with a store, a component that is made anew in a run has that run:", () => {
    const said = (name) => Session.all.flatMap(({ calls }) => calls).filter(([called]) => called === name);
    /** A chat whose agent is made of options, in StrictMode, once it has submitted something. */
    const begun = async (saving, around = (chat) => chat) => {
      let saved;
      let ended;
      const ran = [];
      const work = { name: "work", description: "", parameters: {}, execute: () => (ran.push("work"), new Promise((resolve) => (ended = resolve))) };
      const persist = createStore({ load: () => saved, save: (next) => void (saved = next), clear: () => {} });
      const options = { url: "/agent", notify: "sync", persist, saving, tools: [work] };
      const mounted = (given) => createAgentWith(async () => ({ CoreSession: Session }), given, true);
      let chat;
      const Chat = () => {
        chat = useAgentOf(mounted, options);
        return h("p", null, `${chat.status}: ${chat.messages.map(({ content }) => content).join(" | ")}`);
      };
      const page = await mount(around(h(Chat, { key: 1 })));
      let result;
      await act(async () => void (result = chat.submit("1")));
      await act(() => until(() => said("submit").length));
      const anew = async () => {
        await page.render(null);
        await act(() => new Promise((done) => setTimeout(done)));
        await page.render(h(Chat, { key: 2 }));
      };
      return { ...page, Chat, chat: () => chat, result, anew, ran, end: () => ended("done"), text: () => page.container.textContent };
    };
    const ends = async ({ result, unmount }, outcome = "success") => {
      if (outcome === "success") await act(async () => Session.last.finish());
      assert.equal((await result).outcome, outcome);
      assert.deepEqual([Session.all.length, said("submit").length], [1, 1]);
      await unmount();
    };

    it("before the first byte", async () => {
      const chat = await begun();
      await chat.anew();
      assert.equal(chat.text(), "running: 1");
      await ends(chat);
    });

    it("in a text, and it can be stopped", async () => {
      const chat = await begun();
      await act(async () => Session.last.say("so far"));
      await chat.anew();
      assert.equal(chat.text(), "running: 1 | so far");
      await act(async () => chat.chat().stop());
      assert.equal(chat.text(), "idle: 1 | so far");
      await ends(chat, "aborted");
    });

    it("while a tool of the page works, whose result arrives", async () => {
      const chat = await begun();
      await act(async () => Session.last.host.execute("c", "work", "{}", false));
      await act(() => until(() => chat.ran.length));
      await chat.anew();
      chat.end();
      await act(() => until(() => said("settleCall").length));
      assert.deepEqual(said("settleCall").map(([, { toolCallId, result }]) => [toolCallId, result]), [["c", "done"]]);
      assert.equal(chat.ran.length, 1);
      await ends(chat);
    });

    it("while a call waits for approval, which is given afterwards", async () => {
      const chat = await begun();
      const call = { id: "c", name: "work", args: {}, argsText: "{}", status: "running", phase: "awaiting-approval", messageId: "a" };
      await act(async () => {
        Session.last.patch(["=", ["toolCalls"], [call]]);
        Session.last.changed(true);
      });
      await chat.anew();
      assert.equal(chat.chat().toolCalls[0].phase, "awaiting-approval");
      await act(async () => chat.chat().approve("c"));
      assert.deepEqual(said("approve").map(([, { toolCallId }]) => toolCallId), ["c"]);
      await ends(chat);
    });

    it("while an attempt to connect again is waited for", async () => {
      const chat = await begun();
      const connection = { phase: "reconnecting", attempt: 1, retryAt: 5 };
      await act(async () => {
        Session.last.patch(["=", ["connection"], connection]);
        Session.last.changed(true);
      });
      await chat.anew();
      assert.deepEqual([chat.text(), chat.chat().connection], ["running: 1", connection]);
      await ends(chat);
    });

    it("where another component of its boundary suspends", async () => {
      let suspended = false;
      const forever = new Promise(() => {});
      const Beside = () => {
        if (suspended) throw forever;
        return null;
      };
      const around = (chat) => h(Suspense, { fallback: "waits" }, chat, h(Beside));
      const chat = await begun({ linger: 0 }, around);
      suspended = true;
      await chat.render(around(h(chat.Chat, { key: 1 })));
      await act(() => new Promise((done) => setTimeout(done, 5)));
      await act(async () => Session.last.say("so far"));
      suspended = false;
      await chat.render(around(h(chat.Chat, { key: 1 })));
      assert.equal(chat.text(), "running: 1 | so far");
      await ends(chat);
    });

    it("where it is hidden and shown again by Activity", { skip: !Activity && "it comes with React 19.2" }, async () => {
      const around = (mode) => (chat) => h(Activity, { mode }, chat);
      const chat = await begun(undefined, around("visible"));
      await chat.render(around("hidden")(h(chat.Chat, { key: 1 })));
      await act(() => new Promise((done) => setTimeout(done, 5)));
      await act(async () => Session.last.say("so far"));
      await chat.render(around("visible")(h(chat.Chat, { key: 1 })));
      assert.equal(chat.text(), "running: 1 | so far");
      await ends(chat);
    });

    it("while a submit waits, which is sent once, and another one waits after it", async () => {
      const chat = await begun();
      const results = [];
      await act(async () => void results.push(chat.chat().submit("2")));
      await chat.anew();
      assert.deepEqual(chat.chat().queue.map(({ messages }) => messages[0].content), ["2"]);
      await act(async () => void results.push(chat.chat().submit("3")));
      for (let n = 0; n < 3; n++) await act(async () => Session.last.finish());
      assert.deepEqual((await Promise.all([chat.result, ...results])).map(({ outcome }) => outcome), ["success", "success", "success"]);
      assert.deepEqual([Session.all.length, said("submit").length], [1, 3]);
      await chat.unmount();
    });
  });
}

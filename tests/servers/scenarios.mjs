// A page with a server, one function a scenario. Each returns what the page shows and what the model saw; where servers differ, the table
// of `servers.mjs` has the expectation.

import assert from "node:assert/strict";
import { saw, shown, until } from "./stage.mjs";

/** @typedef {import("./stage.mjs").Stage} Stage */
/** @typedef {import("./servers.mjs").Server} Server */

const textsOf = (/** @type {readonly string[]} */ lines) => lines.filter((line) => !/^(assistant|reasoning):$/.test(line));

/** @type {Record<string, { needs?: (server: Server) => boolean, play: (stage: Stage, server: Server) => Promise<void> }>} */
export const scenarios = {
  "two turns": {
    async play(stage) {
      const agent = stage.open("turns");
      assert.equal((await agent.submit("hello")).outcome, "success");
      assert.equal((await agent.submit("count")).outcome, "success");
      assert.deepEqual(saw(stage), ["user: hello", "assistant: answer to hello", "user: count"]);
      assert.deepEqual(shown(agent), ["user: hello", "assistant: answer to hello", "user: count", "assistant: You said: hello | count"]);
    },
  },

  "opens a thread, and goes on with it": {
    needs: ({ opens }) => opens !== false,
    async play(stage) {
      const first = stage.open("opened");
      await first.submit("hello");
      first.dispose();
      const asked = stage.model.asked().length;
      const agent = stage.open("opened");
      await agent.ready;
      assert.deepEqual(shown(agent), ["user: hello", "assistant: answer to hello"]);
      assert.equal(agent.getSnapshot().thread.status, "ready");
      assert.equal(stage.model.asked().length, asked, "the model is not asked for it");
      await agent.submit("count");
      assert.deepEqual(saw(stage), ["user: hello", "assistant: answer to hello", "user: count"]);
      assert.deepEqual(shown(agent), ["user: hello", "assistant: answer to hello", "user: count", "assistant: You said: hello | count"]);
    },
  },

  "opens a thread that the server does not have": {
    needs: ({ opens }) => opens !== false,
    async play(stage) {
      const agent = stage.open("unknown");
      await agent.ready;
      const { messages, error, thread } = agent.getSnapshot();
      assert.deepEqual([messages, error, thread.status], [[], undefined, "new"]);
      assert.equal(stage.model.asked().length, 0);
    },
  },

  "opens a thread with a call": {
    needs: ({ opens, pageTools }) => opens !== false && pageTools !== false,
    async play(stage) {
      const first = stage.open("called");
      await first.submit("page");
      await until(first, ({ status, messages }) => status === "idle" && messages.at(-1)?.role === "assistant" && !!messages.at(-1)?.content);
      const before = textsOf(shown(first)).map((line) => line.replace("page_title()", "page_title({})"));
      first.dispose();
      const agent = stage.open("called");
      await agent.ready;
      assert.deepEqual(textsOf(shown(agent)).map((line) => line.replace("page_title()", "page_title({})")), before);
      const [{ phase, result } = { phase: "" }] = agent.getSnapshot().toolCalls;
      assert.deepEqual([phase, result], ["output-available", "Recipes"]);
    },
  },

  "opens a thread with a question": {
    needs: ({ asksAgain }) => asksAgain === true,
    async play(stage) {
      const first = stage.open("asked");
      await first.submit("delete");
      const asked = first.getSnapshot().interrupts.map(({ id }) => id);
      first.dispose();
      const agent = stage.open("asked");
      await agent.ready;
      const { interrupts } = agent.getSnapshot();
      assert.deepEqual(interrupts.map(({ id }) => id), asked);
      const resumed = await agent.resume({ id: asked[0] ?? "", payload: { approved: true } });
      assert.equal(resumed.outcome, "success", String(resumed.error));
      assert.equal(saw(stage)?.at(-1), "tool: deleted /tmp/a");
      assert.equal(shown(agent).at(-1), "assistant: It said: deleted /tmp/a");
    },
  },

  "opens a thread during a run": {
    needs: ({ joins }) => joins === true,
    async play(stage) {
      const first = stage.open("joined");
      await first.ready;
      const run = first.submit("slow");
      stage.model.release();
      await until(first, ({ messages }) => messages.at(-1)?.content === "one ");
      const agent = stage.open("joined");
      await until(agent, ({ messages }) => messages.at(-1)?.content === "one ");
      stage.model.release(9);
      await until(agent, ({ isLoading, messages }) => !isLoading && messages.at(-1)?.content === "one two three");
      assert.equal((await run).outcome, "success");
      assert.deepEqual(shown(agent), ["user: slow", "assistant: one two three"]);
      assert.equal(stage.model.asked().length, 1, "the model is asked once");
    },
  },

  "pages back in a thread": {
    needs: ({ pages }) => pages !== undefined,
    async play(stage, { pages = 0 }) {
      const first = stage.open("paged");
      const all = [];
      for (let at = 0; all.length <= 2 * pages; at++) {
        await first.submit(`q${at}`);
        all.push(`user: q${at}`, `assistant: answer to q${at}`);
      }
      first.dispose();
      const agent = stage.open("paged");
      await agent.ready;
      assert.deepEqual(shown(agent), all.slice(-pages));
      assert.equal(agent.getSnapshot().thread.hasOlder, true);
      assert.equal(await agent.loadOlder(), true);
      assert.deepEqual(shown(agent), all.slice(-2 * pages));
      assert.equal(await agent.loadOlder(), true);
      assert.deepEqual(shown(agent), all);
      assert.equal(agent.getSnapshot().thread.hasOlder, false);
    },
  },

  "lists threads, and changes them": {
    needs: ({ lists }) => lists !== undefined,
    async play(stage, { lists: { whole, changes } = {} }) {
      const agents = [];
      for (const name of ["listed-1", "listed-2", "listed-3", "listed-4", "listed-5", "listed-6"]) {
        agents.push(stage.open(name));
        await agents.at(-1)?.submit("hello");
      }
      const threads = stage.threads ?? assert.fail("the page has a list");
      const ids = () => threads.getSnapshot().threads.map(({ threadId }) => threadId);
      const own = agents.map((agent) => agent.getSnapshot().threadId);
      await threads.load();
      assert.equal(threads.getSnapshot().status, "ready");
      if (!whole) assert.deepEqual([ids().length, threads.getSnapshot().hasMore], [5, true]);
      while (await threads.loadMore());
      const times = threads.getSnapshot().threads.map(({ updatedAt = 0 }) => updatedAt);
      assert.deepEqual(times, times.toSorted((a, b) => b - a), "the newest first");
      assert.ok(own.every((id) => ids().includes(id)));
      assert.equal(new Set(ids()).size, ids().length, "each is there once");
      const [id = ""] = own;
      if (!changes) {
        for (const refused of [threads.rename(id, "Greeting"), threads.delete(id)]) await assert.rejects(refused, { code: "threads" });
        return;
      }
      await threads.rename(id, "Greeting");
      await threads.load();
      assert.equal(threads.getSnapshot().threads.find(({ threadId }) => threadId === id)?.title, "Greeting");
      await threads.delete(id);
      await threads.load();
      assert.ok(!ids().includes(id) && own.slice(1).every((other) => ids().includes(other)));
      const again = stage.open("listed-1");
      await again.ready;
      assert.deepEqual([shown(again), again.getSnapshot().thread.status], [[], "new"]);
    },
  },

  "calls a tool of the page": {
    needs: ({ pageTools }) => pageTools !== false,
    async play(stage, { pageSaw = ["assistant: page_title({})", "tool: Recipes"], pageSays = "It said: Recipes" }) {
      const agent = stage.open("page");
      await agent.submit("page");
      await until(agent, ({ status, messages }) => status === "idle" && messages.at(-1)?.role === "assistant" && !!messages.at(-1)?.content);
      assert.deepEqual(saw(stage), ["user: page", ...pageSaw]);
      const lines = textsOf(shown(agent)).map((line) => line.replace("page_title()", "page_title({})"));
      assert.deepEqual(lines, ["user: page", "assistant: page_title({})", "tool: Recipes", `assistant: ${pageSays}`]);
    },
  },

  "asks for approval": {
    needs: ({ approval }) => approval === true,
    async play(stage) {
      const agent = stage.open("approval");
      assert.equal((await agent.submit("delete")).outcome, "interrupted");
      const [interrupt, ...others] = agent.getSnapshot().interrupts;
      assert.ok(interrupt);
      assert.deepEqual(others, []);
      const resumed = await agent.resume({ id: interrupt.id, payload: { approved: true } });
      assert.equal(resumed.outcome, "success", String(resumed.error));
      assert.deepEqual(saw(stage)?.map((line) => line.replaceAll('": "', '":"')), [
        "user: delete",
        'assistant: delete_file({"path":"/tmp/a"})',
        "tool: deleted /tmp/a",
      ]);
      assert.equal(shown(agent).at(-1), "assistant: It said: deleted /tmp/a");
      assert.deepEqual(agent.getSnapshot().interrupts, []);
    },
  },

  "edits a message": {
    async play(stage, { edits }) {
      const agent = stage.open("edit");
      await agent.submit("hello");
      const id = agent.getSnapshot().messages[0]?.id ?? "";
      const edit = agent.submit({ message: "count", replaces: id });
      if (edits === "none") {
        await assert.rejects(edit, (/** @type {any} */ error) => error.code === "server-keeps");
        assert.deepEqual(shown(agent), ["user: hello", "assistant: answer to hello"]);
        return;
      }
      assert.equal((await edit).outcome, "success");
      assert.deepEqual(saw(stage), edits === "appended" ? ["user: hello", "assistant: answer to hello", "user: count"] : ["user: count"]);
      if (edits === "replaced") assert.deepEqual(shown(agent), ["user: count", "assistant: You said: count"]);
    },
  },

  regenerates: {
    async play(stage, { edits }) {
      const agent = stage.open("again");
      await agent.submit("hello");
      const again = agent.regenerate();
      if (edits === "none") {
        await assert.rejects(again, (/** @type {any} */ error) => error.code === "server-keeps");
        return;
      }
      assert.equal((await again).outcome, "success");
      assert.deepEqual(saw(stage), edits === "appended" ? ["user: hello", "assistant: answer to hello", "user: hello"] : ["user: hello"]);
      if (edits === "replaced") assert.deepEqual(shown(agent), ["user: hello", "assistant: answer to hello"]);
    },
  },

  "stops, and goes on": {
    async play(stage, { afterStop, goesOn = false }) {
      const agent = stage.open("stop");
      const run = agent.submit("slow");
      stage.model.release();
      await until(agent, ({ messages }) => messages.at(-1)?.content === "one ");
      await agent.stop();
      assert.equal((await run).outcome, "aborted");
      assert.deepEqual(shown(agent), ["user: slow", "assistant: one "]);
      if (goesOn) stage.model.release(9);
      else await stage.model.abandoned(1);
      const next = await agent.submit("count");
      assert.equal(next.outcome, "success", String(next.error));
      assert.equal(saw(stage)?.at(-1), "user: count");
      if (afterStop) assert.deepEqual(saw(stage)?.slice(0, -1), afterStop);
    },
  },

  "loses its connection": {
    async play(stage, { rejoins }) {
      const agent = stage.open("cut");
      await agent.ready;
      stage.line.cutAfter('"delta":"one "');
      const run = agent.submit("slow");
      stage.model.release();
      await until(agent, ({ messages, connection, error }) => messages.at(-1)?.content === "one " || connection.phase === "reconnecting" || !!error);
      stage.model.release(9);
      const { outcome, error } = await run;
      if (rejoins) {
        assert.equal(outcome, "success");
        assert.deepEqual(shown(agent), ["user: slow", "assistant: one two three"]);
        assert.equal(stage.model.asked().length, 1, "the model is asked once");
        return;
      }
      assert.deepEqual([outcome, error?.retryable], ["truncated", true]);
      assert.deepEqual(shown(agent), ["user: slow", "assistant: one "]);
    },
  },

  "asks while another page has a run": {
    needs: ({ busy }) => busy === true,
    async play(stage) {
      const [one, two] = [stage.open("busy"), stage.open("busy")];
      await Promise.all([one.ready, two.ready]);
      const run = one.submit("slow");
      stage.model.release();
      await until(one, ({ messages }) => messages.at(-1)?.content === "one ");
      const second = two.submit("count");
      await until(two, ({ connection, error }) => connection.phase === "reconnecting" || !!error);
      stage.model.release(9);
      assert.equal((await run).outcome, "success");
      assert.equal((await second).outcome, "success");
      assert.deepEqual(saw(stage), ["user: slow", "assistant: one two three", "user: count"]);
      assert.deepEqual(shown(two), ["user: slow", "assistant: one two three", "user: count", "assistant: You said: slow | count"]);
    },
  },

  "is told something during a run": {
    async play(stage, { afterRun = ["user: slow", "assistant: one two three"] }) {
      const agent = stage.open("steer");
      const run = agent.submit("slow");
      stage.model.release();
      await until(agent, ({ messages }) => messages.at(-1)?.content === "one ");
      const steered = agent.submit({ message: "count", ifBusy: "steer" });
      await until(agent, ({ queue }) => queue.length === 1); // no server here takes it during the run
      stage.model.release(9);
      await run;
      assert.equal((await steered).outcome, "success");
      assert.deepEqual(saw(stage), [...afterRun, "user: count"]);
    },
  },
};

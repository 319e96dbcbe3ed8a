// A thread's questions to its store, and when the answer counts.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { deferred, load } from "../lib.mjs";
import { turn } from "./over-stores.mjs";

const { StoredSaves } = await load("persistence/saves");
const { withoutLeft } = await load("persistence/merge");

const save = (text) => ({ v: 1, messages: [{ id: text, role: "user", content: text }], state: {}, queue: [] });

describe("a question to a store", () => {
  let heard;
  /** A thread that owns its store, waits, and has nothing. */
  const thread = (more) => {
    const said = save("said");
    const pending = { list: [], confirmed: () => ({}), parted: () => [undefined, [], [], []], end() {}, show() {} };
    const shared = { home: {}, pending, settleAll() {} };
    const link = {
      awaitSave() {},
      restore: (_, json) => heard.push(`goes on with ${json && JSON.parse(json).messages[0].id}`),
      live: () => undefined,
      busy: () => false,
      load() {},
      save: () => JSON.stringify(said),
      shared,
    };
    const members = { watched: () => false };
    const emitter = { emit: (_, { code }) => heard.push(code) };
    const client = { link, members, emitter, remote: { saved: (json) => json }, options: () => ({}), read: () => ({}), disposed: () => false };
    const beginning = { show: (value) => heard.push(value?.messages[0].id ?? "nothing"), refuse: (cause) => heard.push(`refused: ${cause}`) };
    const saves = new StoredSaves({ persist: {}, saving: { loadMs: 500 } }, { ...client, shown: {} }, beginning, { text: {} });
    return Object.assign(saves, {
      claim: {
        ...{ left: false, knows: () => true, rest() {} },
        owns() {
          return !this.left;
        },
        leave: () => {
          saves.claim.left = true;
          heard.push("left");
        },
        writer: { write: ({ save }) => heard.push(`wrote ${JSON.parse(save).messages.map(({ id }) => id)}`) },
      },
      ...more,
    });
  };
  beforeEach(() => {
    heard = [];
    mock.timers.enable({ apis: ["setTimeout"] });
  });
  afterEach(() => mock.timers.reset());

  it("is answered at once, or refused", async () => {
    for (const [read, store] of [[() => save("a"), "known"], [() => {
      throw "no";
    }, "refused"]]) {
      const self = thread();
      self.ask(read);
      assert.deepEqual([self.gate, self.store], ["open", store]);
    }
    mock.timers.tick(500);
    await turn();
    assert.deepEqual(heard, ["a", "goes on with undefined", "refused: no"]);
  });

  it("that is refused is reported once; a tab that only looks keeps what waits there, and the owner what was read before", () => {
    const no = () => {
      throw "no";
    };
    const self = thread();
    self.claim.left = true;
    for (const read of [no, no, () => save("a"), no]) self.ask(read);
    assert.deepEqual(heard.splice(0), ["refused: no", "a"]);
    self.claim.left = false;
    for (const read of [no, no]) self.ask(read);
    assert.deepEqual(heard, ["goes on with a", "refused: no", "goes on with undefined"]);
  });

  it("is open until the answer comes, or is late; what comes after that is shown, unless something was said", async () => {
    for (const dirty of [false, true]) {
      heard = [];
      const self = thread({ dirty });
      const answer = deferred();
      self.ask(() => answer.promise);
      assert.deepEqual([self.gate, self.store], ["closed", "asked"]);
      mock.timers.tick(500);
      await turn();
      assert.deepEqual([self.gate, self.store, heard], ["open", "late", ["nothing", "not-restored"]]);
      answer.resolve(save("x"));
      await turn();
      const isTouched = self.timer !== undefined;
      const [shown, aside] = dirty ? ["not-restored", save("x")] : ["x", undefined];
      assert.deepEqual([self.store, heard.at(-1), self.aside && JSON.parse(self.aside), isTouched], ["known", shown, aside, dirty]);
    }
  });

  it("that is refused too late is as if it was refused, and nothing is reported once more", async () => {
    const self = thread();
    const answer = deferred();
    self.ask(() => answer.promise);
    mock.timers.tick(500);
    await turn();
    heard = [];
    answer.reject(new Error("no"));
    await turn();
    assert.deepEqual([self.store, heard], ["refused", []]);
  });

  it("is merged with what is put aside each time that another tab has written, and the state of that tab stays", async () => {
    const own = (value) => ({ ...save("own"), state: value });
    const shown = [];
    const self = thread({ aside: JSON.stringify(own({})), state: "{}" });
    self.beginning.show = (value) => value && shown.push(value.state);
    self.claim.left = true;
    self.ask(() => ({ ...save("x"), state: { theirs: true } }));
    self.ask(() => ({ ...save("y"), state: { theirs: true } }));
    assert.deepEqual(shown, [{ theirs: true }, { theirs: true }]);
  });

  it("that was answered with nothing leaves nothing to take away when the thread begins anew", async () => {
    const self = thread();
    self.claim.left = true;
    self.thread.shown.first = { messages: [], state: {} };
    self.ask(() => undefined);
    self.renew();
    self.ask(() => save("since"));
    assert.equal(heard.at(-1), "since");
  });

  it("that was answered with nothing leaves nothing to take away, either, while the store is asked once more", async () => {
    const self = thread();
    self.claim.left = true;
    self.thread.shown.first = { messages: [], state: {} };
    self.ask(() => undefined);
    const answer = deferred();
    self.ask(() => answer.promise, Infinity);
    self.renew();
    answer.resolve(save("since"));
    await turn();
    assert.equal(heard.at(-1), "since");
  });

  it("has what others have said since where that followed, in a thread that has returned to where it was", () => {
    const thread = (...ids) => JSON.stringify({ messages: ids.map((id) => ({ id })) });
    const first = [{ id: "first" }];
    const own = JSON.stringify({ messages: [{ id: "first" }, { id: "kept", content: "edited" }, { id: "new" }] });
    const merged = JSON.parse(withoutLeft(thread("first", "kept", "since", "left", "after"), [thread("first", "kept", "left")], first, own));
    assert.deepEqual(merged.messages, [{ id: "first" }, { id: "kept", content: "edited" }, { id: "since" }, { id: "after" }]);
    assert.equal(withoutLeft(thread("first", "kept", "left"), [thread("first", "kept", "left")], first, own), undefined);
  });

  it("counts no more once the next one is asked", async () => {
    const self = thread();
    const [first, second, third] = [deferred(), deferred(), deferred()];
    for (const { promise } of [first, second, third]) self.ask(() => promise, Infinity);
    first.resolve(save("1"));
    second.reject(new Error("2"));
    await turn();
    assert.deepEqual([heard, self.store], [[], "asked"]);
  });

  it("is asked once more at the end, or before the store is let go, where it was refused before: what the store has is kept", async () => {
    for (const [end, read] of [["dispose", () => save("x")], ["dispose", async () => save("x")], ["letGo", () => save("x")]]) {
      heard = [];
      const self = thread({ gate: "open", store: "refused", dirty: true });
      self.claim.read = read;
      self[end]();
      await turn();
      assert.deepEqual(heard.filter((each) => each !== "left"), ["wrote x,said"], end);
    }
  });

  it("is too late after the end, and the store is left", async () => {
    const self = thread();
    const answer = deferred();
    self.ask(() => answer.promise);
    Object.assign(self, { gate: "ended", dirty: true, last: JSON.stringify(save("said")) });
    mock.timers.tick(500);
    answer.resolve(save("1"));
    await turn();
    assert.deepEqual(heard, ["wrote 1,said", "left"]);
  });

  it("keeps the store for the calls that wait for the answer, and no longer", async () => {
    const self = thread();
    const answer = deferred();
    self.ask(() => answer.promise);
    assert.equal(self.busy(), false);
    const ready = self.ready();
    assert.equal(self.busy(), true);
    answer.resolve(save("1"));
    await ready;
    assert.equal(self.busy(), false);
  });

  it("of a tab that only looks is asked once more where the owner has written meanwhile", async () => {
    const self = thread();
    const answers = [deferred(), deferred()];
    const reads = answers.map(({ promise }) => promise);
    Object.assign(self.claim, { left: true, knows: () => false, read: () => reads.shift() });
    self.thread.members.watched = () => true;
    for (let told = 0; told < 3; told++) self.look();
    for (const [at, answer] of answers.entries()) {
      answer.resolve(save(`${at}`));
      await turn();
    }
    assert.deepEqual([heard, reads.length], [["0", "1"], 0]);
  });

  it("of a tab that only looks and has a save is asked again once the store is its own, where it was refused", () => {
    const self = thread({ last: JSON.stringify(save("shown")) });
    const reads = [() => {
      throw "no";
    }, () => save("found")];
    Object.assign(self.claim, { left: true, knows: () => reads.length === 0, read: () => reads.shift()() });
    self.thread.members.watched = () => true;
    self.look();
    assert.deepEqual(heard, []);
    self.claim.left = false;
    self.own();
    assert.deepEqual([heard, self.gate], [["found"], "open"]);
  });
});

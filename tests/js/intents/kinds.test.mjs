// The kinds of intents: what each asks of the core, and how it looks until the core has it. worker-table.test.mjs and lockstep.test.mjs
// hold the same folds against the core.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const modules = ["snapshot/initial", "snapshot/run", "snapshot/save", "intents/run"].map(load);
const [{ initialSnapshot }, { begun }, { changedQueue }, { begins, queuedOf }] = await Promise.all(modules);
const kinds = ["submit", "again", "attach", "answer", "act", "edit-messages", "edit-state", "edit-queued", "cancel", "stop", "reset", "fork"];
const { submit, askAgain, askLost, attach, answer, act, messagesEdit, stateEdit, queuedEdit, cancel, stop, reset, toFork } = Object.assign(
  {},
  ...await Promise.all(kinds.map((kind) => load(`intents/${kind}`))),
);

const user = (id, more) => ({ id, role: "user", content: id, delivery: "complete", ...more });
const input = { runId: "r", tools: [], pageTools: [], context: [], forwardedProps: {} };
const given = { ...input, messages: [user("new")], ifBusy: "queue" };
const idle = initialSnapshot("t", [user("a"), user("b")], { n: 1, list: [1] });
const running = {
  ...begun(idle, "run"),
  messages: [...idle.messages, { id: "c", role: "assistant", content: "half", delivery: "streaming" }],
};
const row = (id) => ({ id: `r${id}`, runId: `r${id}`, messages: [user(id)] });
const waiting = { ...running, queue: [row("1"), row("2")] };
const ids = ({ messages }) => messages.map(({ id }) => id);
const data = ({ json }) => JSON.parse(json);

/** The result of a fold, which leaves what it was given as it was. */
function folded(intent, at) {
  const before = structuredClone(at);
  const next = intent.fold(at);
  assert.deepEqual(at, before);
  return next;
}

describe("a submit", () => {
  it("adds its messages, once", () => {
    const intent = submit(given, []);
    const once = folded(intent, idle);
    assert.deepEqual(ids(once), ["a", "b", "new"]);
    assert.deepEqual(folded(intent, once), once);
    assert.deepEqual([intent.id, intent.method, data(intent)], ["r", "submit", given]);
    assert.equal(once.toolCalls, idle.toolCalls);
  });

  it("takes the place of a message, and merges its state", () => {
    const at = folded(submit({ ...given, replaces: "b", state: { n: 2 } }, []), idle);
    assert.deepEqual([ids(at), at.state], [["a", "new"], { n: 2, list: [1] }]);
    assert.equal(folded(submit({ ...given, state: 7 }, []), idle).state, 7);
  });

  it("begins as a run", () => {
    const { runId, isLoading, connection, messages } = folded({ fold: begins(submit(given, [])) }, idle);
    assert.deepEqual([runId, isLoading, connection.phase, messages.length], ["r", true, "connecting", 3]);
  });

  it("waits for approvals only if it says so", () => {
    const calls = [{ id: "c", phase: "awaiting-approval" }];
    assert.equal(submit({ ...given, ifAwaiting: "wait" }, calls).waits, true);
    assert.equal(submit({ ...given, ifAwaiting: "wait" }, []).waits, false);
    assert.equal(submit(given, calls).waits, false);
  });

  it("asks again after a failed load without what stands in the thread", () => {
    const lost = askLost(submit({ ...given, state: { n: 2 }, replaces: "b" }, []));
    assert.deepEqual([lost.id, lost.method], ["r", "retry"]);
    assert.deepEqual(data(lost), { ...input, messages: [], ifBusy: "queue" });
    const replies = [{ interruptId: "i", status: "resolved" }];
    const reply = askLost(submit({ ...given, resume: replies }, []));
    assert.deepEqual([reply.method, data(reply).resume, data(reply).messages], ["submit", replies, []]);
    const joined = attach(input, "old", "last");
    assert.deepEqual(askLost(joined), joined);
  });
});

it("asking again, joining a run and an answer bring nothing to the thread", () => {
  const again = askAgain("regenerate", input, "m");
  assert.deepEqual([again.id, again.method, data(again)], ["r", "regenerate", { ...input, of: "m" }]);
  const joined = attach(input, undefined, "last");
  assert.deepEqual([joined.id, joined.method, data(joined).runId], ["last", "attach", undefined]);
  const reply = answer({ interruptId: "i", status: "resolved" }, input);
  assert.deepEqual([reply.id, reply.method, reply.part], ["r", "answer", true]);
  assert.deepEqual(data(reply), { interruptId: "i", status: "resolved", run: input });
  assert.deepEqual([again, joined, reply].map(({ fold }) => fold), [undefined, undefined, undefined]);
});

it("submits and what is asked again wait in a save, replies and joined runs do not", () => {
  const runs = [submit(given, []), askAgain("retry", input), attach(input, "x", ""), answer({}, input)];
  const queued = queuedOf([...runs.map((run) => ({ run })), {}]);
  assert.deepEqual(queued, [{ ...given, start: "submit" }, { ...input, messages: [], start: "retry" }]);
});

it("a decision needs the core, and shows nothing before", () => {
  const denial = act("deny", { toolCallId: "c", reason: undefined });
  assert.deepEqual([denial.method, denial.acts, data(denial)], ["deny", true, { toolCallId: "c" }]);
  assert.equal(denial.fold(running), running);
  assert.equal(act("disconnect").json, undefined);
});

describe("an edit", () => {
  it("of the state changes what it has changed, whatever has come since", () => {
    const intent = stateEdit(idle.state, { ...idle.state, mine: true });
    assert.deepEqual([intent.method, data(intent)], ["editState", { before: {}, after: { mine: true } }]);
    const at = folded(intent, { ...idle, state: { n: 5, list: [1, 2] } });
    assert.deepEqual(at.state, { n: 5, list: [1, 2], mine: true });
  });

  it("of a list of the state leaves what has come into it since", () => {
    const [a, b, own, theirs] = ["a", "b", "own", "theirs"].map((id) => ({ id }));
    const intent = stateEdit({ list: [a, b] }, { list: [own, b] });
    assert.deepEqual(folded(intent, { ...idle, state: { list: [a, { ...b, n: 1 }, theirs] } }).state, { list: [own, { ...b, n: 1 }, theirs] });
  });

  it("of messages leaves what the server has added since", () => {
    const intent = messagesEdit(idle.messages, [{ ...idle.messages[0], content: "changed" }]);
    const at = folded(intent, running);
    assert.deepEqual(at.messages.map(({ content }) => content), ["changed", "half"]);
    assert.equal(at.messages[1], running.messages[2]);
    assert.deepEqual(data(intent).after[0].content, "changed");
    assert.throws(() => messagesEdit([], "none"), /setMessages\(\)/);
  });

  it("of a submit that waits changes its row, and what a save has of it", () => {
    const messages = [user("1", { content: "other" })];
    const intent = queuedEdit("r1", { messages, context: [], own: ["context"] });
    assert.deepEqual([intent.method, intent.runId, data(intent)], ["editQueued", "r1", { messages, context: [], own: ["context"], runId: "r1" }]);
    const at = folded(intent, waiting);
    assert.deepEqual(at.queue, [{ ...row("1"), messages }, row("2")]);
    assert.equal(at.queue[1], waiting.queue[1]);
    const saved = { runId: "r1", start: "submit", messages: [user("1")], own: ["tools"], tools: [] };
    assert.deepEqual(changedQueue([saved], [intent]), [{ ...saved, messages, context: [], own: ["tools", "context"] }]);
  });
});

describe("the end of a run", () => {
  it("is shown at once, and stays whatever is on the way", () => {
    const intent = stop(running);
    const at = folded(intent, running);
    assert.deepEqual([at.isLoading, at.outcome, at.messages.at(-1).delivery], [false, "aborted", "aborted"]);
    const later = { ...running, messages: [...running.messages, user("late")] };
    assert.equal(folded(intent, later), at);
    assert.deepEqual([intent.method, intent.json, intent.stops], ["stop", "", true]);
  });

  it("is not shown where the next submit begins, or nothing runs", () => {
    assert.equal(stop(waiting).fold(waiting), waiting);
    // By the time that a worker hears of it these may have begun, which nobody has seen.
    assert.deepEqual(stop(waiting).json.split("\n"), waiting.queue.map(({ runId }) => runId));
    assert.equal(stop(idle).fold(idle), idle);
  });

  it("comes of a submit that is taken back once it runs; before, it leaves the queue", () => {
    const runs = cancel("run", running);
    assert.deepEqual([runs.method, runs.json, runs.stops, folded(runs, running).outcome], ["cancel", "run", true, "aborted"]);
    const waits = cancel("r1", waiting);
    assert.deepEqual(folded(waits, waiting).queue, [row("2")]);
    assert.deepEqual([waits.json, waits.stops, changedQueue([{ runId: "r1" }, { runId: "r2" }], [waits])], ["r1", undefined, [{ runId: "r2" }]]);
  });
});

describe("a new beginning", () => {
  it("is the first thread, under the id that the thread has", () => {
    const intent = reset(initialSnapshot("", [user("first")], { n: 0 }));
    const at = folded(intent, running);
    assert.deepEqual([at.threadId, ids(at), at.state, at.isLoading], ["t", ["first"], { n: 0 }, false]);
    assert.deepEqual([intent.resets, data(intent).state, ids(data(intent))], [true, { n: 0 }, ["first"]]);
  });

  it("is the thread of a checkpoint, with its interrupts open", () => {
    const interrupts = [{ id: "i", reason: "r", answered: true }];
    const intent = toFork("t", { ...running, interrupts });
    const at = folded(intent, idle);
    assert.deepEqual([ids(at), at.messages.at(-1).delivery, at.runId, at.isLoading], [["a", "b", "c"], "aborted", undefined, false]);
    assert.deepEqual([at.state, at.interrupts], [running.state, interrupts]);
    assert.deepEqual([intent.resets, intent.save], [true, intent.json]);
    assert.deepEqual(data(intent).interrupts, [{ id: "i", reason: "r" }]);
  });
});

// The people of the plays of tabs.mjs who have a second thought: they ask for another answer, say something else in place of what they
// have said, or begin the thread anew where they have the store.

import assert from "node:assert/strict";

export class Rewriters {
  /** The second thoughts, as they came. */
  thoughts = [];
  /** The messages that were replaced, by what is said in their place. */
  #replaced = new Map();
  /** The messages that went with a thread, and the person that has begun it anew. */
  wiped = new Map();
  mayGo = new Set();

  constructor(pick, outside, origin, promises) {
    Object.assign(this, { pick, outside, origin, promises });
  }

  /** Another answer to the last question. */
  regenerate(life) {
    const { messages } = life.agent.getSnapshot();
    if (!messages.some(({ role }) => role === "assistant")) return;
    this.origin.retries++;
    this.#follow(life, "regenerates", undefined, life.agent.regenerate());
  }

  /** Says something else in place of one of its messages; all after that goes. */
  replace(life, name) {
    const { messages } = life.agent.getSnapshot();
    const said = messages.filter(({ role, id }) => role === "user" && id.startsWith("u"));
    const old = said[this.pick(said.length || 1)];
    if (!old) return;
    this.#replaced.set(name, old.id);
    const promise = { id: name, life, content: "say", result: undefined, left: false, rests: false };
    this.promises.push(promise);
    const input = { message: { id: name, role: "user", content: "say" }, runId: `run ${name}`, replaces: old.id };
    this.#follow(life, `replaces ${old.id} by ${name}`, promise, life.agent.submit(input));
  }

  /** Whether it may have gone with a thread. */
  isWiped(id) {
    return this.wiped.has(id) || this.mayGo.has(id);
  }

  /** Begins the thread anew. `saved`: what the store has. One that its page has yet to read goes with it, or not. */
  reset(life, saved) {
    const { page, agent } = life;
    if (this.origin.owners.at(-1) !== page || !page.free.size || this.outside.expects(`${page.name} frees the lock`)) return;
    const { messages, queue } = agent.getSnapshot();
    const gone = [...messages, ...queue.flatMap((row) => row.messages)].map(({ id }) => id);
    const waits = this.promises.filter((promise) => promise.life.page === page && promise.life.frameBytes === life.frameBytes && promise.result === undefined);
    for (const { id } of [...(saved?.messages ?? []), ...(saved?.queue ?? []).flatMap((row) => row.messages)]) this.mayGo.add(id);
    for (const id of [...gone, ...waits.map(({ id }) => id)]) this.wiped.set(id, life);
    this.outside.note(`${life.name} resets ${gone}`);
    agent.reset();
  }

  #follow(life, what, promise, result) {
    const thought = { life, what, result: undefined, stopped: false };
    this.thoughts.push(thought);
    this.outside.note(`${life.name} ${what}`);
    const settle = (result, words) => {
      thought.result = result;
      if (promise) promise.result = result;
      this.outside.note(`${life.name} ${what}: ${words}`);
    };
    result.then(({ outcome, runId }) => settle(outcome, `${outcome} ${runId}`), (error) => settle(error, `refused ${error.code} ${error.message}`));
  }

  /** Whether something was said later in place of this, or of what stood before it. `ids`: of the thread that is saved in the end. */
  isReplaced(id, ids) {
    const lasts = this.origin.requests.map(({ last }) => last);
    return [...this.#replaced.keys()].some((name) => lasts.indexOf(name) > lasts.indexOf(id) || ids.includes(name));
  }

  /** Whether an answer may have gone with a run that was to bring another one, and has not. */
  get unanswered() {
    return this.thoughts.some(({ result }) => result !== "success");
  }

  /** `ids`: the same. */
  check(ids) {
    for (const [id, { gone, page, late }] of this.wiped) assert.ok(gone || late || page.lost || !ids.includes(id), `${id} has come back`);
    for (const [name, id] of this.#replaced) assert.ok(!ids.includes(id) || !ids.includes(name), `${id} is there beside ${name}, which has replaced it`);
    for (const { life, what, result } of this.thoughts)
      if (!life.gone && !life.page.lost) assert.ok(result !== undefined, `${life.name} ${what}, and it is still waited for`);
  }
}

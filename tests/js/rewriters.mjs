// The people of the plays of tabs.mjs who have a second thought: they ask for another answer, say something else in place of what they
// have said, or begin the thread anew or return to where it was, where they have the store.

import assert from "node:assert/strict";

export class Rewriters {
  /** The second thoughts, as they came. */
  thoughts = [];
  /** The messages that were replaced, by what is said in their place. */
  #replaced = new Map();
  /** The messages that went with a thread, and the person that has begun it anew. */
  wiped = new Map();
  mayGo = new Set();
  /** The messages whose answer may have gone as somebody returned to before it. */
  returned = new Set();
  /** The messages that a page without the store has returned to: it takes them along, whatever is said in another page since. */
  #taken = new Set();

  /** `kept`: the server keeps the thread, and hears of no second thought. `anywhere`: also where their page does not have the store. */
  constructor(pick, outside, origin, promises, { thread, anywhere }) {
    Object.assign(this, { pick, outside, origin, promises, anywhere, kept: !!thread });
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

  /** Begins the thread anew. `saved`: what the store has. */
  reset(life, saved) {
    if (!this.#owns(life)) return;
    this.#wipe(life, saved, [], "resets");
    life.agent.reset();
  }

  /** Returns to where the thread was once, and perhaps asks again there. `saved`: the same. */
  fork(life, saved, runId) {
    const { agent } = life;
    const checkpoint = agent.history[this.pick(agent.history.length || 1)];
    if (!checkpoint || !this.#owns(life)) return;
    const stay = agent.at(checkpoint).messages.map(({ id }) => id);
    this.#wipe(life, saved, stay, `returns to ${checkpoint.id} with ${stay}, without`);
    for (const id of stay) {
      const wasWiped = this.wiped.delete(id);
      const ended = wasWiped || this.promises.some((promise) => promise.id === id && promise.result === undefined);
      // A page without the store takes it away once it has that.
      if (!this.anywhere) this.mayGo.delete(id);
      else if (wasWiped) this.mayGo.add(id);
      if (!this.#has(life)) this.#taken.add(id);
      if (ended || !stay.includes(`after ${id}`)) this.returned.add(id);
    }
    agent.fork(checkpoint);
    // With nothing new to say, a server that keeps the thread is asked for that.
    if (this.kept || this.pick(2)) return;
    this.origin.retries++;
    // The server answers with the ids that it had for it before.
    for (const id of [`after ${stay.at(-1)}`, `call ${stay.at(-1)}-result`]) this.wiped.delete(id);
    this.#follow(life, `asks ${runId}`, undefined, agent.submit({ runId }));
  }

  #owns(life) {
    return this.anywhere || this.#has(life);
  }

  #has({ page }) {
    return this.origin.owners.at(-1) === page && page.free.size > 0 && !this.outside.expects(`${page.name} frees the lock`);
  }

  /** All that is said goes but for these. What its page has yet to read of the store goes with it, or not. */
  #wipe(life, saved, stay, what) {
    const { page, agent } = life;
    // The thread is opened no longer, as after a stop.
    page.stopped = true;
    const { messages, queue } = agent.getSnapshot();
    const gone = [...messages, ...queue.flatMap((row) => row.messages)].map(({ id }) => id).filter((id) => !stay.includes(id));
    const waits = this.promises.filter((promise) => promise.life.page === page && promise.life.frameBytes === life.frameBytes && promise.result === undefined);
    for (const { id } of [...(saved?.messages ?? []), ...(saved?.queue ?? []).flatMap((row) => row.messages)]) this.mayGo.add(id);
    for (const id of [...gone, ...waits.map(({ id }) => id)]) this.wiped.set(id, life);
    this.outside.note(`${life.name} ${what} ${gone}`);
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
    // Somebody who returns may have the same answers again.
    const wiped = [...this.wiped].filter(([id]) => !this.returned.size || /^[ue]/.test(id));
    for (const [id, { gone, page, late }] of wiped) {
      assert.ok(gone || late || page.lost || this.kept || this.#taken.has(id) || !ids.includes(id), `${id} has come back`);
    }
    for (const [name, id] of this.#replaced) assert.ok(!ids.includes(id) || !ids.includes(name), `${id} is there beside ${name}, which has replaced it`);
    for (const { life, what, result } of this.thoughts)
      if (!life.gone && !life.page.lost) assert.ok(result !== undefined, `${life.name} ${what}, and it is still waited for`);
  }
}

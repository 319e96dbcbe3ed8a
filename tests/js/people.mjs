// The people of the plays of tabs.mjs who answer the agent: its questions, and calls that the page has no function for.

import assert from "node:assert/strict";

export class People {
  /** The replies to interrupts, and the results of calls, as they were given. */
  replies = [];
  results = [];

  constructor(kind, pick, outside, origin) {
    Object.assign(this, { kind, pick, outside, origin });
  }

  /** Whether its page has the store. */
  owns = ({ page }) => this.kind.alone || (this.origin.owners.at(-1) === page && page.free.size > 0);

  /** Replies to one of the agent's questions, where there is one. */
  reply(life) {
    const open = life.agent.getSnapshot().interrupts.filter(({ answered }) => !answered);
    const interrupt = open[this.pick(open.length || 1)];
    if (!interrupt) return false;
    const { id } = interrupt;
    this.outside.note(`${life.name} replies ${id}`);
    // A run of another page may have gone out with it, and was cut off, or was stopped before it went out.
    const went = this.origin.replies.some(({ interruptId }) => interruptId === id) ||
      this.replies.some((one) => one.result === "aborted" && one.id.split(" ")[0] === id.split(" ")[0]);
    // A save at which a core has trapped is put aside, with the replies in it.
    const carried = !went && !this.origin.owners.some(({ lost }) => lost) &&
      this.replies.some((one) => one.id === id && one.result === "disconnected" && !one.life.page.lost && !one.stopped);
    if (this.owns(life) && !this.kind.full) assert.ok(!carried, `${life.name} is asked ${id} again`);
    const made = { id, life, result: undefined, stopped: false };
    this.replies.push(made);
    life.agent.resume({ id, payload: `yes ${id}` }).then(
      ({ outcome }) => {
        made.result = outcome;
        this.outside.note(`${life.name} reply ${id} ${outcome}`);
      },
      (error) => {
        made.result = error;
        this.outside.note(`${life.name} reply ${id} refused: ${error.code} ${error.message}`);
      },
    );
    return true;
  }

  /** Gives the result of a call that waits for a person, where there is one. */
  fill(life) {
    const open = life.agent.getSnapshot().toolCalls.filter(({ name, phase }) => name === "fill" && phase === "input-available");
    const call = open[this.pick(open.length || 1)];
    if (!call) return false;
    this.outside.note(`${life.name} fills ${call.id}`);
    this.results.push({ id: call.id, life, owns: this.owns(life), stopped: false });
    life.agent.addToolResult({ toolCallId: call.id, result: `by hand ${call.id}` });
    return true;
  }

  /** `thread`: the messages that are saved in the end. */
  check(thread) {
    const { kind, origin, replies } = this;
    for (const { id, life, owns, stopped } of this.results) {
      if (life.gone || life.page.lost || life.late || stopped || !owns || kind.cramped) continue;
      // The server's thread has no call of a run that was cut before its message was whole.
      if (kind.thread && !origin.thread.some(({ toolCalls = [] }) => toolCalls.some((call) => call.id === id))) continue;
      assert.ok(thread.some(({ role, toolCallId }) => role === "tool" && toolCallId === id), `what was filled in for ${id} is lost`);
    }
    const told = origin.replies.map(({ interruptId }) => interruptId);
    // A run that is left, is stopped, or loses its core, is cut off, and its questions are open again.
    const cut = new Set([
      ...replies.filter(({ life, stopped }) => life.gone || life.page.lost || stopped).map(({ id }) => id),
      ...origin.replies.filter(({ page, stopped }) => page.dead || page.lost || stopped).map(({ interruptId }) => interruptId),
    ]);
    // A run that has failed, or was cut, is asked for again with its replies.
    // So is one to whose question somebody returns.
    if (!kind.faults && !kind.retries && !kind.forks)
      assert.deepEqual(told.filter((id, at) => told.indexOf(id) !== at && !cut.has(id)), [], "a reply was sent twice");
    for (const { interruptId, payload } of origin.replies) assert.equal(payload, `yes ${interruptId}`, "the reply is as it was given");
    for (const { id, life, result } of replies) {
      if (life.gone || life.page.lost || life.late) continue;
      assert.ok(result !== undefined, `the reply to ${id} is still waited for`);
      if (result === "success") assert.ok(told.includes(id), `the reply to ${id} is lost`);
    }
  }
}

// The edits of a page that a request has to have: those that it has shown before. Those of a page whose save has come later as well.

import assert from "node:assert/strict";

export class SentEdits {
  /** The edits that requests lack. */
  #lacking = [];

  /** `thread`: its edits and promises. */
  constructor(outside, thread) {
    Object.assign(this, { outside, thread });
  }

  /** A request leaves. */
  look(page, { runId, messages, state = {} }) {
    const { outside, thread } = this;
    const [, name] = /^run (\w\d+)/.exec(runId) ?? [];
    // Nobody knows since when one without a name has waited to be sent.
    if (!name) return;
    const number = (id) => Number(id.slice(1));
    const by = thread.promises.find(({ id }) => id === name)?.life;
    for (const { id, life, ofState, at } of thread.edits) {
      // Things that have happened since the last step may be on their way.
      if (life.page !== page || life.gone || at >= outside.settled) continue;
      // One that comes after what is said stands after that.
      if ((by ?? life).page === page && number(name) < number(id)) continue;
      const shown = life.agent.getSnapshot();
      const [isShown, isSent] = ofState
        ? [id in (shown.state ?? {}), id in state]
        : [shown.messages, messages].map((list) => list.some((message) => message.id === id));
      if (!isShown || isSent) continue;
      outside.note(`${runId} lacks ${id}`);
      this.#lacking.push(`${runId} of ${page.name} lacks ${id}`);
    }
  }

  check() {
    assert.deepEqual(this.#lacking, [], "a request lacks what its page has shown before");
  }
}

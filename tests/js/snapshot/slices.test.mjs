// A long patch comes in parts, which are applied in slices: every look at the clock is 5 ms later here.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";

const { createAgentWith } = await load("agent/agent");
const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
const count = 20;

/** An agent whose first run has ended with many messages, in one read; nothing of that is shown yet. */
async function ended(notify) {
  const agent = createAgentWith(async () => ({ CoreSession: Session }), { url: "/agent", notify });
  const result = agent.submit("1");
  await until(() => Session.last);
  const session = Session.last;
  await until(() => session.calls.some(([name]) => name === "submit") && agent.getSnapshot().isLoading);
  agent.getSnapshot();
  session.parted = true;
  const before = agent.getSnapshot();
  const seen = [];
  agent.subscribe(() => seen.push(texts(agent).length));
  mock.method(performance, "now", ((now) => () => (now += 5))(0));
  session.driver.slice(() => {
    for (let at = 0; at < count; at++) session.say(`${at}`);
    session.finish();
  });
  assert.equal(agent.getSnapshot(), before, "nothing is shown before all is there");
  return { agent, result, session, seen, before };
}

describe("a long patch", () => {
  beforeEach(() => (Session.all = []));
  afterEach(() => mock.restoreAll());

  for (const notify of ["sync", "microtask", "frame"]) {
    it(`is shown once, and the run ends then: ${notify}`, async () => {
      const { agent, result, seen } = await ended(notify);
      assert.equal((await result).outcome, "success");
      assert.deepEqual(texts(agent), ["1", ...Array.from({ length: count }, (_, at) => `${at}`)]);
      assert.deepEqual(seen, [count + 1]);
      agent.dispose();
    });
  }

  it("is shown at once where the user goes on", async () => {
    const { agent, result, seen } = await ended("sync");
    agent.setState({ mine: 1 });
    assert.equal(seen[0], count + 1);
    assert.deepEqual(agent.getSnapshot().state, { mine: 1 });
    assert.equal((await result).outcome, "success");
    agent.dispose();
  });

  it("is shown at once where the agent is disposed of, and the run has ended", async () => {
    const { agent, result, seen } = await ended("sync");
    agent.dispose();
    assert.equal((await result).outcome, "success");
    await new Promise((done) => setTimeout(done, 20));
    assert.ok(seen.length < 2 && seen.every((length) => length === count + 1), `${seen}`);
  });

  it("that does not fit leaves what is shown", async () => {
    const { agent, result, session } = await ended("sync");
    session.patch(["=", ["nothing", "here"], 1]);
    await result;
    await until(() => agent.getSnapshot().status === "error");
    assert.equal(agent.getSnapshot().error.kind, "internal");
    agent.dispose();
  });
});

// The order of a thread: any local thread and any list of the server. The list gives the order; what only the page has stays after the
// message that it stood after.

import assert from "node:assert/strict";
import { it } from "node:test";
import { answer, create, createServer, finished, said, sse, started, user } from "./server.mjs";

const random = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
const activity = (id) => ({ id, role: "activity", activityType: "PLAN", content: { id } });

/** Each in any order. */
function shuffled(list, next) {
  const left = [...list];
  return list.map(() => left.splice(Math.floor(next() * left.length), 1)[0]);
}

it("the list's order is the thread's, for any local thread and any list", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = random(seed);
    const plain = Array.from({ length: 8 }, (_, n) => (n % 2 ? said(`a${n}`) : user(`u${n}`)));
    const local = shuffled([...plain.filter(() => next() < 0.7), ...Array.from({ length: 3 }, (_, n) => activity(`p${n}`))], next);
    const list = shuffled(plain.filter(() => next() < 0.7), next);
    const server = createServer(() => answer(sse(started(), { type: "MESSAGES_SNAPSHOT", messages: list }, finished())));
    const agent = create({ initialMessages: local }, server);
    await agent.submit({});
    const ids = agent.getSnapshot().messages.map(({ id }) => id);
    const named = list.map(({ id }) => id);
    const kept = local.filter(({ role }) => role === "activity").map(({ id }) => id);
    assert.deepEqual([...ids].sort(), [...named, ...kept].sort(), `seed ${seed}: what is there`);
    assert.deepEqual(ids.filter((id) => named.includes(id)), named, `seed ${seed}: the list's order`);
    // The last named message before it, of the two lists, is the same one.
    const before = (all, id) => all.slice(0, all.indexOf(id)).filter((other) => named.includes(other)).pop();
    const had = local.map(({ id }) => id);
    for (const id of kept) assert.equal(before(ids, id), before(had, id), `seed ${seed}: ${id} in ${ids} of ${had}`);
    agent.dispose();
  }
});

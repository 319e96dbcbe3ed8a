// Lives of an HttpAgent by chance, beside the official client: all hooks, all requests, and what is left, both ways. What differs on
// purpose (differences.json) does not come up in them. Of their streams subscribers also hear less often, and in the older names.
//
//   LIVES=10000 LIVES_SEED=1 node --test tests/ag-ui-client/lives.test.mjs

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as official from "@ag-ui/client";
import * as ours from "ag-ui-wasm/ag-ui-client";
import { left, server } from "./client.mjs";
import { live } from "./lives.mjs";

const count = Number(process.env.LIVES ?? 400);
const first = Number(process.env.LIVES_SEED ?? 1);

// Both clients tell the console of what they deal with.
const consoles = {};
before(() => {
  for (const name of ["warn", "error"]) [consoles[name], console[name]] = [console[name], () => {}];
});
after(() => Object.assign(console, consoles));

test(`${count} lives`, async () => {
  for (let seed = first; seed < first + count; seed++) {
    const expected = await live(seed, official);
    for (const exact of [false, true]) {
      const { log } = await live(seed, ours, { exact });
      const streams = expected.streams.map((events) => events.map((event) => JSON.stringify(event)).join("\n")).join("\n\n");
      log.forEach((entry, at) =>
        assert.deepEqual(
          entry,
          expected.log[at],
          `seed ${seed}, ${exact ? "exact" : "direct"}, ${at}:\n${JSON.stringify(entry)}\n${JSON.stringify(expected.log[at])}\n${streams}`,
        )
      );
      assert.equal(log.length, expected.log.length, `seed ${seed}`);
    }
  }
});

/** Ways of telling less. */
const settings = [{ joinDeltas: true }, { notificationThrottleMs: 1 }, { notificationMinChunkSize: 3 }, {
  notificationThrottleMs: 2,
  notificationMinChunkSize: 2,
  joinDeltas: true,
}];

const created = ({ HttpAgent }, events, more) => new HttpAgent({ url: "https://x.test/", agentId: "a", threadId: "t", ...more, fetch: server(events).fetch });

async function end(client, events, more) {
  const agent = created(client, events, more);
  agent.subscribe({ onMessagesChanged: () => {} });
  const { newMessages, result } = await agent.runAgent({ runId: "r" });
  return JSON.parse(JSON.stringify({ newMessages, result, ...left(agent) }));
}

/** The run in the names before AG-UI. An error has the words of each client. */
const older = (client, events) =>
  new Promise((resolve) => {
    const told = [];
    const next = (event) => void told.push(event.type === "RunError" ? { type: event.type, code: event.code } : JSON.parse(JSON.stringify(event)));
    created(client, events).legacy_to_be_removed_runAgentBridged({ runId: "r" }).subscribe({ next, error: () => resolve(told), complete: () => resolve(told) });
  });

test("their streams: compacted, heard less often, in the older names", async () => {
  for (let seed = first; seed < first + count / 4; seed++) {
    const { streams } = await live(seed, official);
    for (const events of streams) {
      assert.deepEqual(ours.compactEvents(structuredClone(events)), official.compactEvents(structuredClone(events)), `seed ${seed}`);
      assert.deepEqual(await end(ours, events, settings[seed % settings.length]), await end(official, events), `seed ${seed}`);
      assert.deepEqual(await older(ours, events), await older(official, events), `seed ${seed}`);
    }
  }
});

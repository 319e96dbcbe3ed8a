// The scenarios over recordings of real servers: the page sends what it sent then, shows what it showed, and the model saw what is expected.
// `node tests/servers/run.mjs --record` makes the recordings anew.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { at } from "../../tools/paths.mjs";
import { player } from "./line.mjs";
import { scenarios } from "./scenarios.mjs";
import { servers } from "./servers.mjs";
import { onStage, pageOf } from "./stage.mjs";

for (const server of servers) {
  const file = at(`tests/fixtures/servers/${server.name}.json`);
  describe(server.name, { skip: !existsSync(file) }, () => {
    const { stamp, scenarios: recording } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    for (const [name, { needs, play }] of Object.entries(scenarios)) {
      if (needs?.(server) === false) continue;
      test(name, { timeout: 60_000 }, async () => {
        const recorded = recording[name];
        assert.ok(recorded, "there is a recording");
        const { open, threads } = await pageOf(server.name);
        const line = player(recorded.exchanges);
        /** @type {import("ag-ui-wasm").Agent[]} */
        const agents = [];
        const opened = (
          /** @type {string} */ threadId,
        ) => (agents.push(open(`${threadId}${stamp}`)), /** @type {import("ag-ui-wasm").Agent} */ (agents.at(-1)));
        const stage = { open: opened, threads, line, model: { asked: () => recorded.asked, release: line.release, abandoned: async () => {} } };
        try {
          await onStage(`${server.name}-${name.replaceAll(/\W+/g, "-")}`, line, () => play(stage, server));
        } finally {
          for (const agent of agents) agent.dispose();
        }
      });
    }
  });
}

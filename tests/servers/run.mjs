// Every server of `servers.mjs` live: installed, started, and played through the scenarios.
//
//   node tests/servers/run.mjs [--record] [--quick | name …]
//
// `--record` keeps what passed in tests/fixtures/servers, where replay.test.mjs plays it without a server.

import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { parseArgs } from "node:util";
import { at } from "../../tools/paths.mjs";
import { recorder, slimmed } from "./line.mjs";
import { start } from "./live.mjs";
import { startModel } from "./model.mjs";
import { scenarios } from "./scenarios.mjs";
import { servers } from "./servers.mjs";
import { onStage, pageOf, shownBase } from "./stage.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { record: { type: "boolean" }, quick: { type: "boolean" } } });
const names = (process.env.SERVERS ?? "").split(",").filter(Boolean).concat(positionals);
const chosen = servers.filter(({ name, quick }) => (names.length ? names.includes(name) : !values.quick || quick));

// Requests of a test beside its page.
const outside = globalThis.fetch;

// Another run of this file meets the threads of this one, if the server is not started anew.
const stamp = `-${Date.now()}`;

const model = await startModel(Number(process.env.MODEL_PORT ?? 0));
after(() => model.close());

for (const server of chosen) {
  describe(server.name, { timeout: 300_000 }, () => {
    /** @type {{ base: string, close(): void }} */
    let running;
    /** @type {Awaited<ReturnType<typeof pageOf>>} */
    let page;
    /** @type {Record<string, object>} */
    const recording = {};
    before(async () => {
      const address = process.env[`SERVER_${server.name.replaceAll("-", "_").toUpperCase()}`];
      running = address ? { base: address, close: () => {} } : await start(server, model.url);
      page = await pageOf(server.name);
    });
    after(() => {
      running?.close();
      if (!values.record || !Object.keys(recording).length) return;
      mkdirSync(at("tests/fixtures/servers"), { recursive: true });
      writeFileSync(at(`tests/fixtures/servers/${server.name}.json`), `${JSON.stringify({ stamp, scenarios: recording }, undefined, 1)}\n`);
    });

    for (const [name, { needs, play }] of Object.entries(scenarios)) {
      if (needs?.(server) === false) continue;
      test(name, { timeout: 150_000 }, async () => {
        model.clear();
        const line = recorder(running.base, shownBase);
        const left = async (/** @type {number} */ requests) => {
          while (model.abandoned < requests) await sleep(10);
        };
        /** @type {import("ag-ui-wasm").Agent[]} */
        const agents = [];
        const open = (/** @type {string} */ threadId) => {
          const agent = page.open(`${threadId}${stamp}`);
          agents.push(agent);
          return server.saved ? savedBetween(agent, `${running.base}${server.saved(`${threadId}${stamp}`)}`) : agent;
        };
        const stage = {
          open,
          threads: page.threads,
          line,
          model: { asked: () => model.asked, release: (/** @type {number | undefined} */ n) => model.release(n), abandoned: left },
        };
        try {
          await onStage(`${server.name}-${name.replaceAll(/\W+/g, "-")}`, line, () => play(stage, server));
        } finally {
          for (const agent of agents) agent.dispose();
        }
        recording[name] = { exchanges: line.exchanges.map(slimmed), asked: [...model.asked] };
      });
    }
  });
}

/**
 * An agent whose submits end once the server has saved the answer.
 *
 * @param {import("ag-ui-wasm").Agent} agent @param {string} address @returns {import("ag-ui-wasm").Agent}
 */
function savedBetween(agent, address) {
  /** @type {typeof agent.submit} */
  const submit = async (input) => {
    const result = await agent.submit(input);
    const answer = agent.getSnapshot().messages.at(-1)?.content;
    for (const deadline = Date.now() + 20_000; result.outcome === "success" && Date.now() < deadline; await sleep(20)) {
      const response = await outside(address);
      if (response.ok && JSON.stringify(await response.json()).includes(JSON.stringify(answer))) break;
    }
    return result;
  };
  return {
    ...agent,
    submit,
    get ready() {
      return agent.ready;
    },
  };
}

// The package against servers that are not ours, with a scripted model: tests/servers. `npm test` runs the two that are installed in
// seconds, in the suite "real", and all of them from recordings, in the suite "js".

import { at } from "../paths.mjs";
import { Failure } from "../run.mjs";
import { ensurePython } from "../setup.mjs";
import { servers as all } from "../../tests/servers/servers.mjs";
import { absent, nodeTest } from "./results.mjs";

/** Every server, one after the other. @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* servers() {
  for (const { name } of all) yield* live(name, [name]);
}

/** The servers that `npm test` has time for. @returns {AsyncGenerator<import("./results.mjs").Result>} */
export const quickServers = () => live("real servers that keep threads", all.filter(({ quick }) => quick).map(({ name }) => name));

/** @param {string} title @param {string[]} names @returns {AsyncGenerator<import("./results.mjs").Result>} */
async function* live(title, names) {
  try {
    await ensurePython();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield absent(title, error.message);
    return;
  }
  yield nodeTest(title, [at("tests/servers/run.mjs")], { log: `test-servers-${names.join("-")}`, env: { SERVERS: names.join(",") } });
}

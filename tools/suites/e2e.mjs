// The demo pages, and a page whose network fails, in the browsers. Every tests/e2e/*.test.mjs runs
// once for each engine, whose name it finds in ENGINE; screenshots belong into .artifacts/screenshots.

import { engines } from "../../tests/webdriver/engines.mjs";
import { buildDemo } from "../demo.mjs";
import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { ensureNodeModules } from "../setup.mjs";
import { absent, nodeTest } from "./results.mjs";

/** Pages of libraries that are given an agent; they bring much, so it is installed for this suite alone. */
const pages = "tests/ag-ui-client/pages";

/**
 * @param {import("./results.mjs").Context} context
 * @returns {AsyncGenerator<import("./results.mjs").Result>}
 */
export async function* e2e({ engines: names, unusable }) {
  await buildDemo();
  await ensureNodeModules(pages);
  const tests = [...files(at("tests/e2e")), ...files(at(pages), ["node_modules"])].filter((file) => file.endsWith(".test.mjs"));
  for (const name of names) {
    const title = `end to end in ${engines[name].title}`;
    const reason = unusable.get(name);
    // One browser at a time: more of them on a small machine make each other late.
    yield reason
      ? absent(title, reason)
      : nodeTest(title, tests, { log: `test-e2e-${name}`, env: { ENGINE: name }, concurrency: 1 });
  }
}

/**
 * The end-to-end tests by themselves, with the site as it was last built:
 *
 *     node tests/e2e/run.mjs            all engines
 *     node tests/e2e/run.mjs firefox    chromium, firefox or webkit
 *     node tests/e2e/run.mjs webkit "svelte: stop"     only the tests whose name fits
 */
import { run } from "node:test";
import { fileURLToPath } from "node:url";
import { engineNames } from "../webdriver/engines.mjs";

const [first, pattern] = process.argv.slice(2);
const wanted = engineNames.includes(first) ? [first] : engineNames;
const files = ["inspector", "markdown", "pages", "systems", "life", "lives", "reloads", "react", "site-data", "back", "use-chat"].map((name) =>
  fileURLToPath(new URL(`./${name}.test.mjs`, import.meta.url))
);
let [passed, failed] = [0, 0];

for (const engine of wanted) {
  process.env.ENGINE = engine; // the test's process inherits it
  const tests = run({ files, concurrency: 1, ...(pattern ? { testNamePatterns: [pattern] } : {}) });
  const line = (sign, { name, details }) => {
    if (details.type === "suite" || files.includes(name)) return false;
    console.log(`${sign} ${engine} ${name} (${(details.duration_ms / 1000).toFixed(1)} s)`);
    return true;
  };
  tests.on("test:pass", (test) => {
    if (test.skip === undefined && line("✓", test)) passed += 1;
  });
  tests.on("test:fail", (test) => {
    if (!line("✗", test) && test.details.error?.failureType === "subtestsFailed") return;
    failed += 1;
    const { error } = test.details;
    console.log(String((error.cause ?? error).stack ?? error).replace(/^/gm, "    "));
  });
  tests.on("test:stderr", ({ message }) => process.stderr.write(message));
  tests.resume();
  await new Promise((resolve) => tests.once("end", resolve));
}

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

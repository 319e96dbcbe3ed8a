// The TypeScript side without a browser: unit tests, and the types of all that is written in
// TypeScript or typed by JSDoc.

import { existsSync } from "node:fs";
import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { ensureTypos } from "../setup.mjs";
import { check, nodeTest } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* js() {
  await ensureTypos();
  const folders = ["tests/js", "tests/documents", "tests/prose", "tests/cli", "tests/servers"];
  const tests = folders.flatMap((folder) => files(at(folder), ["node_modules"])).filter((file) => /\.test\.m?js$/.test(file));
  yield nodeTest("js tests", tests, { log: "test-js" });

  yield check("lint", "node", [
    at("node_modules/oxlint/bin/oxlint"),
    "--deny-warnings",
    "--config",
    at("oxlint.json"),
    ...["js", "tests", "tools", "benches", "www", "examples"].map((folder) => at(folder)),
  ], { log: "test-lint" });

  yield check("format", "node", [at("tools/format.mjs"), "--check"], { log: "test-format" });

  const tsc = at("node_modules/typescript/bin/tsc");
  for (const project of ["tests/js", "www", "tools"]) {
    if (!existsSync(at(project, "tsconfig.json"))) continue;
    yield check(`types of ${project}`, "node", [tsc, "--noEmit", "-p", at(project)], { log: `test-types-${project.replace("/", "-")}` });
  }
}

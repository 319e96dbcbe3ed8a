// The fixtures that scripts make of the official packages are what these make today.

import { execFileSync } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

for (const name of ["grammar", "protobuf"]) {
  it(`tests/fixtures/${name} is what its script makes`, () => {
    execFileSync(process.execPath, [fileURLToPath(new URL(`../fixtures/${name}/make.mjs`, import.meta.url)), "--check"], { stdio: "pipe" });
  });
}

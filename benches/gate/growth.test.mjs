// A server's data cost instructions in proportion to their length: the table of tests/growth/main.rs, under valgrind.

import assert from "node:assert/strict";
import { it } from "node:test";
import { attempt, probe } from "../../tools/run.mjs";

it("instructions grow with what comes", { skip: !probe("valgrind", "--version") && "there is no valgrind (a Debian package)" }, async () => {
  const args = ["test", "--locked", "--test", "growth", "--", "--ignored", "--exact", "instructions_grow_with_what_comes"];
  const { ok, tail } = await attempt("cargo", args, { log: "gate-growth" });
  assert.ok(ok, tail);
});

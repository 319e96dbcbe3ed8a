// The fixtures that scripts make of the official packages are what these make today, and the samples are those of all events.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "./lib.mjs";

for (const name of ["grammar", "protobuf"]) {
  it(`tests/fixtures/${name} is what its script makes`, () => {
    execFileSync(process.execPath, [fileURLToPath(new URL(`../fixtures/${name}/make.mjs`, import.meta.url)), "--check"], { stdio: "pipe" });
  });
}

it("an event that has a sample has a type", async () => {
  const samples = JSON.parse(readFileSync(new URL("../fixtures/events.json", import.meta.url), "utf8"));
  const { eventTypes } = await load("api/events");
  assert.deepEqual(Object.keys(eventTypes).sort(), Object.keys(samples).sort(), "the events of js/api/events.ts, and of tests/fixtures/events.json");
});

/** Which options mean another agent. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { load } from "../lib.mjs";

const { keyOf } = await load("bindings/shared");

const base = { url: () => "/agent", threadId: "1" };

for (const [name, one, other] of [
  ["another function for the address", base, { ...base, url: () => "/elsewhere" }],
  ["other headers", base, { ...base, headers: { a: "b" } }],
  ["the same address", { url: "http://host/agent" }, { url: new URL("http://host/agent") }],
  ["the same dialect", { ...base, dialect: "hector" }, { ...base, dialect: "hector" }],
  ["the same settings of a dialect", { ...base, dialect: { name: "hector" } }, { ...base, dialect: { name: "hector" } }],
]) {
  it(`the same agent: ${name}`, () => assert.equal(keyOf(one), keyOf(other)));
}

for (const [name, one, other] of [
  ["another thread", base, { ...base, threadId: "2" }],
  ["another address", { url: "/a" }, { url: "/b" }],
  ["a dialect", base, { ...base, dialect: "hector" }],
  ["another dialect", { ...base, dialect: "chio" }, { ...base, dialect: "hector" }],
  ["another setting of a dialect", { ...base, dialect: "hector" }, { ...base, dialect: { name: "hector", form: "native" } }],
]) {
  it(`another agent: ${name}`, () => assert.notEqual(keyOf(one), keyOf(other)));
}

it("an agent is its own key", () => {
  const agent = { getSnapshot() {} };
  assert.equal(keyOf(agent), agent);
});

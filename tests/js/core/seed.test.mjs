// The hashes of the core's maps begin where no server knows: whoever could choose ids of one hash would make every look-up long.

import assert from "node:assert/strict";
import { it, mock } from "node:test";
import { load, real } from "../lib.mjs";

const { createAgent } = await load("index");

it("the first session draws where its hashes begin, and later ones do not", { skip: !real && "the core is a stand-in" }, async () => {
  const random = mock.method(Math, "random");
  const submit = () => createAgent({ url: "http://localhost/", fetch: async () => new Response("no", { status: 400 }) }).submit("a");
  await submit();
  assert.equal(random.mock.callCount(), 1);
  await submit();
  assert.equal(random.mock.callCount(), 1);
});

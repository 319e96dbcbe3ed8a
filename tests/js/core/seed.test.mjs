// The hashes of the core's maps begin where no server knows: whoever could choose ids of one hash would make every look-up long.

import assert from "node:assert/strict";
import { it } from "node:test";
import { load, real } from "../lib.mjs";

const { createAgent } = await load("index");

it("the first session draws where its hashes begin, and later ones do not", { skip: !real && "the core is a stand-in" }, async (t) => {
  let drawn = 0;
  const { random } = Math;
  t.mock.method(Math, "random", () => {
    // Times of retries are drawn by the page.
    if (/wasm-function/.test(String(new Error().stack))) drawn++;
    return random();
  });
  const submit = () => createAgent({ url: "http://localhost/", fetch: async () => new Response("no", { status: 400 }) }).submit("a");
  await submit();
  assert.equal(drawn, 1);
  await submit();
  assert.equal(drawn, 1);
});

// Which module an agent loads, by its options.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { moduleFor } = await load("core/modules");
const { modulesAt } = await load("core/slim-modules");
const { fetchTransport, eventSource, webSocket, custom } = await load("network/transports");

describe("the module", () => {
  /** The options, and whether they need the full module. */
  const cases = [
    [{ url: "/" }, false],
    [{ url: "/", rules: "tolerant", binary: false, protocol: "0.0.40", tools: [] }, false],
    [{ transport: fetchTransport({ url: "/" }) }, false],
    [{ transport: eventSource({ url: "/", submitUrl: "/" }) }, false],
    [{ transport: custom(async function* () {}) }, false],
    [{ url: "/", dialect: "hector" }, true],
    [{ url: "/", dialect: { name: "chio" } }, true],
    [{ url: "/", guard: {} }, true],
    [{ url: "/", rules: "strict" }, true],
    [{ url: "/", binary: true }, true],
    [{ transport: fetchTransport({ url: "/", binary: true }) }, true],
    [{ transport: webSocket({ url: "ws://host/" }) }, true],
  ];
  for (const [at, [options, full]] of cases.entries()) {
    it(`is the ${full ? "full" : "small"} one for the options of case ${at}`, async () => {
      const modules = { core: async () => [false], full: async (_, ...needs) => [true, ...needs] };
      assert.deepEqual(await moduleFor(modules, options)(), full ? [true, options] : [false]);
    });
  }
});

describe("slim", () => {
  it("names what is missing where only the small module was given", async () => {
    await assert.rejects(modulesAt({ core: "/core.wasm" }).full(), { kind: "unsupported", code: "load", message: /wasm: \{ full \}/ });
  });
});

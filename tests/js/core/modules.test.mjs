// Which module an agent loads, by its options.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { moduleFor } = await load("core/modules");
const { modulesAt } = await load("core/slim-modules");
const { fetchTransport, eventSource, webSocket, custom } = await load("network/transports");

describe("the module", () => {
  /** The options, and what they need of the full module; nothing: they get the small one. */
  const cases = [
    [{ url: "/" }],
    [{ url: "/", rules: "tolerant", binary: false, protocol: "0.0.40", tools: [] }],
    [{ transport: fetchTransport({ url: "/" }) }],
    [{ transport: eventSource({ url: "/", submitUrl: "/" }) }],
    [{ transport: custom(async function* () {}) }],
    [{ url: "/", dialect: "hector" }, "hector"],
    [{ url: "/", dialect: { name: "chio" } }, "chio"],
    [{ url: "/", dialect: { name: "ngaf", version: 1 }, guard: {} }, "ngaf", "guard"],
    [{ url: "/", guard: {} }, "guard"],
    [{ url: "/", rules: "strict" }, "codecs"],
    [{ url: "/", binary: true }, "codecs"],
    [{ transport: fetchTransport({ url: "/", binary: true }) }, "codecs"],
    [{ transport: webSocket({ url: "ws://host/" }), dialect: "chio" }, "chio", "codecs"],
  ];
  for (const [options, ...addOns] of cases) {
    it(`is the ${addOns.length ? `full one, with ${addOns.join(" and ")},` : "small one"} for ${JSON.stringify(options)}`, async () => {
      const modules = { core: async () => [], full: async (_, names) => names };
      assert.deepEqual(await moduleFor(modules, options)(), addOns);
    });
  }
});

describe("slim", () => {
  it("names what is missing where only the small module was given", async () => {
    await assert.rejects(modulesAt({ core: "/core.wasm" }).full(), { kind: "unsupported", code: "load", message: /wasm: \{ full \}/ });
  });
});

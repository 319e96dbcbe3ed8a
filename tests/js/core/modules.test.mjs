// Which module an agent loads, by its options.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { moduleFor } = await load("core/modules");
const { modulesAt } = await load("core/slim-modules");
const { fetchTransport, eventSource, webSocket, custom } = await load("network/transports");

describe("the module", () => {
  const small = [
    { url: "/" },
    { url: "/", rules: "tolerant", binary: false, protocol: "0.0.40", tools: [] },
    { transport: fetchTransport({ url: "/" }) },
    { transport: eventSource({ url: "/", submitUrl: "/" }) },
    { transport: custom(async function* () {}) },
  ];
  const full = [
    { url: "/", dialect: "hector" },
    { url: "/", dialect: { name: "chio" } },
    { url: "/", guard: {} },
    { url: "/", rules: "strict" },
    { url: "/", binary: true },
    { transport: fetchTransport({ url: "/", binary: true }) },
    { transport: webSocket({ url: "ws://host/" }) },
  ];
  for (const [name, all] of Object.entries({ core: small, full })) {
    it(`is ${name} for these options`, async () => {
      for (const options of all) {
        const modules = { core: async () => "core", full: async () => "full" };
        assert.equal(await moduleFor(modules, options)(), name, JSON.stringify(options));
      }
    });
  }
});

describe("slim", () => {
  it("names what is missing where only the small module was given", async () => {
    await assert.rejects(modulesAt({ core: "/core.wasm" }).full(), { kind: "unsupported", code: "load", message: /wasm: \{ full \}/ });
  });
});

// `ag-ui-wasm check` finds each fault that docs/rules.md describes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bodyOf, faults } from "./faults.mjs";
import { rules } from "./rules.mjs";
import { serve } from "./server.mjs";

process.env.NODE_ENV = "production";
// By its address: it is no export of the package.
const program = new URL("../../pkg/cli/check.js", import.meta.url).href;
/** @type {{ check(url: string, options: object): Promise<any> }} */
const { check } = await import(program);

/** @type {import("./faults.mjs").Fault} */
let current;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
before(async () => {
  server = await serve((_request, response) => {
    const { status = 200, type = "text/event-stream" } = current;
    response.writeHead(status, { "content-type": type, connection: "close" });
    response.end(bodyOf(current));
  });
});
after(() => server.close());

test("each rule of docs/rules.md has a fault, and no other", () => {
  assert.deepEqual([...new Set(Object.keys(faults))].sort(), [...new Set(rules)].sort());
});

describe("a server that breaks", () => {
  for (const [name, fault] of Object.entries(faults)) {
    if (fault.no) continue;
    test(name, async () => {
      current = fault;
      const { dialect, type = "" } = fault;
      const [first = "", second] = name.split(" ");
      const [rule, code] = /^[A-Z]\d/.test(first) ? [first, second] : [undefined, first];
      const script = { turns: [{ message: "hi" }], ...fault.script };
      const { report, unjudged } = await check(server.url, { script, headers: {}, dialect, binary: type !== "", timeoutMs: 20_000 });
      const found = report.violations.map((/** @type {any} */ violation) => `${violation.rule} ${violation.code}`);
      if (fault.fine) {
        assert.deepEqual([unjudged, found, report.official.fails], [undefined, [], false]);
        return;
      }
      const meant = fault.code ?? code;
      const violation = report.violations.find((/** @type {any} */ { rule: broken, code }) =>
        code === meant && (broken === (fault.rule ?? rule) || broken === null)
      );
      assert.ok(violation, `${meant} was expected, not ${found.join(", ") || "nothing"}${unjudged ? ` (${unjudged})` : ""}`);
      assert.equal(violation.turn, fault.turn ?? 1);
      assert.ok(violation.expected.length > 0);
      if (fault.official !== undefined) assert.equal(report.official.fails, fault.official, report.official.message);
      const body = bodyOf(fault);
      const json = violation.eventType && body.subarray(violation.offset).toString();
      // The frame that is named is one of that event.
      if (json && type === "") assert.equal(JSON.parse(/^data: (.*)\n/.exec(json)?.[1] ?? "").type, violation.eventType);
    });
  }
});

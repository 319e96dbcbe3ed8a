import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { folder, load } from "../lib.mjs";

const { AgentError } = await load("api/error");

describe("AgentError", () => {
  it("is a real error with plain data", () => {
    const cause = new TypeError("no");
    const error = new AgentError({ kind: "http", message: "HTTP 500", status: 500, body: "<html>", retryable: true, cause });
    assert.ok(error instanceof Error);
    assert.equal(error.name, "AgentError");
    assert.equal(error.cause, cause);
    assert.ok(error.stack);
    assert.equal(
      JSON.stringify(error),
      `{"kind":"http","message":"HTTP 500","retryable":true,"status":500,"body":"<html>"}`,
    );
  });

  it("says where it is explained: by its code, if that is not the agent's own", () => {
    const help = (data) => new AgentError({ message: "no", ...data }).help.replace(/^https:\/\/[^/]+\/ag-ui-wasm\//, "");
    assert.equal(help({ kind: "internal", code: "load" }), "codes/load.html");
    assert.equal(help({ kind: "run", code: "of the agent" }), "errors.html");
    assert.equal(help({ kind: "http" }), "errors.html");
  });

  it("is not retryable and has no cause unless it says so", () => {
    const error = new AgentError({ kind: "run", message: "no" });
    assert.equal(error.retryable, false);
    assert.ok(!("cause" in error));
  });

  it("is recognized across copies of the package", async () => {
    const copy = await import(new URL("api/error.js?copy", folder));
    assert.notEqual(copy.AgentError, AgentError);
    const error = new copy.AgentError({ kind: "run", message: "no" });
    assert.ok(!(error instanceof AgentError));
    assert.ok(AgentError.is(error));
    for (const other of [new Error("no"), { kind: "run" }, undefined, null, "run"]) assert.ok(!AgentError.is(other));
  });
});

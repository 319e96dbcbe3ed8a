// The options of a server's preset, and what the application sets beside it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { withPreset } = await load("agent/check");
const { createAgent } = await load("index");

const preset = { name: "a server", url: "/preset", resume: { by: "hydrate" }, thread: { load: "hydrate", edits: "none", limit: 20 } };

describe("a preset", () => {
  it("gives the options that the application does not set", () => {
    const { url, resume, thread, threadId } = withPreset({ server: preset, threadId: "t" });
    assert.deepEqual({ url, resume, thread, threadId }, { url: "/preset", resume: { by: "hydrate" }, thread: preset.thread, threadId: "t" });
  });

  it("comes after what the application sets, member by member for the thread", () => {
    const own = { server: preset, url: "/own", resume: undefined, thread: { limit: 5, send: "new" } };
    const { url, resume, thread } = withPreset(own);
    assert.equal(url, "/own");
    assert.deepEqual(resume, { by: "hydrate" }, "undefined sets nothing");
    assert.deepEqual(thread, { load: "hydrate", edits: "none", limit: 5, send: "new" });
  });

  it("leaves options without one as they are", () => {
    const own = { url: "/agent" };
    assert.equal(withPreset(own), own);
  });

  it("may bring the address of the agent", () => {
    createAgent({ server: preset }).dispose();
    assert.throws(() => createAgent({ server: { name: "a server" } }), { code: "input", message: /url/ });
  });
});

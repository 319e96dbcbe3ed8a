import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { deflateRawSync } from "node:zlib";
import { load, real, until } from "../lib.mjs";

// The module is loaded once for the whole file, so the failures come first.
const { createAgent: create } = await load("index");
const { createAgent: createSlim } = await load("slim");

const options = { url: "http://localhost/agent", fetch: async () => new Response("no", { status: 500 }) };
const submit = (agent) => agent.submit("a");

/** The error of a first submit. */
async function failing(agent = create(options)) {
  const { outcome, error } = await submit(agent);
  assert.equal(outcome, "error");
  assert.equal(error, agent.getSnapshot().error);
  assert.equal(agent.getSnapshot().status, "error");
  assert.equal(agent.getSnapshot().messages[0].content, "a");
  return error;
}

const { instantiate, Module } = WebAssembly;

// Node's own fetch compiles a module when it is first used, which must not suffer.
await fetch("data:,");

/** Lets no bytes be instantiated. */
const refuse = (error) =>
  mock.method(WebAssembly, "instantiate", (source, imports) => source instanceof Module ? instantiate(source, imports) : Promise.reject(error));

describe("a module that does not load", () => {
  afterEach(() => mock.restoreAll());

  for (const message of [
    // Chromium, Firefox, WebKit.
    "WebAssembly.instantiate(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because neither 'wasm-eval' nor 'unsafe-eval' is an allowed source of script",
    "call to WebAssembly.instantiate() blocked by CSP",
    "Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script in the following Content Security Policy directive",
  ]) {
    it(`is blocked: ${message.slice(0, 30)}…`, async () => {
      const cause = new WebAssembly.CompileError(message);
      refuse(cause);
      // The bytes come with a program that puts them in order.
      mock.method(WebAssembly, "compile", () => Promise.reject(cause));
      const error = await failing();
      assert.equal(error.kind, "blocked");
      assert.match(error.message, /'wasm-unsafe-eval'/);
      assert.equal(error.cause, cause);
    });
  }

  it("is blocked where the application names its place", async () => {
    const cause = new WebAssembly.CompileError("call to WebAssembly.instantiate() blocked by CSP");
    refuse(cause);
    const error = await failing(createSlim({ ...options, wasm: new Uint8Array(8) }));
    assert.deepEqual([error.kind, error.retryable, error.cause], ["blocked", false, cause]);
  });

  it("is broken", async () => {
    refuse(new WebAssembly.CompileError("expected magic word"));
    const error = await failing();
    assert.equal(error.kind, "internal");
    assert.equal(error.code, "load");
    assert.match(error.message, /magic word/);
    assert.ok(error.retryable);
  });

  it("is unsupported", async () => {
    for (const name of ["WebAssembly", "DecompressionStream"]) {
      const before = Object.getOwnPropertyDescriptor(globalThis, name);
      delete globalThis[name];
      try {
        const error = await failing();
        assert.equal(error.kind, "unsupported");
        assert.match(error.message, new RegExp(name));
      } finally {
        Object.defineProperty(globalThis, name, before);
      }
    }
  });

  it("is not where it should be", async () => {
    mock.method(globalThis, "fetch", async () => new Response("no", { status: 404 }));
    const { error } = await submit(createSlim({ ...options, wasm: "/core.wasm" }));
    assert.equal(error.kind, "internal");
    assert.equal(error.status, 404);
    assert.match(error.message, /404/);
    const gone = await submit(createSlim({ ...options, wasm: Promise.resolve(new Response("", { status: 410 })) }));
    assert.equal(gone.error.status, 410);
  });

  it("cannot be fetched", async () => {
    mock.method(globalThis, "fetch", async () => Promise.reject(new TypeError("fetch failed")));
    const agent = createSlim({ ...options, wasm: new URL("http://localhost/core.wasm") });
    const { error } = await submit(agent);
    assert.match(error.message, /fetch failed/);
    assert.ok(error.retryable);
  });
});

describe("a module that loads", () => {
  it("is the same with the platform's base64 and without", async () => {
    const { inflate } = await load("core/unpack");
    const base64 = deflateRawSync(Uint8Array.from({ length: 600 }, (_, at) => "\0asm".charCodeAt(at) || at % 256)).toString("base64");
    const before = Object.getOwnPropertyDescriptor(Uint8Array, "fromBase64");
    const own = mock.fn((text) => new Uint8Array(Buffer.from(text, "base64")));
    try {
      const unpacked = [];
      for (const value of [own, undefined]) {
        Object.defineProperty(Uint8Array, "fromBase64", { value, configurable: true });
        unpacked.push(Buffer.from(await inflate(base64)).toString("hex"));
      }
      assert.equal(unpacked[0].length, 1200);
      assert.equal(unpacked[1], unpacked[0]);
      assert.equal(own.mock.callCount(), 1);
    } finally {
      if (before) Object.defineProperty(Uint8Array, "fromBase64", before);
      else delete Uint8Array.fromBase64;
    }
  });

  it("is loaded once, for both entries, although it failed before", async () => {
    const { mock: calls } = mock.method(WebAssembly, "instantiate");
    // The unpacker of the bytes has no imports.
    const ours = () => calls.calls.filter(({ arguments: [module, imports] }) => imports && !(module instanceof Module)).length;
    const agents = [create(options), create(options), createSlim({ ...options, wasm: "/never-asked-for.wasm" })];
    const results = agents.map(submit);
    // Loaded: the request that follows, or the end of it.
    await until(() => ours() && agents.every((agent) => agent.getSnapshot().timing || !real));
    agents.forEach((agent) => agent.dispose());
    for (const { error } of await Promise.all(results)) assert.notEqual(error?.code, "load");
    assert.equal(ours(), 1);
  });
});

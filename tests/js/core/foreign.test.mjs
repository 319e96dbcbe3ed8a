// Values of an application's fetch and transport go to the core. Each odd one is an error of one run, and the core lives.

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { load, real } from "../lib.mjs";

const head = { status: 200, headers: new Headers({ "content-type": "text/event-stream" }) };
const bytes = (text) => new TextEncoder().encode(text);
const chunks = (...list) => new ReadableStream({ start: (body) => (list.forEach((chunk) => body.enqueue(chunk)), body.close()) });
const locked = () => {
  const body = chunks();
  body.getReader();
  return body;
};
const fine = async (_, { body }) => {
  const { threadId, runId } = JSON.parse(body);
  const events = [{ type: "RUN_STARTED", threadId, runId }, { type: "TEXT_MESSAGE_CHUNK", messageId: runId, delta: "x" }, {
    type: "RUN_FINISHED",
    threadId,
    runId,
  }];
  return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: head.headers });
};

/** Fetches that give what is no response, each with what the error says. */
const fetches = {
  "nothing": [async () => undefined, /fetch gave no response/],
  "an error of the network": [async () => Response.error(), /fetch gave no response/],
  "text": [async () => "hello", /fetch gave no response/],
  "a status that is no number": [async () => ({ ...head, status: 200n }), /fetch gave no response/],
  "a status that is a Symbol": [async () => ({ ...head, status: Symbol("ok") }), /fetch gave no response/],
  "no headers": [async () => ({ status: 200, body: null }), /fetch gave no response/],
  "headers that throw": [async () => ({
    status: 200,
    headers: {
      get: () => {
        throw new Error("no headers");
      },
    },
  }), /no headers/],
  "a body that is no stream": [async () => ({ ...head, body: "data: {}" }), /getReader is not a function/],
  "a reader that reads nothing": [async () => ({ ...head, body: { getReader: () => ({}) } }), /read is not a function/],
  "a body that somebody reads": [async () => ({ ...head, body: locked() }), /has a reader already/],
  "a body of strings": [async () => ({ ...head, body: chunks("data: {}\n\n") }), /not made of bytes/],
  "an error whose message is no string": [() => Promise.reject(Object.assign(new Error(), { message: 5 })), /unknown error/],
  "an error that is a Symbol": [() => Promise.reject(Symbol("no")), /unknown error/],
  "an error of another realm": [() => Promise.reject({ message: "from afar" }), /from afar/],
  "a throw at once": [() => {
    throw new Error("at once");
  }, /at once/],
  "a body that fails with a Symbol": [async () => ({ ...head, body: new ReadableStream({ pull: (body) => body.error(Symbol("cut")) }) }), /unknown error/],
};

/** The targets that transports return. */
const targets = {
  "nothing": [undefined, /Cannot destructure|undefined/],
  "a method that is no string": [{ url: "x", method: Symbol("POST") }, /method: expected a string, got Symbol\(POST\)/],
  "a fetch that cannot be called": [{ url: "x", fetch: {} }, /fetch: expected a function, got an object/],
  "credentials that do not exist": [{ url: "x", credentials: "all" }, /credentials: expected "omit", "same-origin" or "include", got "all"/],
  "headers that are none": [{ url: "x", headers: 5 }, /.+/],
};

describe("what comes from outside", { skip: !real && "needs the real core" }, () => {
  let agent;
  afterEach(() => agent?.dispose());
  const make = async (options) => {
    const { createAgent } = await load("index");
    agent = createAgent({ notify: "sync", retry: false, ...options });
    return agent;
  };
  const fails = async (expected) => {
    const { outcome, error } = await agent.submit("one");
    assert.ok(["error", "truncated"].includes(outcome), outcome);
    assert.match(error.message, expected);
    assert.notEqual(error.kind, "internal", error.message);
  };

  for (const [what, [fetch, expected]] of Object.entries(fetches)) {
    it(`of a fetch is an error of the run: ${what}`, async () => {
      let send = fetch;
      await make({ url: "http://agent/", fetch: (...request) => send(...request) });
      await fails(expected);
      send = fine;
      assert.equal((await agent.submit("two")).outcome, "success");
      assert.deepEqual(agent.getSnapshot().messages.map(({ content }) => content), ["one", "two", "x"]);
    });
  }

  for (const [what, [target, expected]] of Object.entries(targets)) {
    it(`of a transport is an error of the run: ${what}`, async () => {
      let next = target;
      await make({ transport: { connect: async () => next } });
      await fails(expected);
      next = { url: Symbol("what it is"), binary: Symbol("yes"), fetch: fine };
      assert.equal((await agent.submit("two")).outcome, "success");
    });
  }

  it("is read where it is a response in all that counts", async () => {
    await make({
      url: "http://agent/",
      fetch: async (...request) => {
        const text = await (await fine(...request)).text();
        return { status: 200, headers: { get: (name) => (name === "content-type" ? "text/event-stream" : null) }, body: chunks(bytes(text)) };
      },
    });
    assert.equal((await agent.submit("one")).outcome, "success");
  });
});

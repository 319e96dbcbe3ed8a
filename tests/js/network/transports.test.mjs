// Other ways to an agent: a scripted EventSource, a scripted WebSocket, a generator. Needs the built core.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EventEncoder } from "@ag-ui/encoder";
import { load, real, until } from "../lib.mjs";

const { createAgent, custom, eventSource, fetchTransport, webSocket } = await load("index");
const skip = !real && "the core is a stand-in";

const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const start = { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" };
const content = (delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
const end = { type: "TEXT_MESSAGE_END", messageId: "m" };
const all = [started, start, content("Hello"), content(" you"), end, finished];
const create = (transport, options) =>
  createAgent({ transport, threadId: "t", notify: "sync", rules: "strict", retry: { baseMs: 0, minMs: 0 }, limits: { graceMs: 0 }, ...options });
const run = (agent) => agent.submit({ message: { id: "u", content: "go" }, runId: "r" });
const text = (agent) => agent.getSnapshot().messages.at(-1).content;

/** Ends as a run does that went well. */
async function ends(agent, result) {
  const { outcome, error } = await result;
  assert.deepEqual([outcome, error, text(agent)], ["success", undefined, "Hello you"]);
}

describe("fetchTransport", { skip }, () => {
  it("is what an agent does by itself", async () => {
    const asked = [];
    const fetch = async (url, { method, headers, credentials }) => {
      asked.push([url, method, headers.get("x-a"), headers.get("accept"), credentials]);
      if (asked.length === 1) return new Response("", { status: 401 });
      return new Response(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
    };
    let token = 0;
    const transport = fetchTransport({ url: async () => new URL("http://agent.test/"), headers: () => ({ "x-a": `${++token}` }), credentials: "omit", fetch });
    const agent = create(transport);
    await ends(agent, run(agent));
    const each = (token) => ["http://agent.test/", "POST", token, "text/event-stream", "omit"];
    assert.deepEqual(asked, [each("1"), each("2")]);
  });
});

describe("custom", { skip }, () => {
  it("takes events", async () => {
    let given;
    const agent = create(
      custom(async function* (input, context) {
        given = { input, context };
        yield* all;
      }),
      { forwardedProps: { x: 1 } },
    );
    await ends(agent, run(agent));
    assert.deepEqual(given.input.messages, [{ id: "u", role: "user", content: "go" }]);
    const { body, signal, ...request } = given.context;
    assert.deepEqual([JSON.parse(body).forwardedProps, signal instanceof AbortSignal], [{ x: 1 }, true]);
    assert.deepEqual(request, { resume: false, threadId: "t", runId: "r", cursor: undefined });
  });

  it("takes bytes and text of any framing", async () => {
    const sse = all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const lines = all.map((event) => JSON.stringify(event)).join("\n");
    for (const body of [sse, lines, JSON.stringify(all)]) {
      const bytes = new TextEncoder().encode(body);
      const agent = create(
        custom(async function* () {
          yield bytes.slice(0, 7);
          yield bytes.slice(7);
        }),
      );
      await ends(agent, run(agent));
      const other = create(custom(async function* () {
        yield body;
      }));
      await ends(other, run(other));
    }
  });

  it("fails as a connection does", async () => {
    const before = create(custom(async function* () {
      throw new Error("no");
    }));
    assert.equal((await run(before)).error.message, "The server could not be reached: no");
    const within = create(custom(async function* () {
      yield started;
      throw new Error("no");
    }));
    const { outcome, error } = await run(within);
    assert.deepEqual([outcome, error.kind], ["truncated", "connection"]);
  });

  it("is notified of a stop", async () => {
    let signal;
    let returned = false;
    const agent = create(
      custom(async function* (_, context) {
        ({ signal } = context);
        try {
          yield started;
          yield start;
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        } finally {
          returned = true;
        }
      }),
    );
    const result = run(agent);
    await until(() => agent.getSnapshot().messages.length === 2);
    await agent.stop();
    assert.equal((await result).outcome, "aborted");
    await until(() => returned);
    assert.equal(signal.aborted, true);
  });

  it("is asked to go on where it was cut", async () => {
    const asked = [];
    const numbered = all.map((event, seq) => ({ ...event, metadata: { seq } }));
    const agent = create(
      custom(async function* (_, { resume, cursor }) {
        asked.push([resume, cursor]);
        if (resume) yield* numbered.slice(Number(cursor) + 1);
        else {
          yield* numbered.slice(0, 3);
          throw new Error("cut");
        }
      }),
      { resume: { by: "cursor", path: "/metadata/seq", param: "after" } },
    );
    await ends(agent, run(agent));
    assert.deepEqual(asked, [[false, undefined], [true, "2"]]);
  });
});

describe("webSocket", { skip }, () => {
  /** A socket in the hands of a test. */
  function sockets() {
    const opened = [];
    class Socket {
      sent = [];
      closed;
      constructor(url, protocols) {
        Object.assign(this, { url, protocols });
        opened.push(this);
      }
      open() {
        this.onopen();
      }
      send(text) {
        this.sent.push(text);
      }
      close(code) {
        this.closed ??= code;
      }
      say(...events) {
        for (const event of events) this.onmessage({ data: typeof event === "object" && !(event instanceof ArrayBuffer) ? JSON.stringify(event) : event });
      }
      end(code, reason = "") {
        this.onclose({ code, reason });
      }
    }
    const next = async () => {
      await until(() => opened.length);
      const socket = opened.shift();
      socket.open();
      return socket;
    };
    return { Socket, next };
  }
  const connected = async (options, more) => {
    const { Socket, next } = sockets();
    const agent = create(webSocket({ url: "ws://agent.test/", WebSocket: Socket, ...more }), options);
    const result = run(agent);
    return { agent, result, next, socket: await next() };
  };

  it("sends the input and takes text", async () => {
    const { agent, result, socket } = await connected({}, { protocols: ["ag-ui"] });
    assert.deepEqual([socket.url, socket.protocols], ["ws://agent.test/", ["ag-ui"]]);
    assert.deepEqual(JSON.parse(socket.sent[0]).messages, [{ id: "u", role: "user", content: "go" }]);
    socket.say(all[0], JSON.stringify(all[1], null, 2), ...all.slice(2));
    await ends(agent, result);
    await until(() => socket.closed === 1000);
  });

  it("takes binary frames, with their length or without", async () => {
    for (const cut of [0, 4]) {
      const encoder = new EventEncoder({ accept: "application/vnd.ag-ui.event+proto" });
      const { agent, result, socket } = await connected();
      socket.say(...all.map((event) => new Uint8Array(encoder.encodeBinary(event)).slice(cut).buffer));
      await ends(agent, result);
    }
    const { agent, result, socket } = await connected();
    socket.say(...all.map((event) => new TextEncoder().encode(JSON.stringify(event)).buffer));
    await ends(agent, result);
  });

  it("answers pings", async () => {
    const { agent, result, socket } = await connected();
    socket.say("ping", { type: "ping" }, all[0], { type: "ping", ts: 1 }, "", "pong", ...all.slice(1));
    await ends(agent, result);
    assert.deepEqual(socket.sent.slice(1), ["pong", `{"type":"pong"}`, `{"type":"pong","ts":1}`]);
  });

  it("takes frames of many blanks, and many frames at once", async () => {
    const { agent, result, socket } = await connected();
    const blanks = " ".repeat(1_000_000);
    socket.say(blanks, `${blanks}{"type":"ping"`, `{${blanks}`, `{"type"${blanks}`, `{"type":"ping"${"{".repeat(1_000_000)}`);
    socket.end(1001);
    assert.equal((await result).outcome, "error");
    assert.deepEqual(socket.sent.slice(1), []);

    const burst = await connected();
    burst.socket.say(started, start, ...Array.from({ length: 20_000 }, () => JSON.stringify(content("x"))), end, finished);
    assert.equal((await burst.result).outcome, "success");
    assert.equal(text(burst.agent).length, 20_000);
  });

  it("reads close codes", async () => {
    const cases = [
      [1000, "truncated", "connection"],
      [1001, "truncated", "connection"],
      [1006, "truncated", "connection"],
      [4401, "truncated", "auth"],
      [1008, "truncated", "auth"],
    ];
    for (const [code, outcome, kind] of cases) {
      const within = await connected();
      within.socket.say(all[0]);
      within.socket.end(code);
      const result = await within.result;
      assert.deepEqual([result.outcome, result.error.kind], [outcome, kind], `${code} within`);
      const before = await connected();
      before.socket.end(code, "why");
      const { error } = await before.result;
      assert.equal(error.kind, kind, `${code} before`);
      if (kind === "auth") assert.match(error.message, /why/);
    }
  });

  it("asks for another address when the credentials have expired", async () => {
    let token = 0;
    const { Socket, next } = sockets();
    const agent = create(webSocket({ url: async () => `ws://agent.test/?token=${++token}`, WebSocket: Socket }));
    const result = run(agent);
    const first = await next();
    first.end(4401);
    const second = await next();
    assert.deepEqual([first.url, second.url], ["ws://agent.test/?token=1", "ws://agent.test/?token=2"]);
    second.say(...all);
    await ends(agent, result);
  });

  it("continues after a cursor", async () => {
    const numbered = all.map((event, seq) => ({ ...event, metadata: { seq } }));
    const { agent, result, next, socket } = await connected({ resume: { by: "socket-cursor", path: "/metadata/seq" } });
    socket.say(...numbered.slice(0, 3));
    socket.end(1006);
    const second = await next();
    assert.equal(JSON.parse(second.sent[0]).forwardedProps.lastSeenEventId, 2);
    second.say(...numbered.slice(1));
    await ends(agent, result);
  });

  it("continues after cursors of any characters", async () => {
    for (const seq of ["größe 🙂", "a\0b", "a\r\nb", "\u2028", "7", '"}]', "", " "]) {
      const numbered = all.map((event, at) => ({ ...event, metadata: { seq: at === 2 ? seq : `${at}-` } }));
      const { agent, result, next, socket } = await connected({ resume: { by: "socket-cursor", path: "/metadata/seq" } });
      socket.say(...numbered.slice(0, 3));
      socket.end(1006);
      const second = await next();
      // A value that reads as a number is sent as one.
      assert.equal(JSON.parse(second.sent[0]).forwardedProps.lastSeenEventId, seq === "7" ? 7 : seq);
      second.say(...numbered.slice(3));
      await ends(agent, result);
    }
  });

  it("is closed by a stop, before it is open and after", async () => {
    for (const say of [[], all.slice(0, 3)]) {
      const { agent, result, socket } = await connected();
      socket.say(...say);
      if (say.length) await until(() => agent.getSnapshot().messages.length === 2);
      await agent.stop();
      const { outcome, error } = await result;
      assert.deepEqual([outcome, error], ["aborted", undefined]);
      await until(() => socket.closed === 1000);
      socket.end(1000);
    }
  });
});

describe("eventSource", { skip }, () => {
  function sources() {
    const opened = [];
    class Source extends EventTarget {
      closed = false;
      constructor(url, init) {
        super();
        Object.assign(this, { url, init });
        opened.push(this);
      }
      close() {
        this.closed = true;
      }
      say(events, from = 0, name = "message") {
        events.forEach((event, at) => {
          const data = typeof event === "string" ? event : JSON.stringify(event);
          this.dispatchEvent(Object.assign(new Event(name), { data, lastEventId: String(from + at) }));
        });
      }
    }
    const next = async () => {
      await until(() => opened.length);
      const source = opened.shift();
      source.onopen();
      return source;
    };
    return { Source, next };
  }
  const posts = [];
  const fetch = async (url, { method, body }) => {
    posts.push([url, method, JSON.parse(body).runId]);
    return Response.json({}, { status: 202 });
  };

  it("listens first and submits then", async () => {
    const { Source, next } = sources();
    const agent = create(eventSource({ url: (runId) => `/runs/${runId}`, submitUrl: "/submit", EventSource: Source, fetch, credentials: "include" }));
    const result = run(agent);
    const source = await next();
    assert.deepEqual([source.url, source.init], ["/runs/r", { withCredentials: true }]);
    await until(() => posts.length);
    assert.deepEqual(posts.splice(0), [["/submit", "POST", "r"]]);
    source.say(all.slice(0, 2));
    source.say([JSON.stringify(all[2], null, 1)], 2, "TEXT_MESSAGE_CONTENT");
    source.say(all.slice(3), 3);
    await ends(agent, result);
    assert.equal(agent.getSnapshot().connection.lastEventId, "5");
    await until(() => source.closed);
  });

  it("is opened again after the last id", async () => {
    const { Source, next } = sources();
    const agent = create(eventSource({ url: "/events?a=1", submitUrl: "/submit", EventSource: Source, fetch }), { resume: { by: "last-event-id" } });
    const result = run(agent);
    const first = await next();
    first.say(all.slice(0, 3));
    await until(() => agent.getSnapshot().messages.length === 2);
    first.onerror();
    assert.equal(first.closed, true);
    const second = await next();
    assert.equal(second.url, "/events?a=1&lastEventId=2");
    second.say(all.slice(1), 1);
    await ends(agent, result);
    assert.equal(posts.splice(0).length, 1, "the input goes once");
  });

  it("says what the server says to the input", async () => {
    const { Source, next } = sources();
    const refuse = async () => Response.json({ message: "no" }, { status: 403 });
    const agent = create(eventSource({ url: "/events", submitUrl: "/submit", EventSource: Source, fetch: refuse }));
    const result = run(agent);
    const source = await next();
    const { error } = await result;
    assert.deepEqual([error.kind, error.message, source.closed], ["auth", "HTTP 403: no", true]);
  });

  it("fails where it does not open, and is closed by a stop", async () => {
    const { Source } = sources();
    let made;
    class Dead extends Source {
      constructor(...given) {
        super(...given);
        made = this;
      }
    }
    const agent = create(eventSource({ url: "/events", submitUrl: "/submit", EventSource: Dead, fetch }));
    const failed = run(agent);
    await until(() => made);
    made.onerror();
    assert.equal((await failed).error.kind, "connection");
    made = undefined;
    const stopped = run(agent);
    await until(() => made);
    await agent.stop();
    assert.equal((await stopped).outcome, "aborted");
    await until(() => made.closed);
  });
});

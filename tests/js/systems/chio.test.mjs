// Chio through the package: its events from bytes to the snapshot over each transport, the guard before them, and the
// functions of `ag-ui-wasm/chio` on the vectors, with the platform's own cryptography.

import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { chio as speak, kernelKey } from "./servers/chio.mjs";
import { Socket } from "./chio-sockets.mjs";
import { load, until } from "../lib.mjs";

const { createAgent, eventSource, webSocket, AgentError } = await load("index");
const chio = await load("systems/chio/index");

const read = (name) => readFileSync(new URL(`../../fixtures/dialects/chio/${name}`, import.meta.url), "utf8");
const json = (name) => JSON.parse(read(name));
const lines = (name) => read(name).split("\n").filter(Boolean);

const stream = (body, type = "text/event-stream") => async () => new Response(body, { headers: { "content-type": type } });
const names = ["01-sse-default-config", "03-websocket-default-config"];

describe("an agent", () => {
  test("reads what the proxy delivers by fetch, by the way that Chio has", async () => {
    const asked = [];
    const fetch = async (url, init) => (asked.push([url, init.method, init.headers.get("authorization")]), stream(read(`${names[0]}.sse`))());
    const custom = [];
    const agent = createAgent({
      transport: {
        connect: ({ threadId }) => ({ url: `/ag-ui/stream?session=${threadId}`, method: "GET", headers: { authorization: "Bearer x" }, fetch }),
      },
      dialect: "chio",
      rules: "strict",
      threadId: "s1",
    });
    agent.on("custom", (event) => custom.push(event));
    const { outcome } = await agent.submit("hello");
    assert.equal(outcome, "success");
    assert.deepEqual(asked, [["/ag-ui/stream?session=s1", "GET", "Bearer x"]]);
    assert.deepEqual(custom.map(({ name, data }) => [name, data.event_id]), [["chio.lifecycle", "evt_01HZ8A2"], ["chio.form_action", "evt_01HZ8A3"]]);
    agent.dispose();
  });

  test("posts the text as an event", async () => {
    let sent;
    const fetch = async (_, { body }) => ((sent = JSON.parse(body)), stream("")());
    const agent = createAgent({ url: "/x", fetch, dialect: { name: "chio" }, threadId: "s1" });
    await agent.submit("Refund it");
    assert.deepEqual(sent, { session_id: "s1", event_type: "form_action", classification: "submit", payload: { text: "Refund it" } });
    agent.dispose();
  });

  test("reads an EventSource, whose end may be the end", async () => {
    class Source extends EventTarget {
      static CONNECTING = 0;
      readyState = 1;
      constructor(url) {
        super();
        this.url = url;
        setTimeout(() => {
          this.onopen();
          for (const data of lines(`${names[0]}.all-events.jsonl`)) this.dispatchEvent(Object.assign(new Event("message"), { data, lastEventId: "" }));
          this.readyState = 0;
          this.onerror();
        });
      }
      close() {}
    }
    const outcomes = [];
    for (const closeIsEnd of [true, false]) {
      const transport = eventSource({ url: (_, { threadId }) => `/ag-ui/stream?session=${threadId}`, EventSource: Source, closeIsEnd });
      const agent = createAgent({ transport, dialect: "chio", notify: "sync" });
      outcomes.push((await agent.submit("hello")).outcome);
      assert.equal(agent.getSnapshot().messages[1].content, "I'll check your order status now.");
      agent.dispose();
    }
    assert.deepEqual(outcomes, ["success", "truncated"]);
  });

  test("talks with the demo's server, whose receipts are true", async () => {
    const receipts = [];
    const events = [];
    const fetch = async (_, { body }) => {
      let answer = "";
      await speak(JSON.parse(body), (bytes) => void (answer += bytes));
      return stream(answer)();
    };
    const agent = createAgent({ url: "/chio", fetch, dialect: { name: "chio", rawText: true }, rules: "strict", threadId: "s1" });
    agent.on("custom", ({ name, data }) => void (name === "chio.receipt" && receipts.push(data)));
    agent.on("event", ({ rawEvent }) => void (rawEvent && !events.includes(rawEvent) && !rawEvent.includes("payload_hash") && events.push(rawEvent)));
    assert.equal((await agent.submit("Refund order #1024")).outcome, "success");
    assert.equal(agent.getSnapshot().messages.at(-1).content, "I have looked at order #1024. Shall I refund it?");
    assert.deepEqual([events.length, receipts.length], [5, 6]);
    const texts = new Map(events.map((text) => [JSON.parse(text).event_id, text]));
    for (const receipt of receipts) {
      const report = await chio.verifyReceipt(receipt, { pinnedKeys: [kernelKey], event: texts.get(receipt.event_id) });
      assert.equal(report.valid, true);
      assert.equal(report.result, texts.has(receipt.event_id) ? "observed_allow" : "observed_deny");
    }
    agent.dispose();

    let confirmed = "";
    await speak({ session_id: "s1", event_type: "form_action", classification: "submit", payload: { confirmed: true } }, (bytes) => void (confirmed += bytes));
    const next = createAgent({ url: "/chio", fetch: stream(confirmed), dialect: "chio", rules: "strict" });
    await next.submit("yes");
    assert.deepEqual(next.getSnapshot().state, { refund: { status: "queued" } });
    next.dispose();
  });

  test("speaks both ways over a WebSocket, by the guard's rule", async () => {
    const decisions = [];
    const agent = createAgent({
      transport: webSocket({ url: (_, { threadId }) => `wss://host/ag-ui?session=${threadId}`, WebSocket: Socket }),
      dialect: { name: "chio", input: "none" },
      guard: { restrictedClassifications: [], allowDisplayWithoutCapability: true, inbound: { allowClassifications: ["submit"] } },
      threadId: "s1",
      notify: "sync",
      onDecision: (decision) => decisions.push(decision),
    });
    const form = { event_type: "form_action", payload: { ok: true } };
    assert.throws(() => agent.send(form), (error) => AgentError.is(error) && error.code === "not-sent");
    const count = Socket.all.length;
    const run = agent.submit("hello");
    await until(() => Socket.all.length > count, "a socket");
    const socket = Socket.all.at(-1);
    assert.equal(socket.url, "wss://host/ag-ui?session=s1");
    socket.open();
    assert.deepEqual(socket.texts, [], "nothing is sent unasked");
    for (const data of lines(`${names[1]}.ws.jsonl`)) socket.onmessage({ data });
    await until(() => agent.guard.forwarded === 2, "both events");

    assert.equal(agent.send(form).allowed, true);
    const refused = agent.send({ event_type: "navigation", payload: {} });
    assert.deepEqual([refused.allowed, refused.reason, refused.direction], [false, "inbound Navigate events are not allowed", "inbound"]);
    assert.equal(agent.send('{"event_type":"form_action","payload":9007199254740993}').allowed, true);
    assert.deepEqual(socket.texts, [JSON.stringify(form), '{"event_type":"form_action","payload":9007199254740993}']);
    assert.deepEqual(decisions.map(({ direction, allowed }) => `${direction} ${allowed}`), [
      ...["outbound true", "outbound true", "inbound true", "inbound false", "inbound true"],
    ]);
    socket.lose(1000);
    assert.equal((await run).outcome, "success");
    assert.throws(() => agent.send(form), (error) => AgentError.is(error) && error.code === "not-sent");
    assert.deepEqual([agent.guard.forwarded, agent.guard.blocked, agent.guard.total], [2, 0, 2]);
    agent.dispose();
  });

  test("sends the text of a submit over a WebSocket, unless the guard refuses", async () => {
    const make = (allowClassifications) =>
      createAgent({
        transport: webSocket({ url: "wss://host/ag-ui", WebSocket: Socket }),
        dialect: "chio",
        guard: { inbound: { allowClassifications } },
      });
    const count = Socket.all.length;
    const agent = make(["submit"]);
    const run = agent.submit("hello");
    await until(() => Socket.all.length > count, "a socket");
    Socket.all.at(-1).open();
    assert.equal(Socket.all.at(-1).sent[0].payload.text, "hello");
    Socket.all.at(-1).lose(1000);
    assert.equal((await run).outcome, "success");
    const other = make([]);
    const { outcome, error } = await other.submit("hello");
    assert.deepEqual([outcome, error.kind, error.code, error.message], ["error", "blocked", "guard", "inbound Submit events are not allowed"]);
    assert.equal(Socket.all.length, count + 1, "no socket was opened for it");
    agent.dispose();
    other.dispose();
  });
});

describe("the guard", () => {
  const events = [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hi" },
    { type: "TEXT_MESSAGE_END", messageId: "m" },
    { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    { type: "CUSTOM", name: "go", value: 1 },
    { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

  test("keeps from an agent of AG-UI what is restricted", async () => {
    const seen = [];
    const decisions = [];
    const warnings = [];
    const agent = createAgent({
      url: "/x",
      fetch: stream(body),
      rules: "strict",
      guard: { restrictedClassifications: ["mutate", "submit"], allowDisplayWithoutCapability: true },
      onEvent: ({ type }) => seen.push(type),
      onWarning: ({ code }) => warnings.push(code),
    });
    const off = agent.on("decision", (decision) => decisions.push(decision));
    assert.deepEqual([agent.guard.forwarded, agent.guard.blocked, agent.guard.total], [0, 0, 0]);
    assert.equal((await agent.submit("hello")).outcome, "success");
    assert.deepEqual(seen, events.map(({ type }) => type).filter((type) => type !== "STATE_SNAPSHOT" && type !== "CUSTOM"));
    assert.deepEqual(agent.getSnapshot().state, {});
    assert.deepEqual(decisions.map(({ eventType, classification, reason }) => [eventType, classification, reason]), [
      ["TEXT_MESSAGE_START", "display", undefined],
      ["TEXT_MESSAGE_CONTENT", "display", undefined],
      ["STATE_SNAPSHOT", "mutate", "capability required for Mutate events"],
      ["CUSTOM", "submit", "capability required for Submit events"],
    ]);
    assert.deepEqual(warnings, ["event-blocked"]);
    assert.deepEqual([agent.guard.forwarded, agent.guard.blocked, agent.guard.total], [2, 2, 4]);

    // A token that comes later opens what it is for, and without a listener nothing is told.
    off();
    const now = Math.floor(Date.now() / 1000);
    agent.guard.present([{
      id: "c",
      issuer: "",
      subject: "",
      scope: { grants: [{ server_id: "ag-ui" }] },
      issued_at: now - 5,
      expires_at: now + 600,
      signature: "",
    }]);
    await agent.submit("again");
    assert.deepEqual(agent.getSnapshot().state, { a: 1 });
    assert.equal(decisions.length, 4);
    assert.equal(agent.guard.total, 8);
    agent.dispose();
  });

  test("may be given its tokens before the core is there", async () => {
    const agent = createAgent({ url: "/x", fetch: stream(body), guard: {} });
    agent.guard.present([JSON.stringify({ scope: ["ui"], issued_at: 0, expires_at: 2 ** 40 })]);
    await agent.submit("hello");
    assert.deepEqual(agent.getSnapshot().state, { a: 1 });
    agent.dispose();
  });

  test("a document of Chio's is refused where it is given, with the function that reads it", () => {
    for (const guard of [{ rules: { ag_ui: {} } }, { ag_ui: {} }, { ag_ui_inbound: {} }, { hushspec: "0.1" }]) {
      assert.throws(() => createAgent({ url: "/", guard }), (error) => error.code === "input" && /policyFrom\(\)/.test(error.message));
    }
  });

  test("is refused where its policy cannot be read", async () => {
    const agent = createAgent({ url: "/", fetch: stream(body), guard: { restrictedClassifications: ["everything"] } });
    const { outcome, error } = await agent.submit("hello").catch((error) => ({ outcome: "rejected", error }));
    assert.ok(error, outcome);
    assert.match(error.message, /"everything" is no known class in "restrictedClassifications"/);
    agent.dispose();
  });
});

describe("functions", () => {
  test("decisions, receipts and payloads of the recorded streams", async () => {
    for (const name of names) {
      const { config, kernelKey, perEvent } = json(`${name}.expected.json`);
      const events = lines(`${name}.all-events.jsonl`);
      for (const [i, expected] of perEvent.entries()) {
        const event = events[i];
        const { allowed, denial_reason = null } = await chio.predictDecision(config, event, expected.capability, expected.nowUnix);
        assert.deepEqual({ allowed, denial_reason }, expected.decisionFirstGeneration);
        const { classification = null, error = null } = await chio.classify(event);
        assert.deepEqual([classification, error], [expected.derivedClassification, expected.derivationError]);
        const report = await chio.verifyReceipt(expected.receipt, { pinnedKeys: [kernelKey], event });
        assert.equal(report.signatureValid, expected.signatureValid);
        assert.equal(report.valid, true);
        assert.equal(report.payloadHashValid, true);
        assert.equal(report.result, expected.receipt.allowed ? "observed_allow" : "observed_deny");
        assert.equal(report.authorized, false);
        assert.equal((await chio.verifyReceipt(expected.receipt, { event })).valid, false, "its own key proves nothing");
        const other = event.replace(/"payload":[^]*/, '"payload":{"text":"other"}}');
        assert.equal((await chio.verifyReceipt(expected.receipt, { pinnedKeys: [kernelKey], event: other })).payloadHashValid, false);
      }
    }
  });

  test("classes", async () => {
    for (const { derived, error, ...event } of json("classification-vectors.json")) {
      const found = await chio.classify(event);
      assert.deepEqual([found.classification ?? null, found.error ?? null], [derived, error]);
    }
    const mismatch = await chio.compareClassification({ event_type: "navigation", classification: "display" });
    assert.deepEqual(mismatch, {
      matches: false,
      supplied: "display",
      derived: "navigate",
      error: "event classification mismatch: supplied display, derived navigate",
    });
  });

  test("payloads", async () => {
    for (const { payload_json, canonical, payload_hash } of json("payload-hash-vectors.json")) {
      assert.equal(await chio.canonicalize(payload_json), canonical);
      assert.equal(await chio.payloadHash(payload_json), payload_hash);
    }
    assert.equal(await chio.canonicalize('"\\udbfe\\udc00\u{10F800}"'), '"\u{10F800}\u{10F800}"');
    await assert.rejects(chio.canonicalize("{"), (error) => AgentError.is(error) && error.code === "input");
  });

  test("receipts", async () => {
    for (const { name, receipt, valid } of json("receipt-verification-vectors.json")) {
      const report = await chio.verifyReceipt(receipt, { pinnedKeys: [json(`${names[1]}.expected.json`).kernelKey] });
      assert.equal(report.signatureValid, valid, name);
      assert.equal(report.valid, valid, name);
    }
    const [{ receipt }] = json("receipt-verification-vectors.json");
    const { error } = await chio.verifyReceipt({ ...receipt, kernel_key: `rsa:${receipt.kernel_key}` });
    assert.match(error, /kernel_key/);
  });

  test("capabilities", async () => {
    for (const { name, event, token, now, trusted_issuers: trustedIssuers, expected } of json("capability-binding-vectors.json").vectors) {
      const options = { now, trustedIssuers };
      const { authorized, reason = "" } = await chio.capabilityAuthorizes(event, token, options);
      assert.equal(authorized, expected.authorized, name);
      assert.ok(reason.includes(expected.reason_contains ?? ""), `${name}: ${reason}`);
      const config = { trusted_issuers: trustedIssuers, bind_capability: true, compare_classification: true };
      const predicted = await chio.predictDecision(config, event, token, now);
      assert.equal(predicted.allowed, expected.authorized, name);
      assert.ok((predicted.denial_reason ?? "").includes(expected.reason_contains ?? ""), name);
    }
    const [{ event, token, now, trusted_issuers: trustedIssuers }] = json("capability-binding-vectors.json").vectors;
    assert.deepEqual(await chio.verifyCapability(token, { now, trustedIssuers }), { valid: true, signatureValid: true, status: "valid" });
    const reason = async (options) => (await chio.verifyCapability(token, { now, trustedIssuers, ...options })).reason;
    assert.equal(await reason({ revoked: [token.id] }), "capability has been revoked");
    assert.equal(await reason({ trustedIssuers: [] }), "capability issuer is not trusted");
    assert.equal(await reason({ now: 2e9 }), `capability time validation failed: capability expired at ${token.expires_at}`);
    assert.deepEqual(await chio.capabilityAuthorizes(event, token), { authorized: true }, "without options, the scope alone");
    assert.equal((await chio.verifyCapability("{}")).valid, false);
  });

  test("receipts that ECDSA has signed", async () => {
    const [{ receipt }] = json("receipt-verification-vectors.json");
    for (const [algorithm, curve, hash] of [["p256", "P-256", "sha256"], ["p384", "P-384", "sha384"]]) {
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: curve });
      const { x, y } = publicKey.export({ format: "jwk" });
      const point = `04${Buffer.from(x, "base64url").toString("hex")}${Buffer.from(y, "base64url").toString("hex")}`;
      const { signature: _, ...rest } = { ...receipt, kernel_key: `${algorithm}:${point}` };
      const body = await chio.canonicalize(rest);
      // Numbers of every length: DER leaves out zeros in front.
      for (let i = 0; i < 20; i++) {
        const signature = `${algorithm}:${sign(hash, Buffer.from(body), privateKey).toString("hex")}`;
        const signed = { ...rest, signature };
        assert.equal((await chio.verifyReceipt(signed, { pinnedKeys: [rest.kernel_key] })).valid, true, algorithm);
        assert.equal((await chio.verifyReceipt({ ...signed, allowed: !signed.allowed })).signatureValid, false);
      }
    }
  });

  test("a platform without the curve says so", async (t) => {
    const [{ receipt }] = json("receipt-verification-vectors.json");
    t.mock.method(crypto.subtle, "importKey", async () => {
      throw new DOMException("unknown", "NotSupportedError");
    });
    await assert.rejects(chio.verifyReceipt(receipt), (error) => AgentError.is(error) && error.kind === "unsupported" && error.code === "ed25519");
  });

  test("events are parsed as loosely or strictly as asked", async () => {
    const [first] = lines(`${names[0]}.all-events.jsonl`);
    const plain = JSON.parse(first);
    assert.deepEqual(await chio.parseEvent(first, { strict: true }), { event: plain, problems: [] });
    const { event_id, ...partial } = plain;
    const tolerant = await chio.parseEvent(partial);
    assert.deepEqual([tolerant.event, tolerant.problems.map(({ member }) => member)], [partial, ["event_id"]]);
    assert.equal((await chio.parseEvent(partial, { strict: true })).event, undefined);
    const untidy = { ...plain, target: { component_type: "modal", component_id: " x" } };
    assert.ok((await chio.parseEvent(untidy)).event);
    assert.deepEqual((await chio.parseEvent(untidy, { strict: true })).problems.map(({ member }) => member), ["target.component_id"]);
    for (const bad of ["", "[1]", "null", { ...plain, event_type: "x" }, { ...plain, classification: "x" }]) {
      assert.equal((await chio.parseEvent(bad)).event, undefined);
    }
  });

  test("targets, counters and joins", () => {
    const target = { component_type: "modal", component_id: "a:b" };
    const matches = ["modal", "modal:a:b", { component_type: "modal" }, target].map((pattern) => chio.matchTarget(pattern, target));
    assert.deepEqual(matches, [true, true, true, true]);
    for (const pattern of ["toast", "modal:a", "modal:", { component_type: "modal", component_id: "c" }])
      assert.equal(chio.matchTarget(pattern, target), false);
    assert.equal(chio.matchTarget("modal", undefined), false);

    for (const name of names) {
      const { counters, perEvent, visibleToBrowser } = json(`${name}.expected.json`);
      let record = chio.transportRecord({ kind: name.startsWith("03") ? "websocket" : "sse", connection_id: "c", agent_id: "a", connected_at: 1 });
      for (const { decisionFirstGeneration } of perEvent) record = chio.countEvent(record, decisionFirstGeneration);
      assert.deepEqual({ events_forwarded: record.events_forwarded, events_blocked: record.events_blocked, total: chio.totalEvents(record) }, counters);
      assert.equal(record.kind, json(`${name}.expected.json`).transport);

      const all = lines(`${name}.all-events.jsonl`).map((line) => JSON.parse(line));
      const delivered = all.filter(({ event_id }) => visibleToBrowser.includes(event_id));
      const joined = chio.joinReceipts(delivered, lines(`${name}.receipts.jsonl`).map((line) => JSON.parse(line)));
      assert.deepEqual(joined.slice(0, 2).map(({ event, receipts }) => [event.event_id, receipts[0].allowed]), visibleToBrowser.map((id) => [id, true]));
      assert.deepEqual(joined.slice(2).map(({ event, receipts }) => [event, receipts[0].allowed]), Array(6).fill([undefined, false]));
    }
    const full = chio.transportRecord({ kind: "sse", connection_id: "c", agent_id: "a", connected_at: 1, events_forwarded: Number.MAX_SAFE_INTEGER });
    assert.equal(chio.countEvent(full, { allowed: true }).events_forwarded, Number.MAX_SAFE_INTEGER);
    assert.throws(() => chio.transportRecord({ kind: "tcp" }), (error) => AgentError.is(error));
  });
});

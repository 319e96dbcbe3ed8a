// The document "Proxy an AG-UI Event Stream" of Chio, one test a line that a client can honor. Each names the line's place.

import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, it } from "node:test";
import { load, real, until } from "../js/lib.mjs";
import { Socket, Source } from "../js/systems/chio-sockets.mjs";

const chio = await load("systems/chio/index");
const { createAgent, eventSource, webSocket, AgentError } = await load("index");
const skip = !real && "needs the built core";

/** The events of "Event Classification", in the order of the document. */
const session = { agent_id: "agent-support", session_id: "sess_01HZ" };
const text = {
  event_id: "evt_01HZ8A1",
  timestamp: 1744993921,
  ...session,
  event_type: "text_stream",
  target: { component_type: "chat-window", component_id: "main" },
  classification: "display",
  payload: { text: "I'll check your order status now." },
};
const form = {
  event_id: "evt_01HZ8A2",
  timestamp: 1744993923,
  ...session,
  event_type: "lifecycle",
  target: { component_type: "form", component_id: "refund-request" },
  classification: "create",
  payload: { fields: ["order_id", "reason", "amount"] },
};
const prompt = {
  event_id: "evt_01HZ8A3",
  timestamp: 1744993928,
  ...session,
  event_type: "form_action",
  target: { component_type: "modal", component_id: "confirm-refund" },
  classification: "submit",
  payload: { prompt: "Issue $42.50 refund to order #1024?" },
};
const notice = (id = "evt_n") => ({
  event_id: id,
  timestamp: 1744993930,
  ...session,
  event_type: "notification",
  target: { component_type: "toast", component_id: "default" },
  classification: "alert",
  payload: { title: "Refund queued" },
});
const navigate = {
  event_id: "evt_g",
  timestamp: 1744993931,
  ...session,
  event_type: "navigation",
  target: { component_type: "chat-window", component_id: "main" },
  classification: "navigate",
  payload: { url: "https://elsewhere.example/" },
};

const now = Math.floor(Date.now() / 1000);
const grant = { server_id: "ag-ui", tool_name: "*", operations: ["invoke"] };
const tokenOf = (scope, more = {}) => ({ id: "cap", issuer: "i", subject: "s", scope, issued_at: now - 60, expires_at: now + 600, signature: "x", ...more });
const token = tokenOf({ grants: [grant] });

/** A policy's reason against an event; nothing where it passes. */
const decide = async (policy, event, held) => (await chio.predictDecision(policy, event, held)).denial_reason;

const stream = (...events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** The ids of the events that an agent with this guard shows, and why the others were blocked. */
async function shown(guard, ...events) {
  const fetch = async () => new Response(stream(...events), { headers: { "content-type": "text/event-stream" } });
  const decisions = [];
  const agent = createAgent({
    url: "/x",
    fetch,
    dialect: { name: "chio", input: "none" },
    guard,
    threadId: "sess_01HZ",
    onDecision: (decision) => decisions.push(decision),
  });
  const { outcome, error } = await agent.submit("go");
  agent.dispose();
  if (outcome === "error") throw error;
  const of = (allowed) => decisions.filter((decision) => decision.allowed === allowed && decision.direction === "outbound");
  return { passed: of(true).map(({ eventId }) => eventId), blocked: of(false).map(({ reason }) => reason) };
}

const restricted = ["mutate", "navigate", "create", "destroy", "submit", "alert"];
const sse = {
  hushspec: "0.1.0",
  name: "ag-ui-sse",
  rules: {
    ag_ui: { enabled: true, transport: "sse", allow_display_without_capability: true, restricted_classifications: restricted, max_events_per_second: 200 },
    ag_ui_components: { enabled: true, allow_components: ["chat-window", "sidebar", "toast"] },
  },
};
const ws = {
  hushspec: "0.1.0",
  name: "ag-ui-ws",
  rules: {
    ag_ui: {
      enabled: true,
      transport: "websocket",
      allow_display_without_capability: false,
      restricted_classifications: restricted,
      max_events_per_second: 100,
    },
    ag_ui_inbound: { enabled: true, default: "block", allow_classifications: ["display", "mutate"] },
    ag_ui_components: { enabled: true, allow_components: ["chat-window", "form", "toast"] },
  },
};
const allowlist = { ag_ui_components: { enabled: true, allow_ids: ["chat-window:main", "sidebar:agent-status", "toast:default"], default: "block" } };
const scoped = {
  ag_ui: {
    enabled: true,
    restricted_classifications: ["submit", "alert", "navigate"],
    capability_scopes: [
      {
        scope_id: "ui:submit:modal:confirm-refund",
        allow_event_types: ["form_action"],
        allow_targets: [{ component_type: "modal", component_id: "confirm-refund" }],
      },
    ],
  },
};
const rate = {
  ag_ui: { enabled: true, max_events_per_second: 50 },
  velocity: { enabled: true, scope: "session", match: { event_type: "notification" }, max_invocations: 20, window_seconds: 300 },
};

describe("Event Classification", { skip }, () => {
  it("the events of the document are read strictly, as they are", async () => {
    for (const event of [text, prompt, notice(), navigate]) {
      assert.deepEqual(await chio.parseEvent(event, { strict: true }), { event, problems: [] });
      assert.deepEqual(await chio.classify(event), { classification: event.classification });
    }
    assert.deepEqual(await chio.parseEvent(form), { event: form, problems: [] });
  });
  it("display is blocked by default, unless a capability is there or display needs none", async () => {
    const policy = (more) => chio.policyFrom({ ag_ui: { enabled: true, ...more } });
    assert.equal(await decide(policy(), text), "no capability token provided");
    assert.equal(await decide(policy(), text, token), undefined);
    assert.equal(await decide(policy({ allow_display_without_capability: true }), text), undefined);
  });
  it("an alert is restricted by default, and a navigation", async () => {
    const policy = chio.policyFrom({ ag_ui: { enabled: true, allow_display_without_capability: true } });
    assert.equal(await decide(policy, notice()), "capability required for Alert events");
    assert.equal(await decide(policy, navigate), "capability required for Navigate events");
  });
});

describe("SSE Transport: ag-ui-sse-policy.yaml", { skip }, () => {
  it("display passes without a token, and everything else needs one", async () => {
    const policy = chio.policyFrom(sse);
    assert.equal(await decide(policy, text), undefined);
    assert.equal(await decide(policy, { ...form, target: text.target }), "capability required for Create events");
    assert.equal(await decide(policy, notice()), "capability required for Alert events");
    assert.equal(await decide(policy, notice(), token), undefined);
  });
  it("components that are not listed are denied regardless of classification", async () => {
    const policy = chio.policyFrom(sse);
    assert.equal(await decide(policy, prompt, token), "unknown component id");
    assert.equal(await decide(policy, { ...text, target: prompt.target }), "unknown component id");
  });
  it("the guard of an agent does the same", async () => {
    const { passed, blocked } = await shown(chio.policyFrom(sse), text, form, prompt, notice(), navigate);
    assert.deepEqual(passed, ["evt_01HZ8A1"]);
    assert.deepEqual(blocked, [
      "unknown component id",
      "unknown component id",
      "capability required for Alert events",
      "capability required for Navigate events",
    ]);
  });
  it("max_events_per_second: a flood is cut", async () => {
    const policy = chio.policyFrom({ ...sse, rules: { ...sse.rules, ag_ui: { ...sse.rules.ag_ui, max_events_per_second: 2 } } });
    const { passed, blocked } = await shown(policy, ...[1, 2, 3].map((id) => ({ ...text, event_id: `e${id}` })));
    assert.deepEqual([passed, blocked], [["e1", "e2"], ["rate limit exceeded: 2 events per second"]]);
  });
});

describe("WebSocket Transport: ag-ui-ws-policy.yaml", { skip }, () => {
  it("nothing is shown without a token, and its components with one", async () => {
    const policy = chio.policyFrom(ws);
    assert.equal(await decide(policy, text), "no capability token provided");
    assert.deepEqual((await shown({ ...policy, capabilities: [token] }, text, form, prompt, notice())).passed, ["evt_01HZ8A1", "evt_01HZ8A2", "evt_n"]);
  });
  it("ag_ui_inbound: display and mutate may go to the agent, a form or a navigation only with a capability of its own", async () => {
    const sent = async (guard, event) => {
      const transport = { connect: () => ({ url: "/x", fetch: () => new Promise(() => {}) }), send: () => true };
      const agent = createAgent({ transport, dialect: { name: "chio", input: "none" }, guard });
      void agent.submit("go");
      let decision;
      for (let i = 0; i < 200 && !decision; i++) {
        try {
          decision = agent.send(event);
        } catch {
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      agent.dispose();
      return decision.reason;
    };
    const policy = chio.policyFrom(ws);
    const say = { event_type: "text_stream", classification: "display", payload: { text: "hi" } };
    const submit = { event_type: "form_action", classification: "submit", payload: {} };
    assert.equal(await sent(policy, say), undefined);
    assert.equal(await sent(policy, { event_type: "state_update", payload: {} }), undefined);
    assert.equal(await sent(policy, submit), "inbound Submit events are not allowed");
    assert.equal(await sent(policy, { event_type: "navigation", payload: {} }), "inbound Navigate events are not allowed");
    const own = tokenOf({ grants: [{ ...grant, tool_name: "submit" }] });
    assert.equal(await sent({ ...policy, capabilities: [own] }, submit), undefined);
    assert.equal(await sent({ ...policy, capabilities: [own] }, { event_type: "navigation", payload: {} }), "inbound Navigate events are not allowed");
    assert.equal(await sent({ ...policy, capabilities: [{ ...own, expires_at: now - 1 }] }, submit), "inbound Submit events are not allowed");
  });
});

describe("Policy Patterns", { skip }, () => {
  it("policy-component-allowlist.yaml: ids that are not listed are unknown", async () => {
    const policy = chio.policyFrom(allowlist);
    assert.equal(await decide(policy, text, token), undefined);
    assert.equal(await decide(policy, notice(), token), undefined);
    for (const target of [{ component_type: "chat-window", component_id: "other" }, { component_type: "chat-window" }, { component_type: "modal" }]) {
      assert.equal(await decide(policy, { ...text, target }, token), "unknown component id");
    }
    assert.equal(await decide(policy, text), "no capability token provided", "a block alone opens nothing else");
  });
  it("policy-submit-scope.yaml: only a token with this exact scope authorizes a submit to this modal", async () => {
    const policy = chio.policyFrom(scoped);
    const id = "ui:submit:modal:confirm-refund";
    const no = "capability scope does not authorize this AG-UI event";
    const bound = ["session_id", "target_component_type", "target_component_id"].map((key, i) => ({
      type: "custom",
      value: [key, ["sess_01HZ", "modal", "confirm-refund"][i]],
    }));
    const exact = [id, [id], { grants: [{ ...grant, tool_name: id }] }, { grants: [{ ...grant, tool_name: "submit", constraints: bound }] }];
    for (const scope of exact) assert.equal(await decide(policy, prompt, tokenOf(scope)), undefined, JSON.stringify(scope));
    for (const scope of ["ui:submit:modal:other", [], { grants: [grant] }, { grants: [{ ...grant, tool_name: id, operations: ["read"] }] }, {
      grants: [{ ...grant, tool_name: id, server_id: "x" }],
    }]) {
      assert.equal(await decide(policy, prompt, tokenOf(scope)), no, JSON.stringify(scope));
    }
    const held = tokenOf(id);
    assert.equal(await decide(policy, { ...prompt, target: { component_type: "modal", component_id: "other" } }, held), no);
    assert.equal(await decide(policy, { ...prompt, event_type: "lifecycle" }, held), no);
    assert.equal(await decide(policy, { ...prompt, classification: "navigate" }, held), no, "the name of the scope is about submits");
    assert.equal(await decide(policy, prompt), "capability required for Submit events");
    assert.equal(await decide(policy, prompt, tokenOf(id, { expires_at: now - 1 })), `capability time validation failed: capability expired at ${now - 1}`);
    assert.deepEqual((await shown({ ...policy, capabilities: [held] }, text, prompt, notice())).passed, ["evt_01HZ8A1", "evt_01HZ8A3"]);
  });
  it("policy-notification-rate.yaml: twenty notifications in five minutes", async () => {
    const notices = Array.from({ length: 22 }, (_, i) => notice(`n${i}`));
    const { passed, blocked } = await shown({ ...chio.policyFrom(rate), capabilities: [token] }, ...notices, text);
    assert.deepEqual(passed, [...notices.slice(0, 20).map(({ event_id }) => event_id), "evt_01HZ8A1"]);
    assert.deepEqual(blocked, Array(2).fill("velocity limit exceeded: 20 notification events in 300 seconds"));
  });
  it("a token with an empty scope authorizes nothing", async () => {
    const no = "capability scope does not authorize this AG-UI event";
    for (const scope of [{}, { grants: [] }, [], "", null, undefined, 7]) {
      assert.equal(await decide(chio.policyFrom(ws), text, tokenOf(scope)), no, JSON.stringify(scope));
      assert.equal(await decide(chio.policyFrom(sse), notice(), tokenOf(scope)), no, JSON.stringify(scope));
      assert.equal(await decide(chio.policyFrom(scoped), prompt, tokenOf(scope)), no, JSON.stringify(scope));
    }
  });
});

describe("policies that are none", () => {
  const refused = (document, message) => {
    assert.throws(() => chio.policyFrom(document), (error) => {
      assert.ok(AgentError.is(error) && error.kind === "unsupported" && error.code === "input", String(error));
      assert.match(error.message, message);
      return true;
    }, JSON.stringify(document));
  };
  const put = (document, path, value) => {
    const copy = structuredClone(document);
    const keys = path.split(".");
    const last = keys.pop();
    keys.reduce((at, key) => at[key], copy)[last] = value;
    return copy;
  };

  it("is no map: an error", () => {
    for (const document of [undefined, null, "rules:", 7, true, [], [sse], () => sse]) refused(document, /the policy must be a map/);
    refused({}, /no rule for AG-UI/);
    refused({ hushspec: "0.1.0", name: "x" }, /no rule for AG-UI/);
    refused({ hushspec: "0.1.0", rules: {} }, /no rule for AG-UI/);
  });
  it("names a member that is not known, and the nearest one", () => {
    for (const [document, path, near] of [
      [sse, "rulez", "rules"],
      [sse, "rules.ag_ui_component", "ag_ui_components"],
      [sse, "rules.ag_ui.restricted_classification", "restricted_classifications"],
      [sse, "rules.ag_ui.max_events_per_seconds", "max_events_per_second"],
      [sse, "rules.ag_ui_components.allow_component", "allow_components"],
      [ws, "rules.ag_ui_inbound.allow_classification", "allow_classifications"],
      [rate, "velocity.windw_seconds", "window_seconds"],
      [rate, "velocity.match.eventType", "event_type"],
      [scoped, "ag_ui.capability_scopes.0.scopeid", "scope_id"],
      [scoped, "ag_ui.capability_scopes.0.allow_targets.0.component", "component_id"],
    ]) {
      const name = path.split(".").at(-1);
      refused(put(document, path, true), new RegExp(`"${name}" is no known member .*nearest is "${near}"`));
    }
  });
  it("names a value that is not known, and the nearest one", () => {
    refused(put(sse, "rules.ag_ui.restricted_classifications", ["mutat"]), /"mutat" .*nearest is "mutate"/);
    refused(put(sse, "rules.ag_ui.transport", "web-socket"), /nearest is "web_?socket"/);
    refused(put(ws, "rules.ag_ui_inbound.default", "blocked"), /nearest is "block"/);
    refused(put(rate, "velocity.scope", "global"), /nearest is "session"/);
    refused(put(rate, "velocity.match.event_type", "notifications"), /nearest is "notification"/);
    refused(put(scoped, "ag_ui.capability_scopes.0.allow_event_types", ["form-action"]), /nearest is "form_action"/);
    refused(put(allowlist, "ag_ui_components.allow_ids", ["modal"]), /"modal" .*"type:id"/);
    refused(put(sse, "hushspec", "9.0"), /hushspec/);
  });
  it("a value of another type, a list where a map belongs, a null: an error that names the place", () => {
    const maps = [[sse, "rules"], [sse, "rules.ag_ui"], [sse, "rules.ag_ui_components"], [ws, "rules.ag_ui_inbound"], [rate, "velocity"], [
      rate,
      "velocity.match",
    ], [scoped, "ag_ui.capability_scopes.0"]];
    for (const [document, path] of maps)
      for (const value of [[], ["x"], null, 1, "x", true]) refused(put(document, path, value), value === null ? /null/ : /must be a map/);
    const lists = [
      [sse, "rules.ag_ui.restricted_classifications"],
      [sse, "rules.ag_ui_components.allow_components"],
      [allowlist, "ag_ui_components.allow_ids"],
      [ws, "rules.ag_ui_inbound.allow_classifications"],
      [scoped, "ag_ui.capability_scopes"],
    ];
    for (const [document, path] of lists)
      for (const value of [{}, null, 1, "submit", [1], [null]]) refused(put(document, path, value), /null|must be|is missing/);
    for (const value of [-1, 1.5, "200", true, NaN, null]) refused(put(sse, "rules.ag_ui.max_events_per_second", value), /null|whole number/);
    refused(put(rate, "velocity.window_seconds", 0), /from 1 on/);
    for (const value of ["true", 1, null]) refused(put(sse, "rules.ag_ui.enabled", value), /enabled/);
    for (const path of ["max_invocations", "window_seconds"]) refused(put(rate, `velocity.${path}`, undefined), /is missing/);
    for (const path of ["scope_id", "allow_event_types", "allow_targets"]) refused(put(scoped, `ag_ui.capability_scopes.0.${path}`, undefined), /is missing/);
    refused({ ...sse, ag_ui: sse.rules.ag_ui }, /given twice/);
  });
  it("enabled: false turns a block off, and that block alone", async () => {
    const off = (document, block) => chio.policyFrom(put(document, `${block}.enabled`, false));
    if (skip) return;
    assert.equal(await decide(off(sse, "rules.ag_ui"), notice()), undefined);
    assert.equal(await decide(off(sse, "rules.ag_ui"), prompt), "unknown component id");
    assert.equal(await decide(off(sse, "rules.ag_ui_components"), { ...text, target: prompt.target }), undefined);
    assert.equal(off(ws, "rules.ag_ui_inbound").inbound, undefined);
    assert.equal(off(rate, "velocity").velocity, undefined);
  });

  it("options of the guard are judged as strictly", { skip }, async () => {
    const refuses = async (guard, message) => {
      await assert.rejects(
        chio.predictDecision(guard, text),
        (error) => AgentError.is(error) && error.code === "input" && message.test(error.message),
        JSON.stringify(guard),
      );
      if (typeof guard !== "object" || guard === null || Array.isArray(guard)) {
        assert.throws(() => createAgent({ url: "/x", guard }), (error) => AgentError.is(error) && error.code === "input");
        return;
      }
      const fetch = async () => assert.fail("nothing is sent");
      const asks = async () => {
        const agent = createAgent({ url: "/x", fetch, guard });
        return agent.submit("go").finally(() => agent.dispose());
      };
      const { error } = await asks().catch((error) => ({ error }));
      assert.match(error.message, message);
    };
    for (const guard of [null, [], "open", 7]) await refuses(guard, /guard: expected an object/);
    await refuses({ allowComponent: ["chat-window"] }, /"allowComponent" .*nearest is "allowComponents"/);
    await refuses({ allow_component: ["chat-window"] }, /"allow_component" .*nearest is "allow_components"/);
    await refuses({ allowComponents: ["a"], allow_components: ["b"] }, /given twice/);
    await refuses({ rules: {} }, /"rules" is for policyFrom\(\)/);
    await refuses({ allowComponents: null }, /null/);
    await refuses({ allowComponents: () => ["a"] }, /list of strings/);
    await refuses({ inbound: { allowClassification: [] } }, /nearest is "allowClassifications"/);
    await refuses({ inbound: [] }, /must be an object/);
    await refuses({ velocity: { match: { event: "x" }, maxInvocations: 1, windowSeconds: 1 } }, /nearest is "eventType"/);
    await refuses({ velocity: { match: { eventType: "TOOL_CALL_STRAT" }, maxInvocations: 1, windowSeconds: 1 } }, /nearest is "TOOL_CALL_START"/);
    await refuses({ velocity: { maxInvocations: 1, windowSeconds: 0 } }, /from 1 on/);
    await refuses({ classifications: { TEXT_MESSAGE_STRAT: "navigate" } }, /nearest is "TEXT_MESSAGE_START"/);
    await refuses({ restrictedClassifications: ["submitt"] }, /nearest is "submit"/);
    await refuses({ capabilityScopes: [{ scopeId: "x", allowEventTypes: ["form_action"] }] }, /allowTargets.* is missing/);
    await refuses({ capabilityScopes: {} }, /list of scopes/);
    await assert.rejects(chio.predictDecision({ trusted_issuers: "key" }, text), /trusted_issuers/);
  });
});

describe("the clients of the document", { skip }, () => {
  const ways = {
    "client-sse.ts": () =>
      eventSource({
        url: (_, { threadId }) => "/ag-ui/stream?session=" + threadId,
        submitUrl: "/ag-ui/submit",
        EventSource: Source,
        fetch: async (_, { body }) => (Source.all.at(-1).texts.push(body), new Response("")),
        keepOpen: true,
      }),
    "client-ws.ts": () => webSocket({ url: (_, { threadId }) => "wss://example.app/ag-ui?session=" + threadId, WebSocket: Socket, keepOpen: true }),
  };
  for (const [name, transport] of Object.entries(ways)) {
    it(`${name}: connects without a message, and renders every event as it came, in order, text included, once`, async () => {
      const rendered = [];
      const agent = createAgent({ transport: transport(), dialect: "chio", threadId: "sess_01HZ" });
      const off = chio.onChioEvent(agent, (event) => rendered.push(event));
      const connected = agent.connect();
      const { all } = name === "client-ws.ts" ? Socket : Source;
      const number = all.length + 1;
      await until(() => all.length >= number, "a connection");
      const pipe = all.at(-1);
      assert.match(pipe.url, /\?session=sess_01HZ$/);
      pipe.open();
      await connected;
      const state = { ...notice("evt_s"), event_type: "state_update", classification: "mutate", payload: { path: "/a", value: 1 } };
      const empty = { ...text, event_id: "evt_e", payload: { text: "" } };
      const plain = { ...text, event_id: "evt_p", payload: "as a string" };
      const custom = { ...notice("evt_c"), event_type: { custom: "mine" } };
      const receipt = { ...notice("evt_r"), payload_hash: "x", signature: "y" };
      const events = [text, text, empty, form, prompt, notice(), state, plain, custom];
      pipe.give(...events.slice(0, 4), receipt, ...events.slice(4));
      await until(() => rendered.length >= events.length, "the events");
      assert.deepEqual(rendered, events);
      off();
      pipe.give(text);
      await until(() => agent.getSnapshot().messages[0]?.content.endsWith("as a stringI'll check your order status now."), "one more");
      assert.equal(rendered.length, events.length);

      // sendToAgent
      agent.send({ event_type: "form_action", payload: { ok: true } });
      await until(() => pipe.sent.length === 1, "what is sent");
      assert.deepEqual(pipe.sent, [{ event_type: "form_action", payload: { ok: true } }]);
      agent.dispose();
    });
  }
  it("rawText: the same events, with every digit of their text", async () => {
    const rendered = [];
    const fetch = async () => new Response(stream(text, form), { headers: { "content-type": "text/event-stream" } });
    const agent = createAgent({ url: "/x", fetch, dialect: { name: "chio", rawText: true } });
    chio.onChioEvent(agent, (event) => rendered.push(event));
    await agent.submit("go");
    assert.deepEqual(rendered, [text, form]);
    agent.dispose();
  });
  it("blocked events are never delivered to it", async () => {
    const rendered = [];
    const fetch = async () => new Response(stream(text, form, navigate), { headers: { "content-type": "text/event-stream" } });
    const agent = createAgent({ url: "/x", fetch, dialect: "chio", guard: chio.policyFrom(sse) });
    chio.onChioEvent(agent, (event) => rendered.push(event.event_id));
    await agent.submit("go");
    assert.deepEqual(rendered, ["evt_01HZ8A1"]);
    agent.dispose();
  });
});

describe("Receipt Shape", { skip }, () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const hex = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
  const receiptOf = async (kernel_key, signed = kernel_key) => {
    const body = {
      ...{ id: "agui-evt_01HZ8A3", timestamp: prompt.timestamp, event_id: prompt.event_id, ...session, capability_id: "cap-ui-confirm-01HZ" },
      ...{ event_type: prompt.event_type, target: prompt.target, classification: "submit", transport: "websocket", allowed: true },
      payload_hash: await chio.payloadHash(prompt.payload),
    };
    const signature = sign(null, Buffer.from(await chio.canonicalize({ ...body, kernel_key: signed })), privateKey).toString("hex");
    return { ...body, kernel_key, signature };
  };
  it("keys and signatures with ed25519: in front verify, whichever spelling was signed, against either pin", async () => {
    const prefixed = `ed25519:${hex}`;
    for (const [written, signed] of [[prefixed, prefixed], [prefixed, hex], [hex, hex]]) {
      const receipt = await receiptOf(written, signed);
      for (const signature of [receipt.signature, `ed25519:${receipt.signature}`]) {
        for (const pin of [hex, prefixed, hex.toUpperCase()]) {
          const report = await chio.verifyReceipt({ ...receipt, signature }, { pinnedKeys: [pin], event: prompt });
          assert.deepEqual([report.valid, report.result], [true, "observed_allow"], `${written} ${signed} ${pin}`);
        }
      }
      assert.equal((await chio.verifyReceipt({ ...receipt, allowed: false }, { pinnedKeys: [hex] })).signatureValid, false);
      assert.equal((await chio.verifyReceipt(receipt, { pinnedKeys: [] })).signerTrusted, false);
    }
  });
  it("the same of tokens and their issuers", async () => {
    for (const [issuer, trusted] of [[`ed25519:${hex}`, hex], [hex, `ed25519:${hex}`]]) {
      const body = { id: "cap", issuer, subject: issuer, scope: { grants: [grant] }, issued_at: now - 60, expires_at: now + 60 };
      const signature = `ed25519:${sign(null, Buffer.from(await chio.canonicalize(body)), privateKey).toString("hex")}`;
      assert.deepEqual(await chio.verifyCapability({ ...body, signature }, { trustedIssuers: [trusted] }), {
        valid: true,
        signatureValid: true,
        status: "valid",
      });
      assert.equal((await chio.verifyCapability({ ...body, expires_at: now + 61, signature }, { trustedIssuers: [trusted] })).signatureValid, false);
    }
  });
});

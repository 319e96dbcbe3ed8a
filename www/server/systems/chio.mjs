/**
 * Chio: AgUiEvents with what they do to the page (`classification`) and to which part of it (`target`), each with the
 * receipt that the proxy signed. There are no runs in this protocol: the stream is one.
 */
import { createHash, createPrivateKey, createPublicKey, randomUUID, sign } from "node:crypto";
import { parse } from "../http.mjs";
import { mark, pieces, until, wait } from "../steps.mjs";
import { dataFrame } from "./ag-ui.mjs";

// The key of the protocol's public test vectors: 32 bytes of 9, in the wrapping that Node reads.
const key = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 9)]),
  format: "der",
  type: "pkcs8",
});
const kernelKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32).toString("hex");

/** RFC 8785, as far as this file's values need it. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

const hash = (value) => createHash("sha256").update(canonical(value)).digest("hex");

/** Makes the events of one stream. */
class Stream {
  #session;
  #count = 0;
  #prefix = randomUUID().slice(0, 8);

  constructor({ threadId }) {
    this.#session = threadId;
  }

  event(event_type, classification, target, payload) {
    this.#count += 1;
    const head = { event_id: `evt_${this.#prefix}_${this.#count}`, timestamp: 1_744_993_920 + this.#count, agent_id: "agent-support" };
    return { ...head, session_id: this.#session, event_type, ...(target && { target }), classification, payload };
  }

  *text(content) {
    const target = { component_type: "chat-window", component_id: "main" };
    for (const text of pieces(content, 6)) {
      yield this.event("text_stream", "display", target, { text });
      yield wait(40);
    }
  }
}

/** The proxy's receipt for an event. `blocked`: why it did not let it through. */
function receipt({ payload, ...event }, blocked) {
  const { event_id, timestamp, agent_id, session_id, event_type, target, classification } = event;
  const body = {
    id: `agui-${event_id}`,
    timestamp,
    event_id,
    agent_id,
    session_id,
    capability_id: blocked === undefined ? "cap-ui-demo" : "<none>",
    event_type,
    ...(target && { target }),
    classification,
    transport: "sse",
    allowed: blocked === undefined,
    ...(blocked !== undefined && { denial_reason: blocked }),
    payload_hash: hash(payload),
    kernel_key: kernelKey,
  };
  return { ...body, signature: sign(null, Buffer.from(canonical(body)), key).toString("hex") };
}

const refund = {
  name: "refund",
  title: "Events and receipts",
  about: "Text, a form that opens, a question of the form and a toast, each receipt after its event.",
  prompt: "I want my money back for order 1024.",
  *run(input) {
    const stream = new Stream(input);
    yield mark("start");
    yield* stream.text("I'll check your order status now. ");
    const form = stream.event("lifecycle", "create", { component_type: "form", component_id: "refund-request" }, {
      fields: ["order_id", "reason"],
      action: "mount",
    });
    yield form;
    yield receipt(form);
    yield mark("form");
    yield wait(500);
    const state = stream.event("state_update", "mutate", { component_type: "sidebar", component_id: "agent-status" }, { path: "/cart/total", value: 42.5 });
    yield state;
    yield receipt(state);
    yield* stream.text("It can be refunded.");
    const toast = stream.event("notification", "alert", { component_type: "toast", component_id: "default" }, {
      title: "Refund queued",
      text: "Order 1024, $42.50",
    });
    yield toast;
    yield receipt(toast);
    // Nothing but a receipt tells of what the proxy itself has blocked.
    const leaving = stream.event("navigation", "navigate", { component_type: "window" }, { url: "https://elsewhere.example/" });
    yield receipt(leaving, "capability required for Navigate events");
  },
};

const guarded = {
  name: "guarded",
  title: "What the guard blocks",
  about: "The agent wants to send you elsewhere and to open a window that this page does not have.",
  prompt: "Where can I get a refund?",
  *run(input) {
    const stream = new Stream(input);
    yield mark("start");
    yield* stream.text("This way, please. ");
    yield stream.event("navigation", "navigate", { component_type: "window" }, { url: "https://evil.example/" });
    yield mark("navigated");
    yield stream.event("form_action", "submit", { component_type: "modal", component_id: "confirm-everything" }, { prompt: "Send all?" });
    yield wait(300);
    yield* stream.text("You are still here.");
  },
};

/** A POST brings the input of a run, or an AgUiEvent of the client's; a GET has nothing but the session of its query. */
function read(text, request, query) {
  const body = text === "" ? {} : parse(text);
  return { ...body, threadId: body.threadId ?? body.session_id ?? query.get("session") ?? "session", runId: body.runId ?? randomUUID() };
}

export const chio = {
  name: "chio",
  paths: ["/ag-ui/*/stream"],
  methods: ["POST", "GET"],
  scenarios: [refund, guarded],
  read,
  frame: dataFrame,
};

/** The messages of a session's user that nobody has read. */
class Inbox {
  #messages = [];
  #wake = () => {};

  add(message) {
    this.#messages.push(message);
    this.#wake();
  }

  /** Kept once there is something to read. */
  waits() {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#messages.length > 0) resolve();
    });
  }

  take() {
    return this.#messages.shift();
  }
}

const KEPT = 200;
const inboxes = new Map();

/** The inbox of a session. */
function inboxOf(threadId) {
  const inbox = inboxes.get(threadId) ?? new Inbox();
  inboxes.delete(threadId);
  inboxes.set(threadId, inbox);
  if (inboxes.size > KEPT) inboxes.delete(inboxes.keys().next().value);
  return inbox;
}

const session = {
  name: "session",
  title: "Many messages, one connection",
  about: "The stream stays open: each message is posted beside it, and its answer comes over the same connection.",
  prompt: "Where is my order 1024?",
  *run(input) {
    const stream = new Stream(input);
    const inbox = inboxOf(input.threadId);
    yield stream.event("notification", "alert", { component_type: "toast", component_id: "default" }, { title: "Connected", text: "The agent listens." });
    for (;;) {
      yield until(inbox.waits());
      const { payload } = inbox.take();
      input.messages.push(payload?.text);
      yield mark(`message ${input.messages.length}`);
      yield* stream.text(`Message ${input.messages.length} of this connection: ${payload?.text ?? "nothing"}`);
      const said = stream.event("lifecycle", "mutate", { component_type: "chat-window", component_id: "main" }, { action: "finished" });
      yield said;
      yield receipt(said);
    }
  },
};

/** The same system with a connection that is kept open: a GET opens it, a POST brings a message. */
export const chioSession = {
  name: "chio-session",
  paths: ["/ag-ui/*/session"],
  unary: ["/ag-ui/*/submit"],
  methods: ["POST", "GET"],
  scenarios: [session],
  // The record of a connection has the messages that were answered over it.
  read: (text, request, query) => ({ ...read(text, request, query), messages: [] }),
  frame: dataFrame,
  send(input) {
    inboxOf(input.threadId).add(input);
    return { taken: true };
  },
};

/** The same over a WebSocket: one event a frame, both ways. */
export const chioSocket = {
  name: "chio-socket",
  paths: ["/ag-ui/*/socket"],
  socket: true,
  scenarios: [{ ...session, title: "Many messages, one socket", about: "Messages go out over the socket that their answers come in by." }],
  read: chioSession.read,
  frame: (event) => JSON.stringify(event),
  /** A frame of the page's. */
  take: (input, text) => inboxOf(input.threadId).add(parse(text)),
};

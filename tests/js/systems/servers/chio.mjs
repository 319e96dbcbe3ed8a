// Chio's proxy before a support agent: it asks before it refunds. Events of Chio's own, each after its signed receipt; what
// the proxy blocks leaves its receipt only.

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

// An Ed25519 key of 32 equal bytes, after the header that PKCS #8 has for such keys.
const header = Buffer.from("302e020100300506032b657004220420", "hex");
const key = createPrivateKey({ key: Buffer.concat([header, Buffer.alloc(32, 9)]), format: "der", type: "pkcs8" });

/** Whoever checks receipts has to know it. */
export const kernelKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32).toString("hex");

const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
};

function receipt(event, blocked) {
  const { event_id, timestamp, agent_id, session_id, event_type, target, classification, payload } = event;
  const body = {
    ...{ id: `agui-${event_id}`, timestamp, event_id, agent_id, session_id, capability_id: blocked ? "<none>" : "cap-demo" },
    ...{ event_type, target, classification, transport: "sse", allowed: !blocked, denial_reason: blocked },
    payload_hash: createHash("sha256").update(canonical(payload)).digest("hex"),
    kernel_key: kernelKey,
  };
  return { ...body, signature: sign(null, Buffer.from(canonical(body)), key).toString("hex") };
}

const chat = { component_type: "chat-window", component_id: "main" };

/** The agent's script: events, and why the proxy blocks them. */
function* script(payload) {
  const say = (text) => ({ event_type: "text_stream", classification: "display", target: chat, payload: { text } });
  if (payload?.confirmed === true) {
    yield* ["The refund ", "is on its way."].map(say);
    yield { event_type: "state_update", classification: "mutate", payload: { path: "/refund/status", value: "queued" } };
    const target = { component_type: "toast", component_id: "default" };
    yield { event_type: "notification", classification: "alert", target, payload: { title: "Refund queued" } };
    return;
  }
  if (payload?.confirmed === false) return yield say("Then nothing is refunded.");
  yield* ["I have looked at ", "order #1024. ", "Shall I refund it?"].map(say);
  const form = { component_type: "modal", component_id: "confirm-refund" };
  yield { event_type: "lifecycle", classification: "create", target: form, payload: { action: "mount" } };
  yield { event_type: "form_action", classification: "submit", target: form, payload: { prompt: "Issue a refund of $42.50 for order #1024?" } };
  const blocked = "capability required for Navigate events";
  yield { blocked, event_type: "navigation", classification: "navigate", target: { component_type: "window" }, payload: { url: "https://elsewhere.example/" } };
}

/**
 * Answers one request.
 *
 * @param {any} input an event of the page's: a text, or `{ confirmed }` as its payload
 * @param {(bytes: string) => void | Promise<void>} write
 */
export async function chio(input, write) {
  const session_id = input?.session_id ?? "demo";
  let number = 0;
  for (const { blocked, ...rest } of script(input?.payload)) {
    const event = { event_id: `evt_${++number}`, timestamp: Math.floor(Date.now() / 1000), agent_id: "agent-support", session_id, ...rest };
    if (!blocked) await write(`data: ${JSON.stringify(event)}\n\n`);
    await write(`data: ${JSON.stringify(receipt(event, blocked))}\n\n`);
  }
}

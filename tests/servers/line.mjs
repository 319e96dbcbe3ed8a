// The network between a page and a server: it records what passes, plays a recording in place of a server, and cuts a stream.

import assert from "node:assert/strict";

/**
 * A request and its answer.
 *
 * @typedef {object} Exchange
 * @property {string} method
 * @property {string} path
 * @property {unknown} [body]
 * @property {number} status
 * @property {string} [type]  of the answer
 * @property {string} [answer]
 * @property {"cut" | "left"} [end]  the stream was cut, or the page left it
 */

/**
 * A network for one scenario.
 *
 * @typedef {object} Line
 * @property {typeof fetch} fetch
 * @property {Exchange[]} exchanges
 * @property {(text: string) => void} cutAfter  cuts the next stream once it has had that text
 */

/** A network to a real server, which records. @param {string} base @param {string} name @returns {Line} */
export function recorder(base, name) {
  /** @type {Exchange[]} */
  const exchanges = [];
  /** @type {string | undefined} */
  let cut;
  /** @type {typeof fetch} */
  const send = async (input, init = {}) => {
    const url = new URL(String(input));
    if (url.origin === name) url.host = new URL(base).host;
    /** @type {Exchange} */
    const exchange = { method: init.method ?? "GET", path: url.pathname + url.search, status: 0 };
    if (typeof init.body === "string") exchange.body = JSON.parse(init.body);
    exchanges.push(exchange);
    const response = await realFetch(url, init);
    exchange.status = response.status;
    exchange.type = response.headers.get("content-type") ?? undefined;
    exchange.answer = "";
    const decoder = new TextDecoder();
    const own = cut;
    cut = undefined;
    const reader = response.body?.getReader();
    const body = new ReadableStream({
      pull: async (controller) => {
        try {
          const part = await reader?.read();
          if (!part || part.done) return controller.close();
          exchange.answer += decoder.decode(part.value, { stream: true });
          controller.enqueue(part.value);
          if (own === undefined || !exchange.answer?.includes(own)) return;
          exchange.end = "cut";
          void reader?.cancel();
          controller.error(new TypeError("The line was cut."));
        } catch (error) {
          exchange.end ??= "left";
          controller.error(error);
        }
      },
      cancel: (reason) => {
        exchange.end ??= "left";
        return reader?.cancel(reason);
      },
    });
    return new Response(response.body && body, { status: response.status, headers: { ...(exchange.type && { "content-type": exchange.type }) } });
  };
  return { fetch: send, exchanges, cutAfter: (text) => (cut = text) };
}

/**
 * The answers of a recording, to the same requests in the same order. A slow answer stops after its first word until the model is let go on.
 *
 * @param {readonly Exchange[]} recorded
 * @returns {Line & { release(steps?: number): void }}
 */
export function player(recorded) {
  let next = 0;
  let steps = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  const released = () => new Promise((resolve) => (steps > 1 ? resolve(undefined) : waiting.push(() => resolve(undefined))));
  /** @type {typeof fetch} */
  const send = async (input, init = {}) => {
    const url = new URL(String(input));
    const exchange = recorded[next++];
    const asked = { method: init.method ?? "GET", path: url.pathname + url.search, body: typeof init.body === "string" ? JSON.parse(init.body) : undefined };
    assert.ok(exchange, `request ${next} is more than was recorded: ${JSON.stringify(asked)}`);
    assert.deepEqual(asked, { method: exchange.method, path: exchange.path, body: exchange.body }, `request ${next}`);
    const { answer = "", end, status, type } = exchange;
    const word = answer.search(/"delta":"one "/);
    const first = word < 0 ? answer.length : answer.indexOf("\n", word) + 2;
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start: async (controller) => {
        let left = false;
        init.signal?.addEventListener("abort", () => {
          left = true;
          controller.error(init.signal?.reason);
        });
        if (answer) controller.enqueue(encoder.encode(answer.slice(0, first)));
        if (first < answer.length) {
          await released();
          if (!left) controller.enqueue(encoder.encode(answer.slice(first)));
        }
        if (left || end === "left") return;
        if (!end) return controller.close();
        // Bytes that were read are delivered before the stream fails.
        setImmediate(() => controller.error(new TypeError("The line was cut.")));
      },
    });
    return new Response(status === 204 ? null : body, { status, headers: { ...(type && { "content-type": type }) } });
  };
  const release = (more = 1) => {
    steps += more;
    if (steps > 1) { for (const go of waiting.splice(0)) go(); }
  };
  return { fetch: send, exchanges: [...recorded], cutAfter: () => {}, release };
}

const realFetch = globalThis.fetch;

/** Keeps only what the page reads of an answer: adapters repeat each event of their framework inside theirs. @param {Exchange} exchange */
export function slimmed({ answer, ...exchange }) {
  const lines = answer?.split("\n").flatMap((line) => {
    if (!line.startsWith("data: {")) return [line];
    const { rawEvent, ...event } = JSON.parse(line.slice(6));
    return event.type === "RAW" ? [] : [`data: ${JSON.stringify(event)}`];
  });
  return { ...exchange, answer: lines?.join("\n").replace(/\n{3,}/g, "\n\n") };
}

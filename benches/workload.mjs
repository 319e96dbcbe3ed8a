// What is streamed: one assistant message in many small deltas, framed as pydantic-ai frames them.

const encoder = new TextEncoder();
const thread = '"threadId":"7f0a4c7e-2f0d-4b7e-9a52-6d2f0c1f6f11","runId":"0b1d7f7e-6a55-4d0a-8d8e-1a2f3c4d5e6f"';
const message = '"messageId":"024ce5a3-5b29-4f79-89ca-29f69a10eaf8"';
/** Twelve characters each on average. Some need an escape, some are not ASCII, as in an answer in Markdown. */
const latin = [" the weather", " in Zürich is", " sunny, with", "\n\n- **highs**", " around 21 °C", ", a breeze", ' from "south"', " and later a", " chance of", " showers 🌦️"];
/** The same in Russian. */
const cyrillic = [" погода в", " Цюрихе", " солнечная,", "\n\n- **днём**", " около 21 °C", ", слабый", ' ветер "с юга"', " а вечером", " возможен", " дождь 🌦️"];
export const languages = { latin, cyrillic };

/**
 * @typedef {object} Workload
 * @property {number} events  deltas
 * @property {number} bytes
 * @property {Uint8Array[]} reads  the body as it is read
 * @property {string} text  the message at the end
 */

/**
 * @param {number} events
 * @param {number} eventsPerRead
 * @param {readonly string[]} [deltas]
 * @returns {Workload}
 */
export function workload(events, eventsPerRead, deltas = latin) {
  const frame = (/** @type {number} */ i, /** @type {string} */ type, /** @type {string} */ rest) =>
    `data: {"type":"${type}","timestamp":${1795242089624 + (i >> 5)},${rest}}\n\n`;
  const frames = [frame(0, "RUN_STARTED", `${thread},"protocolVersion":"1.0"`), frame(0, "TEXT_MESSAGE_START", `${message},"role":"assistant"`)];
  let text = "";
  for (let i = 0; i < events; i++) {
    const delta = /** @type {string} */ (deltas[i % deltas.length]);
    text += delta;
    frames.push(frame(i, "TEXT_MESSAGE_CONTENT", `${message},"delta":${JSON.stringify(delta)}`));
  }
  frames.push(frame(events, "TEXT_MESSAGE_END", message), frame(events, "RUN_FINISHED", `${thread},"outcome":{"type":"success"}`));

  const reads = [];
  for (let at = 0; at < frames.length; at += eventsPerRead) reads.push(encoder.encode(frames.slice(at, at + eventsPerRead).join("")));
  return { events, bytes: reads.reduce((sum, { length }) => sum + length, 0), reads, text };
}

/** A thread that has gone on for a while. @param {number} length @param {number} characters of each message */
export function history(length, characters) {
  const sentence = "The quick brown fox jumps over the lazy dog, and the dog does not mind. ";
  const content = sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters);
  return Array.from({ length }, (_, i) => ({ id: `message-${i}`, role: i % 2 === 0 ? "user" : "assistant", content }));
}

/** The body as `fetch` gives it. @param {Uint8Array[]} reads */
export function response(reads) {
  let at = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        const read = reads[at++];
        if (read) controller.enqueue(read);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const headers = new Headers({ "content-type": "text/event-stream" });

/**
 * The same with a stream that costs next to nothing: what is left is the client.
 *
 * @param {Uint8Array[]} reads
 * @returns {Response}
 */
export function bareResponse(reads) {
  let at = 0;
  const reader = {
    read: () => {
      const value = reads[at++];
      return Promise.resolve({ done: value === undefined, value });
    },
    cancel: () => Promise.resolve(),
    releaseLock() {},
  };
  return /** @type {any} */ ({ ok: true, status: 200, headers, body: { getReader: () => reader } });
}

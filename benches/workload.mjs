// The workloads that are streamed. AG-UI is framed as pydantic-ai frames it; the AI SDK gets the same in its own protocol.

const encoder = new TextEncoder();
const thread = '"threadId":"7f0a4c7e-2f0d-4b7e-9a52-6d2f0c1f6f11","runId":"0b1d7f7e-6a55-4d0a-8d8e-1a2f3c4d5e6f"';
/** Twelve characters each on average. Some need an escape, some are not ASCII, as in an answer in Markdown. */
const latin = [
  " the weather",
  " in Zürich is",
  " sunny, with",
  "\n\n- **highs**",
  " around 21 °C",
  ", a breeze",
  ' from "south"',
  " and later a",
  " chance of",
  " showers 🌦️",
];
/** The same in Russian. */
const cyrillic = [
  " погода в",
  " Цюрихе",
  " солнечная,",
  "\n\n- **днём**",
  " около 21 °C",
  ", слабый",
  ' ветер "с юга"',
  " а вечером",
  " возможен",
  " дождь 🌦️",
];
/** Nothing but ASCII, of which engines keep a byte a character: one emoji makes two of it. */
const plain = [
  " the weather",
  " in Zurich is",
  " sunny, with",
  "\n\n- **highs**",
  " around 70 F",
  ", a breeze",
  " from south,",
  " and later a",
  " chance of",
  " showers ...",
];
/** A section of an answer as models write it, in pieces of twelve characters. */
const section = `## What to expect

The weather in Zürich is **sunny**, with highs around 21 °C and a _light breeze_ from the south; later a chance of [showers](https://example.com/showers).

- morning: \`clear\`, 14 °C
- afternoon: sunny
  - with some clouds
- evening: **showers**

\`\`\`js
const days = await forecast("Zürich");
for (const { day, high } of days) console.log(day, high);
\`\`\`

| day | high | low |
| --- | ---: | ---: |
| Monday | 21 | 12 |
| Tuesday | 19 | 11 |

> Forecasts of more than five days are *less* certain.

`;
const markdown = section.match(/[^]{1,12}/gu) ?? [];
/** How many sections an answer in Markdown has. @param {number} deltas */
export const sectionsOf = (deltas) => Math.ceil(deltas / markdown.length);
export const languages = { latin, cyrillic, plain, markdown };

/** @typedef {"ag-ui" | "ai"} Protocol */

/**
 * @typedef {object} Work
 * @property {number} deltas
 * @property {(protocol?: Protocol) => string[]} frames
 * @property {string} text  the message at the end; of the arguments, if it is a call's
 */

let [clock, works] = [0, 0];
const frame = (/** @type {string} */ type, /** @type {string} */ rest) => `data: {"type":"${type}","timestamp":${1795242089624 + (clock++ >> 5)},${rest}}\n\n`;
const run = (
  /** @type {string[]} */ frames,
) => [frame("RUN_STARTED", `${thread},"protocolVersion":"1.0"`), ...frames, frame("RUN_FINISHED", `${thread},"outcome":{"type":"success"}`)];
const part = (/** @type {object} */ chunk) => `data: ${JSON.stringify(chunk)}\n\n`;
const response = (
  /** @type {string[]} */ frames,
) => [
  part({ type: "start", messageId: "a" }),
  part({ type: "start-step" }),
  ...frames,
  part({ type: "finish-step" }),
  part({ type: "finish" }),
  "data: [DONE]\n\n",
];

/** One message in small deltas. @param {number} deltas @param {readonly string[]} [words] @returns {Work} */
export function textWork(deltas, words = latin) {
  const message = `"messageId":"024ce5a3-5b29-4f79-89ca-${String(++works).padStart(12, "0")}"`;
  const word = (/** @type {number} */ at) => /** @type {string} */ (words[at % words.length]);
  const each = (/** @type {(word: string) => string} */ toFrame) => Array.from({ length: deltas }, (_, at) => toFrame(word(at)));
  return {
    deltas,
    text: each((same) => same).join(""),
    frames: (protocol) =>
      protocol === "ai"
        ? response([
          part({ type: "text-start", id: "t" }),
          ...each((delta) => part({ type: "text-delta", id: "t", delta })),
          part({ type: "text-end", id: "t" }),
        ])
        : run([
          frame("TEXT_MESSAGE_START", `${message},"role":"assistant"`),
          ...each((delta) => frame("TEXT_MESSAGE_CONTENT", `${message},"delta":${JSON.stringify(delta)}`)),
          frame("TEXT_MESSAGE_END", message),
        ]),
  };
}

/** Arguments of one tool call, eight characters a delta. @param {number} characters about as many @returns {Work} */
export function argsWork(characters) {
  const rows = Math.floor(characters / 64);
  const text = JSON.stringify({
    rows: Array.from({ length: rows }, (_, at) => ({ id: 100000 + at, title: `Row number ${100000 + at} of the table`, done: at % 2 === 0 })),
  });
  const pieces = text.match(/[^]{1,8}/g) ?? [];
  const call = '"toolCallId":"call_9hx2"';
  return {
    deltas: pieces.length,
    text,
    frames: (protocol) =>
      protocol === "ai"
        ? response([
          part({ type: "tool-input-start", toolCallId: "c", toolName: "write" }),
          ...pieces.map((inputTextDelta) => part({ type: "tool-input-delta", toolCallId: "c", inputTextDelta })),
          part({ type: "tool-input-available", toolCallId: "c", toolName: "write", input: JSON.parse(text) }),
        ])
        : run([
          frame("TOOL_CALL_START", `${call},"toolCallName":"write"`),
          ...pieces.map((delta) => frame("TOOL_CALL_ARGS", `${call},"delta":${JSON.stringify(delta)}`)),
          frame("TOOL_CALL_END", call),
        ]),
  };
}

/** A state of rows. @param {number} rows */
export const rowsState = (rows) => ({ rows: Array.from({ length: rows }, (_, id) => ({ id, name: `row ${id}`, done: false, tags: ["a", "b"] })) });

/** Deltas of which each changes one row. @param {number} rows @param {number} deltas @returns {Work} */
export function stateWork(rows, deltas) {
  const change = (/** @type {number} */ at) => JSON.stringify([{ op: "replace", path: `/rows/${(at * 7919) % rows}/name`, value: `changed ${at}` }]);
  return { deltas, text: "", frames: () => run(Array.from({ length: deltas }, (_, at) => frame("STATE_DELTA", `"delta":${change(at)}`))) };
}

/** A thread that has continued for a while. @param {number} length @param {number} characters of each message */
export function history(length, characters = 1024) {
  const sentence = "The quick brown fox jumps over the lazy dog, and the dog does not mind. ";
  const content = sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters);
  return Array.from({ length }, (_, i) => ({ id: `message-${i}`, role: i % 2 === 0 ? "user" : "assistant", content }));
}

/** The body as it is read. @param {readonly string[]} frames @param {number} eventsPerRead */
export function reads(frames, eventsPerRead) {
  const chunks = [];
  for (let at = 0; at < frames.length; at += eventsPerRead) chunks.push(encoder.encode(frames.slice(at, at + eventsPerRead).join("")));
  return chunks;
}

/** An answer as `fetch` gives it. @param {readonly Uint8Array[]} chunks */
export function answer(chunks) {
  let at = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        const read = chunks[at++];
        if (read) controller.enqueue(read);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" } });
}

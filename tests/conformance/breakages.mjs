// Breaks valid streams by chance: order, owners, shapes, frames, and what the old protocol had.

import { copy } from "./generator.mjs";

/** @typedef {import("./random.mjs").Random} Random */
/** @typedef {import("./generator.mjs").Stream} Stream */

/** Breaks a valid stream in one to three places. @param {Stream} stream @param {Random} random @returns {Stream} */
export function breakStream({ events: valid, initial }, random) {
  const events = copy(valid);
  for (let count = 1 + random.below(3); count > 0 && events.length > 0; count--) {
    const at = random.below(events.length);
    random.pick(breakages)(events, at, random);
  }
  return { events, initial };
}

const isObject = (/** @type {any} */ value) => typeof value === "object" && value !== null;

/** @param {any} event */
const members = (event) => (isObject(event) ? Object.keys(event).filter((name) => name !== "type") : []);

/** @type {((events: any[], at: number, random: Random) => void)[]} */
const breakages = [
  (events, at) => void events.splice(at, 1),
  (events, at) => void events.splice(at, 1),
  (events, at) => void events.splice(at, 0, copy(events[at])),
  (events, at, random) => void events.splice(random.below(events.length), 0, copy(events[at])),
  (events, at) => void (at + 1 < events.length && events.splice(at, 2, events[at + 1], events[at])),
  (events, at, random) => void events.splice(random.below(events.length), 0, ...events.splice(at, 1)),
  // whose it is
  (events, at, random) => void (isObject(events[at]) && (events[at].subagentRunId = random.pick(["s1", "s2", "ghost", "", null, 5]))),
  (events, at) => void delete events[at].subagentRunId,
  (events, _at, random) => {
    const all = events.flatMap((event) => (Array.isArray(event?.messages) ? event.messages : []));
    if (all.length > 0) random.pick(all).subagentRunId = random.pick(["s1", "s2", "ghost"]);
  },
  // a chunk that says less, or something else
  (events, _at, random) => {
    const chunk = random.pick(events.filter(({ type }) => String(type).endsWith("_CHUNK")));
    if (!chunk) return;
    const name = random.pick(["messageId", "toolCallId", "toolCallName", "delta", "subagentRunId", "role", "name", "parentMessageId"]);
    if (random.chance(0.5)) delete chunk[name];
    else chunk[name] = random.pick(["m1", "c1", "assistant", "user", "s1", ""]);
  },
  // another entity's id
  (events, at, random) => {
    const other = random.pick(events);
    for (const name of ["messageId", "toolCallId", "parentMessageId", "stepName", "entityId"]) {
      if (isObject(events[at]) && name in events[at] && other[name]) events[at][name] = other[name];
    }
  },
  // shapes
  (events, at, random) => {
    const name = random.pick(members(events[at]));
    if (name) events[at][name] = random.pick([null, null, 5, "text", true, [], {}, 1.5, [null], { type: "other" }]);
  },
  (events, at, random) => {
    const name = random.pick(members(events[at]));
    if (name) delete events[at][name];
  },
  (events, at, random) =>
    void (isObject(events[at]) &&
      (events[at][random.pick(["zz", "role", "name", "delta", "metadata", "timestamp", "usage"])] = random.pick([1, null, "user", { x: 1 }]))),
  (events, at, random) => deeper(events[at], random),
  (events, at, random) => deeper(events[at], random),
  (events, at, random) =>
    void (isObject(events[at]) &&
      (events[at].type = random.pick(["FUTURE", "text_message_start", "", null, 5, "RUN_FINISHED", "RUN_STARTED", "TEXT_MESSAGE_END"]))),
  // frames
  (events, at, random) => void events.splice(at, 0, random.pick(["{oops", "null", "[]", "5", '"text"', "{}", '{"type":5}', '{"type":""}', "[DONE]"])),
  // what the old protocol had
  (events, at, random) =>
    void events.splice(at, 0, {
      type: random.pick(["THINKING_START", "THINKING_END", "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_TEXT_MESSAGE_END"]),
      delta: "hm",
    }),
  (events, at, random) =>
    void events.splice(at, 0, {
      type: "MESSAGES_SNAPSHOT",
      messages: [{ id: "b1", role: "user", content: copy([random.pick(binaries), random.pick(binaries), random.pick(parts)]) }],
    }),
  // order
  (events, at, random) =>
    void events.splice(
      at,
      0,
      random.pick([{ type: "RUN_STARTED", threadId: "t", runId: "again" }, { type: "RUN_FINISHED", threadId: "t", runId: "run0" }, {
        type: "RUN_ERROR",
        message: "boom",
      }]),
    ),
  (events, at) => void events.splice(at),
  (events) => void events.shift(),
];

const binaries = [
  { type: "binary", mimeType: "image/png", data: "QQ==", filename: "f.png" },
  { type: "binary", mimeType: "application/pdf", url: "http://x/y" },
  { type: "binary", mimeType: "audio/wav", id: "f1" },
  { type: "binary", data: "QQ==" },
  { type: "binary", mimeType: "video/mp4", data: "", url: "http://x/v" },
];

const parts = [
  { type: "image", source: { type: "data", value: "QQ==", mimeType: "image/png" } },
  { type: "image", source: { type: "telepathy" } },
  { type: "hologram" },
  { type: "text", text: "x", metadata: null },
  { type: "document", source: { type: "url", value: "http://x/y", mimeType: "application/pdf" }, metadata: null },
  5,
];

/** Breaks something inside a member. @param {any} event @param {Random} random */
function deeper(event, random) {
  /** @type {any[]} */
  const objects = [];
  const collect = (/** @type {any} */ value) => {
    if (typeof value !== "object" || value === null) return;
    objects.push(value);
    Object.values(value).forEach(collect);
  };
  collect(event);
  const target = random.pick(objects.slice(1));
  if (!target) return;
  const name = random.pick(Object.keys(target));
  if (name === undefined || random.chance(0.2)) target.zz = null;
  else if (random.chance(0.3)) delete target[name];
  else target[name] = random.pick([null, 5, "text", [], {}, { type: "other" }]);
}

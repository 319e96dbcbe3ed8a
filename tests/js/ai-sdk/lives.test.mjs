// Chats of the AI SDK played by chance: a server sends all that a valid stream may hold, in turns with calls that the page answers and
// answers that are asked for again. A chat shows what its agent shows, whatever moment it looked at.
//
//   CHATS=10000 CHATS_SEED=1 node --test tests/js/ai-sdk/lives.test.mjs

import { lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { random } from "../chance.mjs";
import { until } from "../lib.mjs";
import { create, shown, skip, toUIMessages } from "./server.mjs";

const count = Number(process.env.CHATS ?? 120);
const first = Number(process.env.CHATS_SEED ?? 1);

/** The stream of one server over a chat's life. Only what the order of events allows is sent. */
class Server {
  constructor(pick) {
    this.pick = pick;
    this.ids = 0;
  }

  /** An answer as lists of events that come together. */
  answer(messages, { asks, goesOn }) {
    this.messages = messages;
    this.open = new Map();
    // Messages of other answers stand in the thread as they are.
    this.settled = messages.length;
    this.asks = asks;
    if (!goesOn) this.name = `${++this.ids}`;
    const { pick } = this;
    const reads = [];
    for (let left = 2 + pick(10); left > 0; left--) {
      const read = [];
      for (let events = 1 + pick(3); events > 0; events--) read.push(...this.next());
      reads.push(read);
    }
    reads.push([...this.endAll(), ...(asks ? this.call(`ask${++this.ids}`, "ask", false) : [])]);
    return reads;
  }

  next() {
    const kinds = ["text", "text", "text", "reason", "call", "activity", "state", "custom", "list", "list"];
    return this[kinds[this.pick(kinds.length)]]();
  }

  /** A text begins, goes on, ends, or is opened once more. */
  text(prefix = "a", role = "assistant", type = "TEXT_MESSAGE") {
    const { pick, open } = this;
    const messageId = `${prefix}${this.name}.${pick(4) || ++this.ids}`;
    const delta = ["Hel", "lo ", "wor", "ld"][pick(4)];
    if (!open.has(messageId)) {
      open.set(messageId, type);
      this.said(messageId, role, "");
      return [{ type: `${type}_START`, messageId, role }];
    }
    if (pick(3) === 0) {
      open.delete(messageId);
      return [{ type: `${type}_END`, messageId }];
    }
    this.said(messageId, role, delta);
    return [{ type: `${type}_CONTENT`, messageId, delta }];
  }

  reason = () => this.text("r", "reasoning", "REASONING_MESSAGE");

  /** Keeps what the server has said, for its lists. */
  said(id, role, delta) {
    const message = this.messages.find((one) => one.id === id);
    if (message) message.content += delta;
    else this.messages.push({ id, role, content: delta });
  }

  call(toolCallId = `c${++this.ids}`, name = "weather", answered = this.asks || this.pick(2) === 0) {
    const args = JSON.stringify({ city: "Rome", n: this.pick(9) });
    const cut = this.pick(args.length);
    const result = { type: "TOOL_CALL_RESULT", messageId: `of ${toolCallId}`, toolCallId, content: "20" };
    return [
      { type: "TOOL_CALL_START", toolCallId, toolCallName: name },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: args.slice(0, cut) },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: args.slice(cut) },
      { type: "TOOL_CALL_END", toolCallId },
      ...(answered ? [result] : []),
    ].filter(({ delta }) => delta !== "");
  }

  activity() {
    const messageId = `p${this.name}.${this.pick(2)}`;
    return [{ type: "ACTIVITY_SNAPSHOT", messageId, activityType: "PLAN", content: { steps: this.pick(9) } }];
  }

  state = () => [{ type: "STATE_SNAPSHOT", snapshot: { n: this.pick(9) } }];

  custom = () => [{ type: "CUSTOM", name: "progress", value: this.pick(9) }];

  endAll() {
    const ends = [...this.open].map(([messageId, type]) => ({ type: `${type}_END`, messageId }));
    this.open.clear();
    return ends;
  }

  /** All messages as the server has them, or with one of this answer left out or written anew. */
  list() {
    const { pick, settled, messages } = this;
    const own = messages.slice(settled).filter(({ id }) => !this.open.has(id));
    const one = own[pick(own.length + 1)];
    if (one && pick(2) === 0) messages.splice(messages.indexOf(one), 1);
    else if (one) one.content = pick(2) ? `${one.content}!` : "anew";
    return [{ type: "MESSAGES_SNAPSHOT", messages: structuredClone(messages) }];
  }
}

/** The parts of the thread that a person reads, in order. */
function read(message) {
  const parts = shown(message).filter(({ type }) => !/^data-(state|progress|interrupt)$/.test(type));
  // A text whose end comes in a later stream is two parts of the SDK.
  const texts = [];
  for (const { type, text, data, toolCallId, state, input, output, errorText } of parts) {
    const last = texts.at(-1);
    if (text !== undefined && last?.type === type) last.text += text;
    else if (text !== undefined) texts.push({ type, text });
    else texts.push({ type, data, toolCallId, state, input, output, errorText });
  }
  return JSON.parse(JSON.stringify(texts));
}

/** Where an answer goes on after a tool of the page, the SDK takes back nothing of it: what is added to a text stands at its end. */
const unordered = (
  parts,
) => [
  parts.flatMap(({ text }) => [...(text ?? "")]).sort().join(""),
  parts.filter(({ text }) => text === undefined).map((part) => JSON.stringify(part)).sort(),
];

const compare = (chat, agent, wentOn) => {
  const parts = (messages) =>
    messages.map((message) => [message.role, read(message)]).filter(([, { length }]) => length > 0).map((
      [role, parts],
    ) => [role, wentOn ? unordered(parts) : parts]);
  assert.deepEqual(parts(chat.messages), parts(toUIMessages(agent.getSnapshot())));
};

export async function play(seed) {
  const pick = random(seed);
  const tools = [{ name: "ask", description: "d", parameters: { type: "object" } }];
  const errors = [];
  const { agent, chat, requests } = create({
    agent: { tools },
    chat: { onError: (error) => errors.push(error), sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
  });
  const server = new Server(pick);
  let answered = 0;
  let wentOn = false;
  const serve = async (how) => {
    await until(() => requests.length > answered);
    const request = requests[answered++];
    request.begin();
    for (const events of server.answer(structuredClone(request.messages), how)) {
      request.send(...events);
      for (let turns = pick(3); turns > 0; turns--) await new Promise(setImmediate);
    }
    request.end();
  };
  try {
    for (let turns = 1 + pick(3); turns > 0; turns--) {
      const again = chat.messages.length > 0 && pick(3) === 0;
      const asks = pick(3) === 0;
      const sent = again ? chat.regenerate() : chat.sendMessage({ text: `question ${turns}` });
      await serve({ asks, goesOn: false });
      await sent;
      assert.deepEqual(errors, []);
      compare(chat, agent, wentOn);
      if (!asks) continue;
      const call = agent.getSnapshot().toolCalls.findLast(({ name, phase }) => name === "ask" && phase === "input-available");
      if (!call) continue;
      const done = chat.addToolOutput({ tool: "ask", toolCallId: call.id, output: "yes" });
      await serve({ asks: false, goesOn: true });
      await done;
      await until(() => chat.status !== "streaming" && chat.status !== "submitted");
      assert.deepEqual([errors, chat.status], [[], "ready"]);
      compare(chat, agent, wentOn = true);
    }
  } catch (error) {
    error.message = `seed ${seed}: ${error.message}`;
    throw error;
  } finally {
    agent.dispose();
  }
}

describe("chats by chance", { skip }, () => {
  it(`show what their agent shows: ${count} chats`, async () => {
    for (let seed = first; seed < first + count; seed++) await play(seed);
  });
});

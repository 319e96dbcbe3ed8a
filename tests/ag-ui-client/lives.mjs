// The life of an HttpAgent by chance: streams that AG-UI allows, hooks that change what counts, and what an application does in between.

import { random } from "../js/chance.mjs";
import { finished, hooks, left, openBody, recorder, server, settled, started, user } from "./client.mjs";

/** The server of a life: what it sends, as events. */
class Server {
  constructor(pick) {
    this.pick = pick;
    this.ids = 0;
  }

  /** One answer. `messages`: those of the request. */
  answer(runId, messages) {
    const { pick } = this;
    this.messages = structuredClone(messages);
    this.open = [];
    this.lane = undefined;
    const events = [started(runId)];
    for (let count = pick(14); count > 0; count--) events.push(...this.next());
    events.push(...this.open.map(({ end }) => end));
    const end = pick(8);
    if (end === 0) events.push({ type: "RUN_ERROR", message: "no", code: "c" });
    else if (end === 1) events.push(finished({ runId, outcome: { type: "interrupt", interrupts: [{ id: `i${++this.ids}`, reason: "r", message: "m" }] } }));
    else if (end === 2) events.push(finished({ runId, result: { n: pick(5) } }));
    else events.push(finished({ runId }));
    return events;
  }

  next() {
    const kinds = [
      "text",
      "text",
      "text",
      "chunk",
      "chunk",
      "call",
      "reasoning",
      "state",
      "patch",
      "list",
      "activity",
      "result",
      "step",
      "custom",
      "raw",
      "subagent",
    ];
    return this[kinds[this.pick(kinds.length)]]();
  }

  /** Members that any event may have. */
  more() {
    return {
      ...(this.pick(8) === 0 && { timestamp: this.pick(1000) }),
      ...(this.pick(8) === 0 && { rawEvent: { n: this.pick(9) } }),
      ...(this.pick(8) === 0 && { metadata: { m: this.pick(9) } }),
    };
  }

  /** A message or call that is open goes on or ends, or one begins. */
  item(kind, start, content, end, id) {
    const { pick, open } = this;
    const at = open.findIndex((one) => one.kind === kind);
    if (at < 0 || pick(6) === 0) {
      const own = id();
      if (open.some((one) => one.kind === kind && one.id === own)) return [];
      open.push({ kind, id: own, end: { ...end(own), ...this.more() } });
      return [{ ...start(own), ...this.more() }];
    }
    const one = open[at];
    if (pick(3) > 0) return [{ ...content(one.id), ...this.more() }];
    open.splice(at, 1);
    return [one.end];
  }

  text() {
    const { pick } = this;
    return this.item(
      "text",
      (messageId) => ({
        type: "TEXT_MESSAGE_START",
        messageId,
        role: /^k/.test(messageId) ? "assistant" : ["assistant", "assistant", "system", "user"][pick(4)],
        ...(pick(5) === 0 && { name: "N" }),
      }),
      (messageId) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: ["a", "bc", "d\n", "é", "😀"][pick(5)] }),
      (messageId) => ({ type: "TEXT_MESSAGE_END", messageId }),
      () => (pick(5) === 0 ? this.known("assistant") : `m${++this.ids}`),
    );
  }

  /** The id of a message of that role, or one of a few others. */
  known(role) {
    const all = this.messages.filter((message) => message.role === role);
    return all[this.pick(all.length + 1)]?.id ?? `k${this.pick(3)}`;
  }

  call() {
    const { pick } = this;
    return this.item(
      "call",
      (toolCallId) => ({ type: "TOOL_CALL_START", toolCallId, toolCallName: "f", ...(pick(3) === 0 && { parentMessageId: this.known("assistant") }) }),
      (toolCallId) => ({ type: "TOOL_CALL_ARGS", toolCallId, delta: ['{"a":', "1", "}", "[", '"x'][pick(5)] }),
      (toolCallId) => ({ type: "TOOL_CALL_END", toolCallId }),
      () => (this.last = `c${++this.ids}`),
    );
  }

  result() {
    return this.last === undefined ? [] : [{ type: "TOOL_CALL_RESULT", messageId: `t${++this.ids}`, toolCallId: this.last, content: "done", ...this.more() }];
  }

  reasoning() {
    const { pick } = this;
    return this.item(
      "reasoning",
      (messageId) => ({ type: "REASONING_MESSAGE_START", messageId, role: "reasoning" }),
      (messageId) => ({ type: "REASONING_MESSAGE_CONTENT", messageId, delta: ["hm", "ok"][pick(2)] }),
      (messageId) => ({ type: "REASONING_MESSAGE_END", messageId }),
      () => `q${++this.ids}`,
    );
  }

  /** Chunks, of which the first names what it is about. */
  chunk() {
    const { pick } = this;
    const { lane } = this;
    const kind = ["TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE"][pick(3)];
    const member = kind === "TOOL_CALL" ? "toolCallId" : "messageId";
    const goesOn = lane?.kind === kind && pick(3) > 0;
    const id = goesOn ? lane.id : `h${++this.ids}`;
    this.lane = { kind, id };
    const first = { [member]: id, ...(kind === "TOOL_CALL" && { toolCallName: "g" }) };
    // Events in between end a stream of chunks, so one that goes on names it again.
    return [{ type: `${kind}_CHUNK`, ...first, ...(pick(4) > 0 && { delta: ["x", "yz"][pick(2)] }), ...this.more() }];
  }

  state() {
    const snapshot = { n: this.pick(5), list: [1, 2] };
    return [{ type: "STATE_SNAPSHOT", snapshot, ...this.more() }];
  }

  patch() {
    const { pick } = this;
    const op =
      [{ op: "add", path: "/n", value: pick(9) }, { op: "add", path: `/k${pick(3)}`, value: { deep: [] } }, { op: "replace", path: "", value: { all: 1 } }, {
        op: "remove",
        path: "/never",
      }][pick(4)];
    return [{ type: "STATE_DELTA", delta: [op], ...this.more() }];
  }

  list() {
    const { pick } = this;
    const messages = this.messages.filter(() => pick(5) > 0).map((
      message,
    ) => (pick(4) === 0 && typeof message.content === "string" ? { ...message, content: `${message.content}!` } : message));
    if (pick(3) === 0) messages.push({ id: `s${++this.ids}`, role: "assistant", content: "told" });
    this.messages = messages;
    return [{ type: "MESSAGES_SNAPSHOT", messages: structuredClone(messages), ...this.more() }];
  }

  activity() {
    const { pick } = this;
    const messageId = `p${pick(2)}`;
    const snapshot = { type: "ACTIVITY_SNAPSHOT", messageId, activityType: "plan", content: { steps: [] }, ...(pick(3) === 0 && { replace: pick(2) === 0 }) };
    const delta = { type: "ACTIVITY_DELTA", messageId, activityType: "plan", patch: [{ op: "add", path: "/steps/-", value: pick(9) }] };
    return [{ ...(pick(2) ? snapshot : delta), ...this.more() }];
  }

  step() {
    const stepName = `s${++this.ids}`;
    return [{ type: "STEP_STARTED", stepName, ...this.more() }, { type: "STEP_FINISHED", stepName, ...this.more() }];
  }

  custom = () => [{ type: "CUSTOM", name: "n", value: this.pick(9), ...this.more() }];

  raw = () => [{ type: "RAW", event: { r: this.pick(9) }, ...this.more() }];

  subagent() {
    const subagentRunId = `sub${++this.ids}`;
    const messageId = `m${++this.ids}`;
    return [
      { type: "SUBAGENT_STARTED", subagentRunId, name: "helper", ...this.more() },
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant", subagentRunId },
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "sub", subagentRunId },
      { type: "TEXT_MESSAGE_END", messageId, subagentRunId },
      { type: "SUBAGENT_FINISHED", subagentRunId, ...this.more() },
    ];
  }
}

/** A subscriber that hears some hooks, and answers some with a change. What it answers depends on how often it was asked alone. */
function changes(pick, number) {
  const returns = {};
  const names = hooks.filter(() => pick(3) === 0);
  for (const name of names) {
    const kind = pick(6);
    const at = pick(3);
    let asked = 0;
    returns[name] = ({ messages }) => {
      if (asked++ !== at) return undefined;
      // An end that is left out leaves the run without one.
      if (kind === 0) return { stopPropagation: !/Run|onEvent/.test(name) };
      if (kind === 2) return { state: { by: name } };
      // The official client loses a delta where a hook of it replaces the messages.
      if (/Content|Args|End|onEvent|New/.test(name)) return undefined;
      if (kind === 1) return { messages: [...messages, user(`by ${number} ${name}`, "x")] };
      if (kind === 3) return { messages: messages.map((message) => (message.role === "assistant" ? { ...message, content: "rewritten" } : message)) };
      return undefined;
    };
  }
  return { names, returns };
}

const between = ["nothing", "addMessage", "addMessages", "setMessages", "setState", "late", "leave"];

const settle = () => new Promise((resolve) => setTimeout(resolve));

/** Plays a life with a client, and returns all that was heard. */
export async function live(seed, { HttpAgent }, { exact = false } = {}) {
  const pick = random(seed);
  const log = [];
  const answers = new Server(pick);
  const streams = [];
  const fetch = async (url, init) => {
    const { runId, messages, ...rest } = JSON.parse(init.body);
    log.push({ request: { runId, messages, ...rest } });
    const events = answers.answer(runId, messages);
    streams.push(events);
    if (pick(2)) return server(events).fetch(url, init);
    const body = openBody(init);
    for (let at = 0; at < events.length;) {
      const count = 1 + pick(4);
      body.send(events.slice(at, at += count));
    }
    body.end();
    return body.response;
  };
  const agent = new HttpAgent({ url: "https://x.test/agent", agentId: "a", threadId: "t", fetch, initialMessages: [user("u", "hi")], initialState: { n: 0 } });
  if (exact) agent.use((input, next) => next.run(input));
  agent.subscribe(recorder(log));
  for (let count = pick(3); count > 0; count--) {
    const { names, returns } = changes(pick, count);
    agent.subscribe(recorder([], returns, names));
  }
  const more = [];
  for (let run = 1 + pick(3); run > 0; run--) {
    const did = between[pick(between.length)];
    log.push({ did });
    if (did === "addMessage") agent.addMessage(user(`added${run}`, "more"));
    if (did === "addMessages") {
      const call = { id: `own${run}`, type: "function", function: { name: "f", arguments: "{}" } };
      agent.addMessages([{ id: `say${run}`, role: "assistant", content: "own", toolCalls: [call] }, {
        id: `res${run}`,
        role: "tool",
        toolCallId: call.id,
        content: "yes",
      }]);
    }
    if (did === "setMessages") agent.setMessages(agent.messages.slice(0, 1 + pick(3)));
    if (did === "setState") agent.setState({ set: run });
    if (did === "leave") more.pop()?.unsubscribe();
    if (did === "late" || pick(6) === 0) more.push(agent.subscribe(recorder(log)));
    // Of a change it tells one subscriber after the other, each in a turn of its own.
    await settle();
    const resume = agent.pendingInterrupts?.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { yes: true } })) ?? [];
    const input = { runId: `r${run}`, ...(resume.length > 0 && { resume }), ...(pick(4) === 0 && { forwardedProps: { p: run } }) };
    const end = await settled(agent.runAgent(input, pick(3) === 0 ? recorder(log) : undefined));
    // The last hooks of a run may be called after its end.
    await settle();
    log.push({ end, left: JSON.parse(JSON.stringify(left(agent))) });
  }
  return { log: JSON.parse(JSON.stringify(log)), streams };
}

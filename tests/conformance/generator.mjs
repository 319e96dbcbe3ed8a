// Streams by chance that keep to the protocol: entities of several owners interleave, are chunked, patched, snapshot and
// tagged, and several runs follow each other. `breakages.mjs` breaks them.

/** @typedef {import("./random.mjs").Random} Random */
/** @typedef {{ events: any[], initial: { messages: any[], state: any } }} Stream  a string among the events is a frame that is none */

const words = ["a", "Hello, ", "wörld ", "👋🏽", "\n", "{", '{"x":1}', '"', "", "日本語", " and\tmore"];
const states = [{}, { a: 1 }, { a: { b: [1, 2, 3] }, n: null }, [1, 2], { rows: [{ id: 1 }, { id: 2 }], text: "x", "a/b": { "m~n": 0 } }];

/** @param {Random} random @returns {Stream} */
export function validStream(random) {
  const messages = history(random);
  const writer = new Writer(random, messages);
  const runs = random.chance(0.2) ? 2 + random.below(2) : 1;
  for (let run = 0; run < runs; run++) writer.run(run, run + 1 === runs);
  return { events: writer.events, initial: { messages, state: copy(random.pick(states)) } };
}

export const copy = (/** @type {any} */ value) => JSON.parse(JSON.stringify(value));

/** A few messages of an earlier run. @param {Random} random */
function history(random) {
  const all = [
    { id: "u0", role: "user", content: "question" },
    { id: "a0", role: "assistant", content: "answer", toolCalls: [{ id: "c0", type: "function", function: { name: "f", arguments: "{}" } }] },
    { id: "t0", role: "tool", toolCallId: "c0", content: "4" },
    { id: "r0", role: "reasoning", content: "hm", encryptedValue: "E" },
    { id: "p0", role: "activity", activityType: "P", content: { v: [1] } },
    { id: "u00", role: "user", content: [{ type: "text", text: "look" }, { type: "image", source: { type: "url", value: "http://x/i.png" } }], name: "Ann" },
    { id: "s0", role: "system", content: "be nice", metadata: { k: 1 } },
  ];
  return all.filter(() => random.chance(0.35));
}

/** Writes valid events. */
class Writer {
  /** @type {any[]} */
  events = [];
  #ids = 0;
  /** Messages that a stream may continue, by owner ("" is the parent). @type {Map<string, string[]>} */
  #closed = new Map();
  /** Calls with and without a result. @type {{ id: string, owner: string }[]} */
  #calls = [];
  /** @type {Set<string>} */
  #activities = new Set();

  /** @param {Random} random @param {any[]} messages */
  constructor(random, messages) {
    this.random = random;
    this.history = messages;
    for (const { id, role } of messages) if (role === "activity") this.#activities.add(id);
  }

  /** Resets the open items of the run in progress. */
  #reset() {
    /** @type {{ id: string, owner: string }[]} */
    this.texts = [];
    /** @type {{ id: string, owner: string }[]} */
    this.calls = [];
    /** @type {{ id: string, owner: string }[]} */
    this.thoughts = [];
    /** @type {{ id: string, owner: string }[]} */
    this.spans = [];
    /** @type {{ id: string, owner: string }[]} */
    this.steps = [];
    /** @type {string[]} */
    this.agents = [];
    /** Owners of what was named in this run, which later tags must respect. @type {Map<string, string>} */
    this.owners = new Map();
    /** The chunk stream of each owner. @type {Map<string, { kind: string, id: string }>} */
    this.lanes = new Map();
    this.#closed.clear();
    this.#calls.length = 0;
  }

  /** @param {number} number @param {boolean} last */
  run(number, last) {
    const { random } = this;
    this.#reset();
    this.#started(number);
    const length = 3 + random.below(22);
    for (let at = 0; at < length; at++) {
      const choice = random.weighted(choices, (weight) => weight);
      /** @type {any} */ (this)[choice]();
    }
    if (random.chance(0.08)) return this.emit({ type: "RUN_ERROR", message: "boom", ...(random.chance(0.5) && { code: "E_BOOM" }) });
    if (last && random.chance(0.05)) return;
    this.closeAll();
    this.#finished(number);
    if (random.chance(0.03)) this.emit({ type: "RUN_ERROR", message: "afterwards" });
  }

  /** @param {any} event @param {string} [owner] */
  emit(event, owner = "") {
    const { random } = this;
    const full = { ...event };
    if (owner !== "") full.subagentRunId = owner;
    if (random.chance(0.06)) full.timestamp = 1700000000000 + this.events.length;
    if (random.chance(0.04)) full.rawEvent = random.pick([null, { provider: "x", n: null }, 5]);
    if (random.chance(0.08)) full.metadata = random.pick([{}, { k: this.events.length }, { k: null, o: { x: 1 } }, { "ag-ui": [1] }]);
    this.events.push(full);
  }

  /** An event that is no chunk ends the chunk stream of its lane. @param {any} event @param {string} [owner] */
  closing(event, owner = "") {
    this.endLane(owner);
    this.emit(event, owner);
  }

  /** @param {string} owner */
  endLane(owner) {
    const lane = this.lanes.get(owner);
    this.lanes.delete(owner);
    if (lane?.kind === "text") this.#rest(owner, lane.id);
    if (lane?.kind === "tool") this.#calls.push({ id: lane.id, owner });
  }

  endLanes() {
    for (const owner of [...this.lanes.keys()]) this.endLane(owner);
  }

  /** @param {string} owner @param {string} id */
  #rest(owner, id) {
    this.#closed.set(owner, [...(this.#closed.get(owner) ?? []), id]);
  }

  /** @param {string} kind */
  fresh(kind) {
    return `${kind}${++this.#ids}`;
  }

  owner() {
    return this.agents?.length && this.random.chance(0.5) ? this.random.pick(this.agents) : this.random.chance(0.04) ? "ghost" : "";
  }

  /** The tag of a later event of an entity: its owner, or none. @param {string} owner */
  tag(owner) {
    return owner !== "" && this.random.chance(0.3) ? "" : owner;
  }

  words() {
    return this.random.pick(words);
  }

  /** @param {number} number */
  #started(number) {
    const { random } = this;
    /** @type {any} */
    const event = { type: "RUN_STARTED", threadId: random.chance(0.1) ? "other" : "t", runId: `run${number}` };
    if (random.chance(0.2)) event.protocolVersion = "1.0";
    if (random.chance(0.05)) event.parentRunId = "run-before";
    if (random.chance(0.1)) {
      const fresh = { id: this.fresh("h"), role: "user", content: "echo" };
      event.input = {
        threadId: "t",
        runId: "x",
        messages: [...this.history, fresh].filter(() => random.chance(0.6)),
        ...(random.chance(0.5) && { state: null, tools: [], context: [] }),
      };
    }
    this.emit(event);
  }

  /** @param {number} number */
  #finished(number) {
    const { random } = this;
    this.endLanes();
    /** @type {any} */
    const event = { type: "RUN_FINISHED", threadId: "t", runId: `run${number}` };
    const interrupts = [{ id: this.fresh("i"), reason: "input_required", message: "?" }, {
      id: this.fresh("i"),
      reason: "x:custom",
      expiresAt: "2099-01-01T00:00:00Z",
      metadata: { n: null },
    }];
    const outcome = random.pick([undefined, undefined, null, { type: "success" }, { type: "success", pendingToolCallIds: [] }, { type: "cancelled" }, {
      type: "interrupt",
      interrupts: interrupts.slice(random.below(2)),
    }]);
    if (outcome !== undefined) event.outcome = outcome;
    if (random.chance(0.3)) event.result = random.pick([null, 1, { ok: [true] }, "text", false]);
    if (random.chance(0.2)) event.usage = [{ provider: "p", model: "m", inputTokens: 10, outputTokens: random.below(9) }, { totalTokens: 3 }];
    this.emit(event);
  }

  closeAll() {
    this.endLanes();
    while (this.texts.length) this.textEnd();
    while (this.calls.length) this.callEnd();
    while (this.thoughts.length) this.thoughtEnd();
    while (this.spans.length) this.spanEnd();
    while (this.steps.length) this.stepEnd();
    while (this.agents.length) this.agentEnd();
  }

  text() {
    const { random } = this;
    const owner = this.owner();
    const again = this.#closed.get(owner) ?? [];
    const id = again.length > 0 && random.chance(0.15) ? random.take(again) : this.fresh("m");
    if (this.texts.some((open) => open.id === id)) return;
    /** @type {any} */
    const event = { type: "TEXT_MESSAGE_START", messageId: id };
    if (random.chance(0.5)) event.role = random.pick(["assistant", "assistant", "user", "system", "developer"]);
    if (random.chance(0.05)) event.name = "Bob";
    this.closing(event, owner);
    this.texts.push({ id, owner });
  }

  textContent() {
    if (!this.texts.length) return this.text();
    const { id, owner } = this.random.pick(this.texts);
    this.closing({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: this.words() }, this.tag(owner));
  }

  textEnd() {
    if (!this.texts.length) return;
    const { id, owner } = this.random.take(this.texts);
    this.closing({ type: "TEXT_MESSAGE_END", messageId: id }, this.tag(owner));
    this.#rest(owner, id);
  }

  call() {
    const { random } = this;
    const owner = this.owner();
    const parents = [...this.texts.filter((text) => text.owner === owner).map(({ id }) => id), ...(this.#closed.get(owner) ?? [])];
    const id = this.fresh("c");
    /** @type {any} */
    const event = { type: "TOOL_CALL_START", toolCallId: id, toolCallName: random.pick(["search", "add"]) };
    if (parents.length && random.chance(0.5)) event.parentMessageId = random.pick(parents);
    else if (random.chance(0.2)) {
      const answers = owner === "" ? this.history.filter(({ role }) => role === "assistant") : [];
      event.parentMessageId = random.pick([null, "", this.fresh("m"), ...answers.map(({ id }) => id)]);
    }
    this.closing(event, owner);
    this.calls.push({ id, owner });
  }

  callArgs() {
    if (!this.calls.length) return this.call();
    const { id, owner } = this.random.pick(this.calls);
    this.closing({ type: "TOOL_CALL_ARGS", toolCallId: id, delta: this.words() }, this.tag(owner));
  }

  callEnd() {
    if (!this.calls.length) return;
    const call = this.random.take(this.calls);
    this.closing({ type: "TOOL_CALL_END", toolCallId: call.id }, this.tag(call.owner));
    this.#calls.push(call);
  }

  result() {
    const { random } = this;
    const call = this.#calls.length && random.chance(0.9) ? random.take(this.#calls) : { id: "nowhere", owner: "" };
    const content = random.pick(["42", '{"ok":true}', "", [{ type: "text", text: "two" }, {
      type: "document",
      source: { type: "file", value: "f1", provider: "x" },
      metadata: 5,
    }]]);
    const role = random.chance(0.5) ? { role: "tool" } : {};
    this.closing({ type: "TOOL_CALL_RESULT", messageId: this.fresh("t"), toolCallId: call.id, content, ...role }, this.tag(call.owner));
  }

  span() {
    const owner = this.owner();
    const id = this.fresh("z");
    this.closing({ type: "REASONING_START", messageId: id }, owner);
    this.spans.push({ id, owner });
  }

  spanEnd() {
    if (!this.spans.length) return;
    const { id, owner } = this.random.take(this.spans);
    this.closing({ type: "REASONING_END", messageId: id }, this.tag(owner));
  }

  thought() {
    const owner = this.owner();
    const span = this.spans.find((open) => open.owner === owner && !this.thoughts.some(({ id }) => id === open.id));
    const id = span && this.random.chance(0.4) ? span.id : this.fresh("r");
    this.closing({ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" }, owner);
    this.thoughts.push({ id, owner });
  }

  thoughtContent() {
    if (!this.thoughts.length) return this.thought();
    const { id, owner } = this.random.pick(this.thoughts);
    this.closing({ type: "REASONING_MESSAGE_CONTENT", messageId: id, delta: this.words() }, this.tag(owner));
  }

  thoughtEnd() {
    if (!this.thoughts.length) return;
    const { id, owner } = this.random.take(this.thoughts);
    this.closing({ type: "REASONING_MESSAGE_END", messageId: id }, this.tag(owner));
  }

  /** The old names, which carry no ids. They make reasoning of the parent's. */
  thinking() {
    for (const type of ["START", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "END"]) {
      this.closing({ type: `THINKING_${type}`, ...(type.endsWith("CONTENT") && { delta: this.words() }) });
    }
  }

  step() {
    const owner = this.owner();
    const name = this.random.pick(["plan", "act", this.fresh("step")]);
    if (this.steps.some((open) => open.id === name && open.owner === owner)) return;
    this.closing({ type: "STEP_STARTED", stepName: name }, owner);
    this.steps.push({ id: name, owner });
  }

  stepEnd() {
    if (!this.steps.length) return;
    const { id, owner } = this.random.take(this.steps);
    this.closing({ type: "STEP_FINISHED", stepName: id }, owner);
  }

  agent() {
    const { random } = this;
    const id = this.fresh("s");
    /** @type {any} */
    const event = { type: "SUBAGENT_STARTED", subagentRunId: id, name: "helper" };
    if (this.agents.length && random.chance(0.4)) event.parentSubagentRunId = random.pick(this.agents);
    if (random.chance(0.2)) event.description = "helps";
    this.emit(event);
    this.agents.push(id);
  }

  agentEnd() {
    if (!this.agents.length) return;
    const { random } = this;
    const id = random.take(this.agents);
    this.endLane(id);
    if (random.chance(0.2)) return this.emit({ type: "SUBAGENT_ERROR", subagentRunId: id, message: "no", ...(random.chance(0.5) && { code: "E" }) });
    const outcome = random.pick([undefined, { type: "success" }, { type: "suspended", interruptIds: ["i1"] }]);
    this.emit({ type: "SUBAGENT_FINISHED", subagentRunId: id, ...(outcome && { outcome }), ...(random.chance(0.3) && { result: random.pick([null, 1]) }) });
  }

  state() {
    this.closing({ type: "STATE_SNAPSHOT", snapshot: copy(this.random.pick([...states, ...states, null, 5, "text", false])) }, this.owner());
  }

  patch() {
    const count = this.random.below(4);
    this.closing({ type: "STATE_DELTA", delta: Array.from({ length: count }, () => this.operation()) }, this.owner());
  }

  operation() {
    const { random } = this;
    const path = () =>
      random.pick(["/a", "/b", "/rows/0", "/rows/-", "/a/b", "/a/b/1", "/a/b/-", "/text", "/n", "/rows/1/id", "/a~1b", "/a~1b/m~0n", "/0", "/-", "/x/y", ""]);
    const value = () => copy(random.pick([1, "s", null, { x: [1] }, [], 1.5, -0.25, 12345678901, true]));
    const op = random.pick(["add", "add", "replace", "replace", "remove", "test", "move", "copy"]);
    if (op === "remove") return { op, path: path() };
    // From the root, and into what is moved, the official client has defects that nobody has to share.
    if (op === "move" || op === "copy") return { op, from: path() || "/a", path: random.pick(["/b", "/c", "/rows/-", "/a/b/0"]) };
    return { op, path: path(), value: value() };
  }

  activity() {
    const { random } = this;
    const known = [...this.#activities];
    const id = known.length && random.chance(0.4) ? random.pick(known) : this.fresh("p");
    this.#activities.add(id);
    const replace = random.chance(0.3) ? { replace: random.chance(0.5) } : {};
    this.emit({
      type: "ACTIVITY_SNAPSHOT",
      messageId: id,
      activityType: random.pick(["P", "Q"]),
      content: copy(random.pick([{}, { a: 1 }, { rows: [{ id: 1 }] }])),
      ...replace,
    });
  }

  activityPatch() {
    if (!this.#activities.size) return this.activity();
    const id = this.random.pick([...this.#activities]);
    const operation = this.operation();
    // The clients treat content that is not an object differently.
    if (operation.path === "") return;
    this.emit({ type: "ACTIVITY_DELTA", messageId: id, activityType: "P", patch: [operation] });
  }

  snapshot() {
    const { random } = this;
    this.endLanes();
    const seen = [...this.history];
    for (const { type, messageId, role } of this.events)
      if (type === "TEXT_MESSAGE_START" && !seen.some(({ id }) => id === messageId))
        seen.push({
          id: messageId,
          role: role ?? "assistant",
          content: "as the server has it",
        });
    const messages = seen.filter(() => random.chance(0.7)).map(copy);
    if (random.chance(0.3))
      messages.push({
        id: this.fresh("u"),
        role: "user",
        content: [{ type: "text", text: "x" }, {
          type: "audio",
          source: { type: "data", value: "QQ==", mimeType: "audio/wav" },
          ...(random.chance(0.5) && { metadata: null }),
        }],
      });
    if (random.chance(0.1)) messages.push({ id: this.fresh("p"), role: "activity", activityType: "Q", content: { z: 1 } });
    if (random.chance(0.1)) messages.push({ id: this.fresh("r"), role: "reasoning", content: "why" });
    if (random.chance(0.2)) messages.reverse();
    const authority = random.pick([undefined, undefined, undefined, null, [], ["P"], ["P", "Q"], "P"]);
    // A snapshot says whose its messages are: nobody's but the parent's, so what is streaming of others would change hands.
    if ([...this.texts, ...this.calls].some(({ owner }) => owner !== "")) return;
    this.emit({
      type: "MESSAGES_SNAPSHOT",
      messages,
      ...(authority !== undefined && { metadata: { "@ag-ui/client": { authoritativeActivityTypes: authority } } }),
    });
    for (const owner of [...this.#closed.keys()]) if (owner !== "") this.#closed.delete(owner);
  }

  chunk() {
    const { random } = this;
    const owner = this.owner();
    const kind = random.pick(["text", "text", "tool", "reasoning"]);
    const lane = this.lanes.get(owner);
    const goesOn = lane?.kind === kind && random.chance(0.75);
    if (!goesOn) this.endLane(owner);
    const id = goesOn ? lane.id : this.fresh(kind === "tool" ? "c" : kind === "text" ? "m" : "r");
    const named = !goesOn || random.chance(0.4);
    /** @type {any} */
    const event = { type: kind === "text" ? "TEXT_MESSAGE_CHUNK" : kind === "tool" ? "TOOL_CALL_CHUNK" : "REASONING_MESSAGE_CHUNK" };
    if (named) event[kind === "tool" ? "toolCallId" : "messageId"] = id;
    if (kind === "tool" && !goesOn) event.toolCallName = "search";
    if (random.chance(0.85)) event.delta = this.words();
    this.lanes.set(owner, { kind, id });
    // A chunk with an id finds its lane by that; one without has to say whose it is.
    this.emit(event, goesOn && named ? this.tag(owner) : owner);
  }

  encrypted() {
    const { random } = this;
    const [message] = this.history;
    if (this.calls.length && random.chance(0.5)) {
      const { id, owner } = random.pick(this.calls);
      this.emit({ type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: id, encryptedValue: this.words() }, this.tag(owner));
    } else if (this.texts.length) {
      const { id, owner } = random.pick(this.texts);
      this.emit({ type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: id, encryptedValue: "E2" }, this.tag(owner));
    } else if (message) {
      this.emit({ type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: message.id, encryptedValue: "E3" });
    }
  }

  custom() {
    this.closing({ type: "CUSTOM", name: "note", value: this.random.pick([null, 1, { a: [null] }]) }, this.owner());
  }

  raw() {
    this.emit({ type: "RAW", event: this.random.pick([null, { provider: 1 }]), ...(this.random.chance(0.5) && { source: "x" }) }, this.owner());
  }

  /** Events that a later protocol may have. */
  future() {
    this.emit({ type: "TIME_TRAVEL", to: 1885 });
  }
}

/** How often what is written. @type {Record<string, number>} */
const choices = {
  text: 6,
  textContent: 16,
  textEnd: 4,
  call: 4,
  callArgs: 9,
  callEnd: 4,
  result: 4,
  span: 1,
  spanEnd: 1,
  thought: 2,
  thoughtContent: 4,
  thoughtEnd: 2,
  thinking: 0.3,
  step: 2,
  stepEnd: 2,
  agent: 2.5,
  agentEnd: 1.5,
  state: 2,
  patch: 5,
  activity: 3,
  activityPatch: 2,
  snapshot: 1.5,
  chunk: 14,
  encrypted: 1.5,
  custom: 1,
  raw: 1,
  future: 0.7,
};

// A core for tests: it keeps to the interface of the glue, and does what the test says.

/** Lets the sessions of a copy of the package know who drives them: a test does what the network would have done, and has the effects performed. */
export function follow({ Driver }) {
  const { enter } = Driver.prototype;
  Driver.prototype.enter = function (...entry) {
    this.core.driver = this;
    return enter.apply(this, entry);
  };
}
// Arguments of the host's methods, in the order of an effect, and what stands after its line.
const effects = {
  execute: (id, name, args, approved = false) => [[id, name, approved], args],
  save: (number, json) => [[number, false], json],
  settled: (name, json) => [[name], json],
  custom: (name, json) => [[name], json],
  event: (json) => [[], json],
  decision: (json) => [[], json],
};

export class Session {
  /** Every session made so far. */
  static all = [];
  /** The error that the next call of the constructor throws. */
  static refuse;
  /** The error that `restore` throws. */
  static refuseSave;
  /** Whether the constructor warns. */
  static warns = false;
  /** The calls of messages; a test that wants them gives the function. */
  static callsOf = () => [];
  static get last() {
    return Session.all.at(-1);
  }

  calls = [];
  /** The errors that the next calls of methods throw, by name. */
  throws = {};
  disposed = false;
  freed = false;
  /** Whether every operation of a patch is a part of its own. */
  parted = false;
  events;
  /** How many answers make a run begin. */
  interrupts = 1;
  answers = [];
  #answering = [];
  /** Joins it with its page. */
  driver;
  /** The page's methods. They become effects, which are performed once the call in progress has returned. */
  host = new Proxy({}, {
    get: (_, name) => (...args) => name === "request" ? this.driver.host.request(...args) : this.#effect(name, args),
  });
  #effects = [];
  #calls = 0;
  #operations = [];
  #length;
  #running;
  #queue = [];
  #saves = 0;
  #waiting = new Map();

  constructor(options, messages, state) {
    if (Session.refuse) throw Session.refuse;
    this.options = JSON.parse(options);
    this.events = this.options.events;
    this.messages = messages === undefined ? undefined : JSON.parse(messages);
    this.state = state === undefined ? undefined : JSON.parse(state);
    this.#length = this.messages?.length ?? 0;
    if (this.messages) {
      this.patch(["o", ["messages"], this.messages], ["o", ["toolCalls"], Session.callsOf(this.messages)]);
    }
    Session.all.push(this);
    if (Session.warns) this.host.warning({ code: "message-malformed", message: "!" });
  }

  // Methods for a page.

  /** Each method is one of this class, so that a test can take its place. */
  call(method, json) {
    this.#calls++;
    try {
      return this[method]?.(json);
    } finally {
      this.#calls--;
    }
  }

  effect() {
    return this.#effects.shift();
  }

  submit(json) {
    const input = JSON.parse(json);
    this.#enter("submit", input);
    return this.#run(input);
  }

  retry(json) {
    const input = JSON.parse(json);
    this.#enter("retry", input);
    return this.#run({ ...input, messages: [] });
  }

  regenerate(json) {
    const input = JSON.parse(json);
    this.#enter("regenerate", input);
    return this.#run({ ...input, messages: [] });
  }

  cancel(json) {
    this.#enter("cancel", json);
    if (this.#running?.name === json) return this.finish("aborted");
    const index = this.#queue.findIndex((run) => run.name === json);
    if (index < 0) return;
    const [run] = this.#queue.splice(index, 1);
    this.#settle(run, { outcome: "aborted" });
    this.#showQueue();
  }

  disconnect() {
    this.#enter("disconnect");
  }

  stop() {
    this.#enter("stop");
    if (this.#running) this.finish("aborted");
  }

  answer(json) {
    const input = JSON.parse(json);
    this.#enter("answer", input);
    const { run, ...answer } = input;
    this.answers.push(answer);
    this.#answering.push({ name: run.runId, input: { ...run, messages: [] } });
    if (this.answers.length === this.interrupts) {
      const [first] = this.#answering;
      this.#start({ ...first, with: this.#answering.splice(0).slice(1) });
    }
  }

  settleCall(json) {
    for (const ended of [JSON.parse(json)].flat()) this.#enter("settleCall", ended);
    return true;
  }

  approve(json) {
    this.#enter("approve", JSON.parse(json));
    this.approved?.(JSON.parse(json));
    return true;
  }

  deny(json) {
    this.#enter("deny", JSON.parse(json));
    return true;
  }

  hold(json) {
    for (const { toolCallId } of [JSON.parse(json)].flat()) this.#enter("hold", toolCallId);
    return true;
  }

  editQueued(json) {
    const input = JSON.parse(json);
    this.#enter("editQueued", input);
    const run = this.#queue.find((run) => run.name === input.runId);
    if (!run) return false;
    run.input = input;
    this.#showQueue();
    return true;
  }

  save() {
    this.#enter("save");
    return JSON.stringify({ v: 1, threadId: this.options.threadId, messages: [], state: {}, handled: ["kept"] });
  }

  record() {
    const { messages: _messages, state: _state, ...record } = JSON.parse(this.save());
    return JSON.stringify(record);
  }

  saved(json) {
    const number = Number(json);
    this.#waiting.get(number)?.();
    this.#waiting.delete(number);
  }

  restore(json) {
    if (Session.refuseSave) throw Session.refuseSave;
    this.restored = JSON.parse(json);
    const { messages, state } = this.restored;
    this.#length = messages.length;
    this.patch(["o", ["messages"], messages], ["=", ["state"], state]);
  }

  fork(json) {
    this.reset("{}");
    this.restore(json);
  }

  editMessages(json) {
    const { before: from, after: to } = JSON.parse(json);
    this.#enter("editMessages", from, to);
    this.#length = to.length;
    this.patch(["o", ["messages"], to.map((message) => (typeof message === "number" ? [message, message + 1] : message))]);
    this.host.changed(true);
  }

  editState(json) {
    const { before: from, after: to } = JSON.parse(json);
    this.#enter("editState", from, to);
    const edit = (path, old, value) => {
      if (![old, value].every((part) => typeof part === "object" && part && !Array.isArray(part))) return this.patch(["=", path, value]);
      for (const key of Object.keys(old)) if (!(key in value)) this.patch(["-", [...path, key]]);
      for (const key of Object.keys(value)) edit([...path, key], old[key], value[key]);
    };
    edit(["state"], from, to);
    this.host.changed(true);
  }

  listen(json) {
    this.events = JSON.parse(json).events;
  }

  reset(json) {
    const { messages, state } = JSON.parse(json);
    this.#enter("reset", { messages, state });
    if (this.#running) this.finish("aborted");
    if (messages) this.#length = messages.length;
    if (messages) this.patch(["=", ["messages"], messages]);
    if (state !== undefined) this.patch(["=", ["state"], state]);
    this.host.changed(true);
  }

  takePatch() {
    if (this.disposed) throw new Error("disposed");
    this.#throw("takePatch");
    if (!this.#operations.length) return undefined;
    if (this.parted) {
      const operation = this.#operations.shift();
      return JSON.stringify({ steps: [[[operation], this.#operations.length ? 0 : 1]], path: [] });
    }
    const patch = JSON.stringify(this.#operations);
    this.#operations = [];
    return patch;
  }

  dispose() {
    this.#enter("dispose");
    this.disposed = true;
    if (this.#running) this.#settle(this.#running, { outcome: "aborted" });
  }

  free() {
    if (this.freed) throw new Error("freed twice");
    this.freed = true;
  }

  // Methods for a test.

  patch(...operations) {
    this.#operations.push(...operations);
  }

  changed(urgent = false) {
    this.host.changed(urgent);
  }

  /** Traps in a callback that the platform calls. */
  trap() {
    this.driver.enter(() => {
      throw trap();
    });
  }

  /** Adds an assistant's message and appends to it. */
  say(...texts) {
    const path = ["messages", this.#length];
    this.patch(["=", path, { id: `answer-${this.#length}`, role: "assistant", content: "", delivery: "streaming" }]);
    this.#length++;
    for (const text of texts) this.patch(["+", [...path, "content"], text]);
    this.changed();
  }

  /** Ends the run in progress. */
  finish(outcome = "success", more = {}) {
    const run = this.#running;
    this.#running = undefined;
    const failed = outcome === "error" || outcome === "truncated";
    this.patch(["=", ["status"], failed ? "error" : "idle"], ["=", ["isLoading"], false], ["=", ["outcome"], outcome]);
    this.patch(more.error ? ["=", ["error"], more.error] : ["-", ["error"]]);
    this.#settle(run, { outcome, ...more });
    if (!this.disposed) this.changed(true);
    const next = this.#queue.shift();
    if (!next) return;
    this.#showQueue();
    this.#start(next);
  }

  #effect(name, args) {
    const [list, rest] = effects[name]?.(...args) ?? [args];
    this.#effects.push(JSON.stringify([name, ...list]) + (rest === undefined ? "" : `\n${rest}`));
    if (!this.#calls) this.driver?.enter();
  }

  #enter(name, ...given) {
    if (this.disposed) throw new Error("disposed");
    this.calls.push([name, ...given]);
    this.#throw(name);
  }

  #throw(name) {
    const error = this.throws[name];
    delete this.throws[name];
    if (error) throw error;
  }

  #run(input) {
    const run = { name: input.runId, input };
    if (!this.#running) this.#start(run);
    else if (input.ifBusy === "reject") throw Object.assign(new Error("busy"), { name: "AgentMisuse", code: "busy" });
    else if (input.ifBusy === "drop") this.#settle(run, { outcome: "dropped" });
    else if (input.ifBusy === "replace") {
      this.finish("aborted");
      this.#start(run);
    } else {
      this.#queue.push(run);
      this.#showQueue();
    }
  }

  #showQueue() {
    const shown = this.#queue.map(({ input: { runId, messages } }) => ({ id: runId, runId, messages }));
    this.patch(["~", ["queue"], shown]);
    this.host.changed(true);
  }

  #start(run) {
    this.#running = run;
    const { runId, messages, state } = run.input;
    for (const message of messages) this.patch(["=", ["messages", this.#length++], message]);
    if (state !== undefined) this.patch(["=", ["state"], state]);
    this.patch(["=", ["runId"], runId], ["=", ["status"], "running"], ["=", ["isLoading"], true], ["-", ["error"]]);
    this.patch(["-", ["outcome"]]);
    this.changed(true);
    this.#keep(() => void this.#request(runId));
  }

  /** Has a save written, if anybody keeps them; then does what waits for it. */
  #keep(then) {
    if (!this.options.saves) return then();
    this.#waiting.set(++this.#saves, then);
    this.host.save(this.#saves, this.save());
  }

  async #request(runId) {
    try {
      const { url, headers, fetch } = await this.host.request(false, runId, undefined);
      await fetch?.(url, { headers });
    } catch (error) {
      // A page whose agent is gone refuses.
      if (!this.disposed) throw error;
    }
  }

  /** A run that nobody has asked for, after a result that was given by hand. */
  settleAlone(result) {
    this.#keep(() => {});
    this.host.settled("", JSON.stringify(result));
  }

  #settle({ name, input, with: more = [] }, result) {
    if (!this.disposed) this.#keep(() => {});
    for (const each of [name, ...more.map((other) => other.name)]) {
      this.host.settled(each, JSON.stringify({ runId: input.runId, ...result }));
    }
  }
}

/** Throws the error of a WebAssembly trap. */
export function trap() {
  return new WebAssembly.RuntimeError("unreachable");
}

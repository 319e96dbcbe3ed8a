// The origin that pages share of tabs.mjs: a store, locks, channels and a server. All that it says comes when the play lets it come.

import { load, storeOf } from "./lib.mjs";
import { Runs } from "./origin-runs.mjs";
import { socketsOf, sourcesOf } from "./origin-sockets.mjs";

const { openEarly, loadSaves } = await load("persistence/open");
const openSaves = await loadSaves();

/** Messages that a page of the server's thread has. */
const pageLength = 6;

let origins = 0;

/** The events of a run that answers this message, each with the message that stands in the thread from then on. */
function answerTo({ id, content }, run) {
  const messageId = `after ${id}`;
  const said = String(Array.isArray(content) ? content[0].text : content).split(" ")[0];
  const toolCallName = { call: "count", ask: "ask", fill: "fill" }[said];
  const says = [
    [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }],
    [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta: `Heard ${id}` }],
    [{ type: "TEXT_MESSAGE_END", messageId }, { id: messageId, role: "assistant", content: `Heard ${id}` }],
  ];
  // A person fills in two things.
  const ids = said === "fill" ? [`call ${id} a`, `call ${id} b`] : [`call ${id}`];
  const toolCalls = ids.map((toolCallId) => ({ id: toolCallId, type: "function", function: { name: toolCallName, arguments: "{}" } }));
  const calls = ids.flatMap((toolCallId, at) => [
    [{ type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: messageId }],
    [{ type: "TOOL_CALL_ARGS", toolCallId, delta: "{}" }],
    [{ type: "TOOL_CALL_END", toolCallId }, ...(at === ids.length - 1 ? [{ id: messageId, role: "assistant", toolCalls }] : [])],
  ]);
  // It asks a person one thing or two, and goes on once it has heard of all.
  const interrupts = [`${id} a`, `${id} b`].slice(0, 1 + (Number(id.slice(1)) % 2)).map((name) => ({ id: name, reason: "confirmation" }));
  const outcome = said === "question" && { outcome: { type: "interrupt", interrupts } };
  return [[{ type: "RUN_STARTED", ...run }], ...(toolCallName ? calls : says), [{ type: "RUN_FINISHED", ...run, ...outcome }]];
}

/** The message that a run is to answer: its results, where it follows on those. */
const saidIn = (messages, runId) => (/-\d+$/.test(runId) && messages.findLast(({ role }) => role === "tool")) || messages.at(-1);

/** The shared parts of an origin's pages: a store, locks, channels and a server. */
export class Origin {
  saved = undefined;
  record = undefined;
  /** The letters of pages that did not have the store. */
  inbox = undefined;
  /** Saves are refused, as it happens; records are not. */
  full = false;
  /** So are records that have what an agent has said. */
  cramped = false;
  requests = [];
  /** The replies to interrupts, as they came. */
  replies = [];
  executed = [];
  /** The results that were saved. */
  results = new Set();
  /** The pages that had the lock, one after the other. */
  owners = [];
  /** The server's thread, where it keeps one, and whether it can be asked for it. */
  thread = [];
  reachable = false;
  /** Requests are refused, and runs fail, as it happens. */
  faulty = false;
  /** The edits that requests have to have, where they have the whole thread. */
  edits = undefined;
  /** Pages stand still at times. */
  freezes = false;
  /** How often something was asked for again. */
  retries = 0;
  /** Runs that were sent before the thread was opened. */
  early = [];
  /** The connections that may be lost, where there is no server that keeps runs. */
  #connections = new Set();
  /** The sockets that are open, and how many there were. */
  sockets = new Set();
  sessions = 0;
  /** The runs that nobody has asked for, and a page has heard to their end. */
  heard = [];
  #locks = new Map();
  channels = new Set();

  constructor(outside, slow, by) {
    this.outside = outside;
    this.slow = slow;
    /** The server's runs, where it keeps them. */
    this.runs = by && new Runs(outside, by, (message) => this.keep(message));
    this.name = `store ${++origins}`;
  }

  /** The part of a page in it. Once the page is dead, nothing comes from there, and nothing gets there. */
  page(name) {
    // A name that no page of another seed has: to the package, pages are one module.
    const page = { name, dead: false, key: `${name}|${this.name}`, free: new Set(), unread: new Set() };
    page.die = () => {
      page.dead = true;
      for (const channel of this.channels) if (channel.page === page) this.channels.delete(channel);
      for (const free of page.free) free();
    };
    return page;
  }

  store(page, { ordered, full, records = full, code, inbox, unread }) {
    const { outside } = this;
    /** The code that writes stores comes to the page. */
    const coming = () => (page.code ??= new Promise((resolve) =>
      outside.later(`${page.name} has the code`, {}, () => {
        if (page.dead) return;
        page.early = false;
        resolve(openSaves);
      })
    ));
    page.early ??= !!code;
    const asked = (what, action) => {
      if (!this.slow) return page.dead ? undefined : action();
      return new Promise((resolve) => {
        const line = /save|record/.test(what) && ordered ? `${page.name} saves` : {};
        outside.later(`${page.name} ${what}`, line, () => page.dead || resolve(new Promise((done) => done(action()))));
      });
    };
    /** One of its two texts, which cannot be read at times. */
    const read = (name) => {
      page.unread.delete(name);
      if (unread && !this.reachable && outside.pick(3) === 0) {
        outside.note(`${page.name} cannot read the store`);
        page.unread.add(name);
        throw new Error("blocked");
      }
      return structuredClone(this[name]);
    };
    const store = storeOf({
      key: page.key,
      ordered,
      load: () => asked("load", () => read("saved")),
      save: (saved) =>
        asked("save", () => {
          if (this.full && outside.pick(2)) {
            outside.note(`${page.name} is not saved`);
            throw new Error("full");
          }
          outside.note(
            `${page.name} saved ${saved.messages.map(({ id }) => id)} queue ${
              saved.queue.map(({ messages }) => messages.map(({ id }) => id))
            } ${saved.running}`,
          );
          this.saved = saved;
          for (const { role, id } of saved.messages) if (role === "tool") this.results.add(id);
        }),
      clear: () => asked("clear", () => (this.saved = undefined)),
      ...(records && {
        record: {
          load: () => asked("load", () => read("record")),
          save: (record) =>
            asked("record", () => {
              if (this.cramped && record.messages.some(({ role }) => role === "assistant") && outside.pick(2)) throw new Error("full");
              outside.note(`${page.name} records ${record.handled} run ${record.runId} ${record.running} queue ${record.queue.map(({ runId }) => runId)}`);
              this.record = JSON.parse(JSON.stringify(record));
              for (const { role, id } of record.messages) if (role === "tool") this.results.add(id);
            }),
        },
      }),
      ...(inbox && {
        inbox: {
          load: () => page.dead ? {} : structuredClone(this.inbox),
          save: (letters) => {
            if (page.dead) return;
            outside.note(`${page.name} has in the inbox ${Object.values(letters).map(([, queue, acts]) => [queue.map(({ runId }) => runId), acts].flat())}`);
            this.inbox = JSON.parse(JSON.stringify(letters));
          },
        },
      }),
    });
    return code ? { ...store, open: (...thread) => (page.early ? openEarly(coming, ...thread) : store.open(...thread)) } : store;
  }

  /** navigator.locks, for all pages: the name of a lock says whose call it is. */
  locks(pages) {
    const wait = (what) => new Promise((resolve) => this.outside.later(what, {}, resolve));
    const take = async (page, name, callback) => {
      const end = () => {
        if (!page.free.delete(end)) return;
        const line = this.#locks.get(name);
        const next = line.shift();
        if (next) next();
        else this.#locks.delete(name);
      };
      page.free.add(end);
      if (page.dead) return end();
      // The browser gives it also to a page that stands still.
      if (this.freezes) await wait(`${page.name} gets the lock`);
      if (page.dead) return;
      this.outside.note(`${page.name} has the lock`);
      this.owners.push(page);
      const result = await callback({ name });
      await wait(`${page.name} frees the lock`);
      end();
      return result;
    };
    const pending = new Set();
    return {
      // Each page has a name of its own for the store.
      query: async () => ({
        pending: [...pending].some(({ page }) => !page.dead) ? [...pages.values()].map(({ key }) => ({ name: `ag-ui-wasm:${key}` })) : [],
      }),
      request: async (asked, options, callback = options) => {
        const [, pageName, name] = /^ag-ui-wasm:(.*)\|(.*)$/.exec(asked);
        const page = pages.get(pageName);
        const waits = { page };
        pending.add(waits);
        await wait(`${page.name} asks for the lock`);
        if (page.dead) return new Promise(() => {});
        if (this.#locks.has(name)) await new Promise((resolve) => this.#locks.get(name).push(resolve));
        else this.#locks.set(name, []);
        pending.delete(waits);
        return take(page, name, callback);
      },
    };
  }

  /** BroadcastChannel, for all pages. */
  channel(pages) {
    const origin = this;
    return class {
      constructor(asked) {
        const [, pageName, name] = /^ag-ui-wasm:(.*)\|(.*)$/.exec(asked);
        this.page = pages.get(pageName);
        this.name = name;
        if (!this.page.dead) origin.channels.add(this);
      }
      postMessage(data) {
        if (this.page.dead) return;
        for (const other of origin.channels) {
          if (other === this || other.name !== this.name) continue;
          origin.outside.later(`${other.page.name} hears ${data} of ${this.page.name}`, other, () => origin.channels.has(other) && other.onmessage?.({ data }));
        }
      }
      close() {
        origin.channels.delete(this);
      }
    };
  }

  /** The server's part of the thread before that message, a page of it, when it answers; it may fail. */
  stored(page, before, signal) {
    return new Promise((resolve, reject) => {
      if (page.dead) return;
      signal?.addEventListener("abort", () => reject(signal.reason));
      this.outside.later(`${page.name} hears the thread`, {}, () => {
        if (page.dead) return;
        if (!this.reachable && this.outside.pick(3) === 0) {
          this.outside.note(`${page.name} does not hear the thread`);
          return reject(new Error("no network"));
        }
        const at = before === undefined ? this.thread.length : this.thread.findIndex(({ id }) => id === before);
        const messages = structuredClone(this.thread.slice(Math.max(0, at - pageLength), at));
        this.outside.note(`${page.name} is told ${messages.map(({ id }) => id)}`);
        page.told = true;
        resolve({ messages, older: at > pageLength });
      });
    });
  }

  /** The same, as an answer to a request without messages: all of it. */
  async hydrated(page, { threadId, runId }, signal) {
    const { thread } = this;
    await this.stored(page, undefined, signal);
    const run = { threadId, runId };
    const events = [{ type: "RUN_STARTED", ...run }, { type: "MESSAGES_SNAPSHOT", messages: thread }, { type: "RUN_FINISHED", ...run }];
    return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
  }

  /** The same, as its runs, which the page may go on hearing. */
  async #repeat(page, signal) {
    this.outside.note(`${page.name} connects`);
    if (!this.reachable && this.outside.pick(4) === 0) await this.stored(page, undefined, signal);
    page.told = true;
    return this.runs.repeat(page, signal);
  }

  /** The server keeps what it has not got. */
  keep(...messages) {
    const known = new Set(this.thread.map(({ id }) => id));
    this.thread.push(...structuredClone(messages.filter(({ id }) => !known.has(id))));
  }

  /** One of the connections is lost, perhaps of that page. */
  cut(of) {
    const open = [...(this.runs?.open ?? this.#connections), ...this.sockets].filter(({ page }) => !page.dead && (of ?? page) === page);
    const connection = open[this.outside.pick(open.length || 1)];
    if (!connection) return;
    const { page } = connection;
    this.outside.note(`${page.name} loses ${connection.runId ?? connection.name}`);
    // One that stands still learns of it as it comes back.
    if (this.outside.frozen.has(page.name)) this.outside.later(`${page.name} hears of that`, {}, () => page.dead || connection.cut());
    else connection.cut();
  }

  /** The server takes an input. Returns the steps of its answer. */
  #take(page, input) {
    const { threadId, runId, messages, replies } = input;
    this.edits?.look(page, input);
    const [reply] = replies;
    // A run that was stopped leaves its part of an answer: the next answer is another one.
    const before = reply && this.replies.filter(({ interruptId }) => interruptId === reply.interruptId).length;
    const last = reply ? { id: `reply ${reply.interruptId}${".".repeat(before)}`, content: "say" } : saidIn(messages, runId);
    this.outside.note(`${page.name} sends ${runId}: ${messages.map(({ id }) => id)} ${replies.map(({ interruptId }) => interruptId)}`);
    this.replies.push(...replies.map((one) => ({ ...one, page })));
    this.requests.push({ runId, last: last.id, messages, replies });
    return answerTo(last, { threadId, runId });
  }

  /** The class of this page's sockets. */
  socket(page, rough) {
    return socketsOf(this, page, ({ resume: replies = [], ...input }) => this.#take(page, { ...input, replies }), rough);
  }

  /** The class of this page's event sources, and the fetch beside them. */
  source(page) {
    return sourcesOf(this.socket(page), page, this.outside);
  }

  /** The server says something over one of its sockets that nobody has asked for. */
  speak(id) {
    const open = [...this.sockets].filter(({ page }) => !page.dead);
    const socket = open[this.outside.pick(open.length || 1)];
    if (!socket) return;
    this.outside.note(`${socket.name} of ${socket.page.name} says ${id}`);
    const told = answerTo({ id, content: "say" }, { threadId: "t", runId: `run ${id}` });
    socket.say(told, () => this.heard.push({ id, page: socket.page }));
  }

  /** The server takes a message for the run that is in progress, or does not; and has something to say to it, or nothing. */
  #steer(page, run, messages, resolve) {
    const { runId } = run;
    const ids = messages.map(({ id }) => id);
    const answer = (what, answered) => this.outside.later(`${page.name} ${what} ${ids}`, {}, () => page.dead || resolve(answered));
    if (this.outside.pick(3) === 0) return answer("is not taken with", new Response("busy", { status: 409 }));
    this.outside.note(`${page.name} sends ${runId}: ${ids} for ${run.parentRunId}`);
    this.requests.push({ runId, last: ids.at(-1), messages, replies: [] });
    this.keep(...messages);
    const told = answerTo(messages.at(-1), run);
    const steps = this.outside.pick(2) ? told : [told[0], told.at(-1)];
    for (const [, message] of steps) if (message) this.keep(message);
    const text = steps.map(([event]) => `data: ${JSON.stringify(event)}\n\n`).join("");
    answer("hears the answer to", new Response(text, { headers: { "content-type": "text/event-stream" } }));
  }

  /** A server that answers what is said, and has the page's tool called where it is asked to. */
  fetch(page, keeps) {
    return (url, { body, headers, signal }) =>
      new Promise((resolve, reject) => {
        if (page.dead) return;
        if (String(url).endsWith("/thread")) return this.#repeat(page, signal).then(resolve, reject);
        const joined = this.runs?.find(url, headers);
        if (joined) {
          this.outside.note(`${page.name} joins ${joined[0]?.runId} from ${joined[1]}`);
          return resolve(this.runs.listen(page, ...joined, signal));
        }
        const { threadId, runId, messages, state, parentRunId, resume: replies = [] } = JSON.parse(body);
        if (parentRunId !== undefined) return this.#steer(page, { threadId, runId, parentRunId }, messages, resolve);
        const known = this.runs?.named(runId);
        if (known) return resolve(this.runs.listen(page, known, 0, signal));
        if (keeps && !messages.length && !replies.length) return resolve(this.hydrated(page, { threadId, runId }, signal));
        const fails = this.faulty && !this.reachable && this.outside.pick(3) === 0;
        const refuse = () => page.dead || resolve(new Response("busy", { status: 503 }));
        if (fails && this.outside.pick(2)) return this.outside.later(`${page.name} is refused ${runId}`, {}, refuse);
        if (keeps) {
          if (!page.told && !page.stopped) this.early.push(runId);
          this.keep(...messages);
        }
        const told = this.#take(page, { threadId, runId, messages, state, replies });
        const steps = fails ? [...told.slice(0, 2), [{ type: "RUN_ERROR", message: "failed" }]] : told;
        // The beginning of a run has what was said to it.
        if (keeps && this.runs) told[0][0].input = { threadId, runId, messages };
        if (this.runs) return resolve(this.runs.listen(page, this.runs.begin(runId, steps), 0, signal));
        let controller;
        let open = true;
        const stream = new ReadableStream({ start: (made) => void (controller = made) });
        const end = (reason) => {
          if (open) controller.error(reason);
          open = false;
          this.#connections.delete(connection);
          reject(reason);
        };
        const connection = { page, runId, cut: () => end(new TypeError("The network is gone")) };
        this.#connections.add(connection);
        signal?.addEventListener("abort", () => end(signal.reason));
        const say = (what, action) => this.outside.later(`${page.name} ${runId} ${what}`, stream, () => page.dead || !open || action());
        say("answers", () => resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } })));
        for (const [event, message] of steps) {
          say(event.type, () => {
            if (message) this.keep(message);
            controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
          });
        }
        say("ends", () => {
          open = false;
          this.#connections.delete(connection);
          controller.close();
        });
      });
  }
}

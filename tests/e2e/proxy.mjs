/**
 * A network that fails as it is told to: it stands between a page and the demo's server. Agents are asked at `/agent/…`,
 * everything else is a file of the pages that the test gives.
 *
 * It keeps the whole answer to a run and numbers its frames, so a request with `Last-Event-ID` gets what comes after. At
 * `/agent/join/{by}/{runId}` a run is joined in one of the other ways: `replay` from its beginning, `snapshot` with the
 * messages as they were two frames after the cut, `prelude` with RUN_STARTED and the START of what is open around them.
 * A request meets the next of the faults that were planned, or none:
 *
 * | fault | what happens |
 * | --- | --- |
 * | `{ bytes: n, then: "stall" }` | after so many bytes nothing comes, until the test calls `cut()` or `go()` of the request |
 * | `{ bytes: n, then: "cut" }` | after so many bytes the connection breaks |
 * | `{ overlap: n }` | the answer begins so many frames too early, so they come twice |
 * | `{ status: 401 }` | the request is refused |
 * | `{ drop: true }` | the connection breaks without an answer; a browser may ask again by itself |
 */
import { once } from "node:events";
import { createServer } from "node:http";

/** One request for an agent, as the server knows it. */
class Request {
  #response;
  #goOn;
  #mayGoOn = new Promise((resolve) => (this.#goOn = resolve));
  #stall;

  constructor({ method, headers, url }, response, body) {
    this.#response = response;
    this.method = method;
    this.body = body;
    const [, by, joined] = /^\/agent\/join\/([^/]+)\/(.+)$/.exec(url) ?? [];
    this.by = by;
    this.runId = body.runId ?? joined;
    this.lastEventId = headers["last-event-id"];
    this.authorization = headers.authorization;
    /** Settles when the answer stands still: the id of the last frame that is whole, and the text that was told until then. */
    this.stalled = new Promise((resolve) => (this.#stall = resolve));
    /** The connection has ended, from either side. */
    this.closed = once(response, "close");
  }

  /** Settles when the page has left before it had everything. */
  async left() {
    await this.closed;
    if (this.#response.writableEnded || this.wasCut) throw new Error("The page did not leave: it was the server that ended this.");
  }

  /** Lets a stalled answer continue. */
  go() {
    this.#goOn();
  }

  /** Breaks the connection. */
  cut() {
    this.wasCut = true;
    this.#response.destroy();
  }

  async answer(run, { bytes = Infinity, then, overlap = 0 }, over) {
    const response = this.#response;
    const { log } = run;
    let from = Math.max(0, Number(this.lastEventId ?? 0) - overlap);
    let opening = [];
    if (this.by === "replay") from = 0;
    else if (this.by) [opening, from] = stands(run, this.by === "prelude");
    const frames = log.slice(from).map((data, at) => `id: ${from + at + 1}\n${data}\n\n`);
    const whole = Buffer.from([...opening.map((event) => `data: ${JSON.stringify(event)}\n\n`), ...frames].join(""));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    await new Promise((resolve) => response.write(whole.subarray(0, bytes), resolve));
    if (then === "cut") return this.cut();
    if (then === "stall") {
      const last = from + whole.subarray(0, bytes).toString().split("\n\n").length - 1;
      run.told = last;
      const events = log.slice(0, last).map((data) => JSON.parse(data.slice("data: ".length)));
      this.#stall({ last: String(last), text: events.map(({ delta }) => delta ?? "").join("") });
      await Promise.race([this.#mayGoOn, this.closed]);
    }
    over(); // before the page can know of it
    if (!response.destroyed) response.end(whole.subarray(bytes));
  }
}

/** How a run stands two frames after it was cut, for a page that joins; and the frame with which it continues. */
function stands({ log, input, told }, prelude) {
  const from = Math.min(told + 2, log.length - 1);
  const messages = new Map(input.messages.map((message) => [message.id, message]));
  let open = [];
  const events = log.slice(0, from).map((data) => JSON.parse(data.slice("data: ".length)));
  for (const event of events) {
    const id = event.messageId;
    if (event.type === "TEXT_MESSAGE_START") {
      messages.set(id, { id, role: "assistant", content: "" });
      open.push(event);
    }
    if (event.type === "TEXT_MESSAGE_CONTENT") messages.get(id).content += event.delta;
    if (event.type === "TEXT_MESSAGE_END") open = open.filter(({ messageId }) => messageId !== id);
  }
  const snapshot = { type: "MESSAGES_SNAPSHOT", messages: [...messages.values()] };
  return [prelude ? [events[0], snapshot, ...open] : [snapshot], from];
}

/**
 * @param {string} target the demo's server
 * @param {(request, response) => void} serve answers what is no agent's
 */
export async function startProxy(target, serve) {
  const runs = new Map();
  let [requests, faults, open, most] = [[], [], 0, 0];
  let down = false;
  let heard = () => {};

  const record = async (path, body) => {
    const answer = await fetch(`${target}${path}`, { method: "POST", body: JSON.stringify(body) });
    return { log: (await answer.text()).split("\n\n").filter(Boolean), input: body, told: 0 };
  };

  const handle = async (request, response) => {
    const chunks = await request.toArray();
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    const asked = new Request(request, response, body);
    const fault = faults.shift() ?? {};
    requests.push(asked);
    open += 1;
    most = Math.max(most, open);
    let on = true;
    const over = () => {
      if (on) open -= 1;
      on = false;
    };
    asked.closed.then(over);
    heard();
    if (fault.drop || down) return asked.cut();
    if (fault.status) {
      over();
      return response.writeHead(fault.status, { "content-type": "application/json" }).end('{"error":"refused"}');
    }
    if (!runs.has(asked.runId)) runs.set(asked.runId, await record(request.url, body));
    return asked.answer(runs.get(asked.runId), fault, over);
  };

  const server = createServer((request, response) => {
    if (!request.url.startsWith("/agent/")) return serve(request, response);
    return void handle(request, response).catch((error) => response.destroy(error));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Every request for an agent since `plan`. */
    get requests() {
      return requests;
    },
    /** How many requests were answered at the same time, at most. */
    get most() {
      return most;
    },
    /** Forgets what was, and says what the next requests meet. */
    plan(...next) {
      [requests, faults, most] = [[], next, open];
    },
    /** Whether the agent can be reached. When it cannot, everybody who was reading has lost it. */
    reachable(yes) {
      down = !yes;
      if (down) { for (const request of requests) request.cut(); }
    },
    /** The request of this number, the first being 1; waits for it. */
    async request(number) {
      while (requests.length < number) await new Promise((resolve) => (heard = resolve));
      return requests[number - 1];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

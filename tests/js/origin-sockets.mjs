// The sockets of a server whose sessions stay open for many runs: it answers one message after the other, may say something of itself,
// and forgets a session that is lost.

/**
 * The class of a page's sockets. `answer`: the steps of the answer to an input, each an event, and the message that is whole with it. `rough`: the
 * server repeats the bounds of a run at times, and keeps its end to itself.
 */
export function socketsOf(origin, page, answer, rough) {
  const { outside } = origin;
  return class PlayedSocket {
    readyState = 0;
    constructor() {
      this.page = page;
      this.name = `socket ${++origin.sessions}`;
      outside.note(`${page.name} asks for ${this.name}`);
      this.#later("opens", () => {
        if (!origin.reachable && outside.pick(6) === 0) return this.cut();
        this.readyState = 1;
        origin.sockets.add(this);
        this.onopen();
      });
    }
    #later(what, action) {
      outside.later(`${page.name} ${this.name} ${what}`, this, () => page.dead || this.readyState > 1 || action());
    }
    /** The server says this, one event after the other. */
    say(steps, whole = () => {}) {
      for (const [event, message] of steps) {
        const isBoundary = /^RUN_/.test(event.type);
        const isLast = event === steps.at(-1)[0];
        // The first of an answer is never lost: nobody could say where it begins.
        const times = rough && isBoundary && !origin.reachable ? [1, 1, 2, isLast ? 0 : 1][outside.pick(4)] : 1;
        for (let time = 0; time < times; time++) {
          this.#later(event.type, () => {
            if (message) origin.keep(message);
            this.onmessage({ data: JSON.stringify(event) });
            if (isLast) whole();
          });
        }
      }
    }
    send(text) {
      if (page.dead) return;
      const input = JSON.parse(text);
      const { runs } = origin;
      if (!runs) return this.say(answer(input));
      const { runId, forwardedProps: { lastSeenEventId } = {} } = input;
      const known = runs.named(runId);
      this.#follow(known ?? runs.begin(runId, answer(input)), known && lastSeenEventId !== undefined ? Number(lastSeenEventId) + 1 : 0);
    }
    /** Says what the server comes to in that run, from an event on. */
    #follow(run, from) {
      outside.note(`${page.name} hears ${run.runId} from ${from} over ${this.name}`);
      const send = (at) => this.#later(`${at} ${run.told[at].type}`, () => this.onmessage({ data: JSON.stringify({ ...run.told[at], seq: at }) }));
      for (const other of run.listeners) if (other.socket === this) run.listeners.delete(other);
      run.listeners.add({ send, socket: this });
      for (let at = from; at < run.told.length; at++) send(at);
    }
    /** The network loses it. */
    cut() {
      if (this.readyState > 1) return;
      this.close();
      this.onclose({ code: 1006, reason: "" });
    }
    close() {
      this.readyState = 3;
      origin.sockets.delete(this);
    }
  };
}

/**
 * The class of a page's event sources, and the `fetch` that takes the messages beside them: each source is such a session, which the platform opens anew
 * once it is lost.
 */
export function sourcesOf(Socket, page, outside) {
  let last;
  class PlayedSource {
    readyState = 0;
    listeners = {};
    constructor() {
      last = this;
      this.#open();
    }
    #open() {
      this.socket = new Socket();
      this.socket.onopen = () => {
        this.readyState = 1;
        this.onopen();
      };
      this.socket.onmessage = ({ data }) => this.listeners.message({ type: "message", data, lastEventId: "" });
      this.socket.onclose = () => {
        this.readyState = 0;
        this.onerror();
        if (this.readyState === 0) this.#open();
      };
    }
    addEventListener(name, listener) {
      this.listeners[name] = listener;
    }
    close() {
      this.readyState = 2;
      this.socket.close();
    }
  }
  const post = (_, { body }) =>
    new Promise((resolve) => {
      const { socket } = last;
      outside.later(`${page.name} posts beside ${socket.name}`, socket, () => {
        const takes = !page.dead && socket.readyState === 1;
        if (takes) socket.send(body);
        resolve(new Response(null, { status: takes ? 204 : 503 }));
      });
    });
  return { PlayedSource, post };
}

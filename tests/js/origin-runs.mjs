// The runs of a server that keeps them: each goes on in its own time, whoever listens, and is joined again after a connection was lost.

/** How an agent joins a run of such a server: from where it was read to (`run-url`, `socket-cursor`), or from its beginning (`replay`). */
export const joining = (by, connects) =>
  connects
    ? { by, url: "http://host/thread", method: "POST" }
    : by === "socket-cursor"
    ? { by, path: "seq" }
    : ({ by, url: (runId) => `http://host/runs/${encodeURIComponent(runId)}` });

/** The runs of a server, by their ids. */
export class Runs {
  #runs = new Map();
  /** The connections that may be lost. */
  open = new Set();

  /** `keep` is called with each message that is whole. */
  constructor(outside, by, keep) {
    Object.assign(this, { outside, by, keep });
  }

  /** `steps`: its events, some with the message that is whole with it. */
  begin(runId, steps) {
    const run = { runId, told: [], listeners: new Set(), over: false };
    this.#runs.set(runId, run);
    for (const [event, message] of steps) {
      this.outside.later(`${runId} comes to ${event.type}`, run, () => {
        if (message) this.keep(message);
        run.told.push(event);
        run.over = event === steps.at(-1)[0];
        for (const listener of run.listeners) listener.send(run.told.length - 1);
      });
    }
    return run;
  }

  named(runId) {
    return this.#runs.get(runId);
  }

  /** The run of this address, if it is one's, and how much of it the page has heard. */
  find(address, headers) {
    const [, name] = /\/runs\/(.+)$/.exec(address) ?? [];
    const mark = new Headers(headers).get("last-event-id");
    return name && [this.named(decodeURIComponent(name)), mark === null || this.by === "replay" ? 0 : Number(mark) + 1];
  }

  /** A page hears the whole thread, and what comes to its run in progress. */
  repeat(page, signal) {
    const all = [...this.#runs.values()];
    return this.listen(page, all.at(-1), 0, signal, all.slice(0, -1));
  }

  /** A page hears the run from an event on, after `earlier` runs. */
  listen(page, run, from, signal, earlier = []) {
    if (!run) return Promise.resolve(new Response("no such run", { status: 404 }));
    const { outside } = this;
    return new Promise((resolve, reject) => {
      let controller;
      const hangUp = () => run.listeners.delete(connection) && this.open.delete(connection);
      const stream = new ReadableStream({ start: (made) => void (controller = made), cancel: hangUp });
      const end = (reason) => {
        if (!hangUp()) return;
        if (reason) controller.error(reason), reject(reason);
        else controller.close();
      };
      const say = (what, action) => outside.later(`${page.name} ${what} of ${run.runId}`, stream, () => page.dead || !this.open.has(connection) || action());
      const connection = {
        page,
        runId: run.runId,
        cut: () => end(new TypeError("The network is gone")),
        send: (at, of = run) => {
          const event = of.told[at];
          say(
            `hears ${at} ${event.type} of ${event.runId ?? ""}`,
            () => controller.enqueue(new TextEncoder().encode(`id: ${at}\ndata: ${JSON.stringify(event)}\n\n`)),
          );
          if (run.over && of === run && at === run.told.length - 1) say("hears the end", () => end());
        },
      };
      this.open.add(connection);
      run.listeners.add(connection);
      signal?.addEventListener("abort", () => end(signal.reason));
      say("hears an answer", () => resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } })));
      for (const of of earlier) for (const at of of.told.keys()) connection.send(at, of);
      for (let at = from; at < run.told.length; at++) connection.send(at);
      // It has heard all.
      if (run.over && from >= run.told.length) say("hears the end", () => end());
    });
  }
}

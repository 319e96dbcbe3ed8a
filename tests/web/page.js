// A page for the border's tests. `answer` is the body of an async function of (init, page) that gives the response.
((answer, options) => {
  const respond = new (async () => {}).constructor("init", "page", answer);
  const encode = (text) => new TextEncoder().encode(text);
  const frame = (event) => encode(`data: ${event}\n\n`);
  const log = { request: [], changed: [], settled: [], custom: [], event: [], warning: [], read: [], cancel: [], aborted: [] };
  let waiting = [];
  const note = (name, entry) => {
    log[name].push(entry);
    waiting = waiting.filter(({ done, resolve }) => !done() || resolve());
    if (name !== "read" && name !== "cancel" && name !== "request") page.each?.();
  };
  const until = (done) => new Promise((resolve) => (done() ? resolve() : waiting.push({ done, resolve })));
  let controller;
  let session;
  let open;
  let timer;
  const enter = (entry) => {
    try {
      return entry();
    } finally {
      for (let text; (text = session.effect()) !== undefined;) {
        const [line, rest] = text.split(/\n(.*)/s);
        const [name, ...args] = JSON.parse(line);
        effects[name]?.(...args, rest);
      }
    }
  };
  const send = async (request) => {
    const controller = new AbortController();
    const { signal } = controller;
    const mine = (open = { request, controller, signal });
    try {
      await null;
      if (open !== mine) return;
      const headers = new Headers({ "X-Token": "secret", Accept: "text/html" });
      const init = enter(() => session.init(request, { headers, binary: false }, signal));
      const { method, body } = init;
      mine.signal = init.signal;
      note("request", { method, body, ...Object.fromEntries(init.headers) });
      const response = await respond(init, page);
      const header = (name) => response.headers.get(name) ?? undefined;
      enter(() => session.head(request, response.status, header("content-type") ?? "", header("retry-after")));
      const reader = (mine.reader = response.body?.getReader());
      while (reader) {
        const { done, value } = await reader.read();
        if (done) break;
        session.room(value.length).set(value);
        enter(() => session.read(request, value.length, performance.timeOrigin + performance.now()));
        if (open !== mine) return;
      }
      enter(() => session.end(request));
    } catch ({ message }) {
      enter(() => session.fail(request, message, false));
    }
  };
  const effects = {
    open: (request) => void send(request),
    close: (request) => {
      if (open?.request !== request) return;
      open.reader?.cancel();
      open.controller.abort();
      note("aborted", open.signal.aborted);
      open = undefined;
    },
    changed: (urgent) => note("changed", urgent),
    settled: (name, result) => note("settled", JSON.parse(result)),
    custom: (name, value) => note("custom", [name, value]),
    event: (event) => note("event", event),
    warning: (warning) => note("warning", warning),
    wake: (ms) => {
      clearTimeout(timer);
      if (ms !== undefined) timer = setTimeout(() => page.ask("tick"), ms);
    },
  };
  const page = {
    options: JSON.stringify({
      ...{ threadId: "t", errorBodyBytes: 1e4, queue: 8, depth: 64, history: 0 },
      ...JSON.parse(options),
    }),
    begin: (begun) => void (session = begun),
    /** Calls a method of the session, then performs what follows. */
    ask: (method, json) => enter(() => session.call(method, json)),
    takePatch: () => session.takePatch(),
    /** A response of these events, cut into pieces of so many bytes. */
    stream: (events, size) => {
      const bytes = encode(events.map((event) => `data: ${event}\n\n`).join(""));
      let at = 0;
      const pull = (body) => {
        if (at >= bytes.length) return body.close();
        body.enqueue(bytes.slice(at, at += size));
      };
      return new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/event-stream" } });
    },
    /** A response of these events that stays open. */
    open: (events) => {
      const start = (body) => {
        controller = body;
        for (const event of events) body.enqueue(frame(event));
      };
      const pull = () => note("read", true);
      const cancel = () => note("cancel", true);
      const stream = new ReadableStream({ start, pull, cancel }, { highWaterMark: 0 });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
    push: async (event) => {
      try {
        controller.enqueue(frame(event));
      } catch {
        // Cancelled: it has nowhere to go.
      }
    },
    fail: async (message) => controller.error(new TypeError(message)),
    until: (name) => until(() => log[name].length > 0),
    settled: async (count) => {
      await until(() => log.settled.length >= Number(count));
      return JSON.stringify(log.settled);
    },
    entries: async (name) => JSON.stringify(log[name]),
  };
  return page;
});

// A page for the border's tests. `answer` is the body of an async function of (init, page) that gives the response.
((answer, options) => {
  const respond = new (async () => {}).constructor("init", "page", answer);
  const encode = (text) => new TextEncoder().encode(text);
  const frame = (event) => encode(`data: ${event}\n\n`);
  const log = { request: [], changed: [], settled: [], custom: [], event: [], warning: [], read: [], cancel: [] };
  let waiting = [];
  const note = (name, entry) => {
    log[name].push(entry);
    waiting = waiting.filter(({ done, resolve }) => !done() || resolve());
    if (name !== "read" && name !== "cancel" && name !== "request") page.each?.();
  };
  const until = (done) => new Promise((resolve) => (done() ? resolve() : waiting.push({ done, resolve })));
  let controller;
  let signal;
  let timer;
  const page = {
    options: JSON.stringify({
      ...{ threadId: "t", errorBodyBytes: 1e4, queue: 8, depth: 64, history: 0 },
      ...JSON.parse(options),
    }),
    host: {
      request: async () => ({
        url: "http://agent.test/run",
        headers: { "X-Token": "secret", Accept: "text/html" },
        credentials: "include",
        binary: false,
      }),
      fetch: async ({ url }, init) => {
        const { method, body, credentials } = init;
        signal = init.signal;
        note("request", { url, method, body, credentials, ...Object.fromEntries(init.headers) });
        const { status, headers, body: stream } = await respond(init, page);
        const header = (name) => headers.get(name) ?? undefined;
        return { status, contentType: header("content-type") ?? "", retryAfter: header("retry-after"), reader: stream?.getReader() };
      },
      receive: (reader, body, memory) => {
        const next = () => reader.read().then(come, (error) => body.fail(error));
        const come = ({ done, value }) => {
          if (done) return body.end();
          const at = body.room(value.length);
          new Uint8Array(memory.buffer, at, value.length).set(value);
          if (body.read(value.length, performance.timeOrigin + performance.now())) next();
        };
        next();
      },
      failed: () => {},
      stopRemote: () => {},
      hold: () => {},
      changed: (urgent) => note("changed", urgent),
      settled: (ticket, result) => note("settled", JSON.parse(result)),
      custom: (name, value) => note("custom", [name, value]),
      event: (event) => note("event", event),
      warning: (warning) => note("warning", warning),
      wake: (ms) => {
        clearTimeout(timer);
        if (ms !== undefined) timer = setTimeout(() => page.tick?.(), ms);
      },
      settle: (promise, callback) => void Promise.resolve(promise).then((value) => callback(value, false), (error) => callback(error, true)),
    },
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
    entries: async (name) => JSON.stringify(name === "aborted" ? [signal.aborted] : log[name]),
  };
  return page;
});

// Other ways to an agent than one request with fetch. Each gives what fetch would give, so that the core reads one kind of
// body. Nothing else of the package imports this file: who does not use it does not get it.

import type { AgUiEvent } from "./events.js";
import { at, fetchWith, withParam } from "./request.js";
import type {
  CustomContext,
  CustomInput,
  EventSourceOptions,
  FetchOptions,
  Transport,
  WebSocketOptions,
} from "./types.js";

const encoder = new TextEncoder();
const LINES = "application/x-ndjson";
const BINARY = "application/vnd.ag-ui.event+proto";
const EVENT_STREAM = "text/event-stream";

/**
 * What an agent does by itself with `url`, `headers`, `credentials`, `fetch` and `binary`, as a transport.
 *
 * @example
 * const agent = createAgent({ transport: fetchTransport({ url: "/agent", credentials: "include" }) });
 */
export function fetchTransport(options: FetchOptions): Transport {
  return fetchWith(options);
}

/**
 * Events come over an `EventSource`, which is opened first; the input goes to another address with POST. With the option
 * `resume: { by: "last-event-id" }` a source that is lost is opened again, with `lastEventId` as a parameter.
 *
 * @example
 * const agent = createAgent({
 *   transport: eventSource({ url: (runId) => `/runs/${runId}/events`, submitUrl: "/runs" }),
 *   resume: { by: "last-event-id" },
 * });
 */
export function eventSource(options: EventSourceOptions): Transport {
  const { url, submitUrl, names = [], closeIsEnd = false, EventSource: Source = globalThis.EventSource, ...rest } = options;
  const submit = fetchWith({ ...rest, url: submitUrl ?? "eventsource:" });
  return {
    renews: submit.renews,
    connect: async (request) => {
      const target = await submit.connect({ ...request, resume: false }, undefined);
      const { resume, cursor } = request;
      const plain = String(await at(url, request));
      const from = resume && cursor !== undefined && typeof url !== "function" ? withParam(plain, "lastEventId", cursor) : plain;
      const { fetch: send = globalThis.fetch } = target;
      const open = async (to: string, init: RequestInit): Promise<Response> => {
        const source = new Source(from, { withCredentials: rest.credentials === "include" });
        const events = readSource(source, { names, closeIsEnd }, init.signal ?? undefined);
        await events.opened;
        if (!resume && submitUrl) {
          const answer = await send(to, init).catch((error: unknown) => {
            source.close();
            throw error;
          });
          if (!answer.ok) {
            source.close();
            return answer;
          }
          void answer.body?.cancel().catch(() => {});
        }
        return new Response(events.stream, { headers: { "content-type": EVENT_STREAM } });
      };
      return { ...target, fetch: open as typeof fetch };
    },
  };
}

/** The names that servers give to events; `message`: none. */
const NAMES: readonly ("message" | AgUiEvent["type"])[] = [
  "message",
  ...(["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED"] as const),
  ...(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TEXT_MESSAGE_CHUNK"] as const),
  ...(["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_CHUNK", "TOOL_CALL_RESULT"] as const),
  ...(["STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"] as const),
  ...(["REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT"] as const),
  ...(["REASONING_MESSAGE_END", "REASONING_MESSAGE_CHUNK", "REASONING_END", "REASONING_ENCRYPTED_VALUE"] as const),
  ...(["SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR", "RAW", "CUSTOM"] as const),
];

/** A body that is written from outside. */
interface Body {
  readonly stream: ReadableStream<Uint8Array>;
  write(text: string | Uint8Array): void;
  end(): void;
  /** What was written before is read all the same, which `controller.error` would throw away. */
  fail(error: Error): void;
}

function createBody(cancel: () => void): Body {
  const waiting: Uint8Array[] = [];
  let last: { error?: Error } | undefined;
  let wake: (() => void) | undefined;
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      while (!waiting.length && !last) await new Promise<void>((resolve) => (wake = resolve));
      const next = waiting.shift();
      if (next) controller.enqueue(next);
      else if (last?.error) controller.error(last.error);
      else controller.close();
    },
    cancel: () => {
      last ??= {};
      wake?.();
      cancel();
    },
  });
  const finish = (how: { error?: Error }): void => {
    last ??= how;
    wake?.();
  };
  return {
    stream,
    write: (text) => {
      waiting.push(typeof text === "string" ? encoder.encode(text) : text);
      wake?.();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
  };
}

/** What a source says, as the event stream that it has read. */
function readSource(
  source: EventSource,
  { names, closeIsEnd }: { names: readonly string[]; closeIsEnd: boolean },
  signal: AbortSignal | undefined,
): { opened: Promise<void>; stream: Body["stream"] } {
  const body = createBody(() => source.close());
  const opened = new Promise<void>((resolve, reject) => {
    let id = "";
    const fail = (error: Error): void => {
      // It would connect again by itself; how and when is the agent's to say.
      source.close();
      reject(error);
      body.fail(error);
    };
    let open = false;
    source.onopen = () => {
      open = true;
      resolve();
    };
    signal?.addEventListener("abort", () => fail(new DOMException("aborted", "AbortError")));
    const take = ({ type, data, lastEventId }: MessageEvent<string>): void => {
      resolve();
      const mark = lastEventId && lastEventId !== id ? `id: ${(id = lastEventId)}\n` : "";
      const name = type === "message" ? "" : `event: ${type}\n`;
      body.write(`${mark}${name}data: ${data.split("\n").join("\ndata: ")}\n\n`);
    };
    // A server's own event may have that name; one of the source itself has no data.
    source.onerror = (event) => {
      if (event && typeof (event as MessageEvent<unknown>).data === "string") take(event as MessageEvent<string>);
      else if (!closeIsEnd || !open) fail(new Error("the event source was lost"));
      else {
        source.close();
        body.end();
      }
    };
    for (const name of new Set([...NAMES, ...names])) if (name !== "error") source.addEventListener(name, take as EventListener);
  });
  return { opened, stream: body.stream };
}

/**
 * One WebSocket a run: the input goes as text, events come as text (one JSON text a frame) or as binary frames.
 * Pings, as frames of text, are answered. The server ends the run's stream with the close codes 1000 or 1001; 1008 and 4401
 * mean that it does not accept the credentials; any other is a lost connection. With
 * `resume: { by: "socket-cursor", path }` a socket that is lost is opened again, and sent the input with
 * `forwardedProps.lastSeenEventId`. While the run is on, `agent.send` sends events of the page's over the same socket. An
 * input that is empty, as dialects may have it, is not sent.
 *
 * @example
 * const agent = createAgent({ transport: webSocket({ url: async () => `wss://host/agent?token=${await token()}` }) });
 */
export function webSocket({ url, protocols, WebSocket: Socket = globalThis.WebSocket }: WebSocketOptions): Transport {
  const sockets = new Map<string, WebSocket>();
  return {
    renews: typeof url === "function" || typeof protocols === "function",
    send: (text, { threadId }) => {
      const socket = sockets.get(threadId);
      if (socket?.readyState !== 1) return false;
      socket.send(text);
      return true;
    },
    connect: async (request) => {
      const address = String(await at(url, request));
      const names = await at(protocols, request);
      const open = (_: string, { body, signal }: RequestInit): Promise<Response> => {
        const socket = names === undefined ? new Socket(address) : new Socket(address, names as string | string[]);
        const { threadId } = request;
        sockets.set(threadId, socket);
        const forget = (): void => void (sockets.get(threadId) === socket && sockets.delete(threadId));
        return readSocket(socket, String(body ?? ""), signal ?? undefined, forget);
      };
      return { url: address, method: "POST", fetch: open as unknown as typeof fetch };
    },
  };
}

const PING = /^\s*(?:ping|\{\s*"type"\s*:\s*"ping"[^{}]*\})?\s*$/;
const PONG = /^\s*(?:pong|\{\s*"type"\s*:\s*"pong"[^{}]*\})\s*$/;

/** What comes over a socket, as the body of an answer. Its kind is that of the first frame. */
function readSocket(socket: WebSocket, input: string, signal: AbortSignal | undefined, gone: () => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    let kind: string | undefined;
    let over = false;
    const leave = (): void => {
      over = true;
      gone();
      socket.close(1000);
    };
    const body = createBody(leave);
    const begin = (type: string): void => {
      if (kind) return;
      kind = type;
      resolve(new Response(body.stream, { headers: { "content-type": type } }));
    };
    const fail = (error: Error): void => {
      over = true;
      reject(error);
      body.fail(error);
    };
    const give = (type: string, bytes: string | Uint8Array): void => {
      begin(type);
      if (kind === type) return body.write(bytes);
      leave();
      fail(new Error("the socket gave text and binary events"));
    };
    // Line feeds stand only between the parts of a JSON text.
    const giveLine = (text: string): void => give(LINES, `${text.replace(/[\r\n]+/g, " ")}\n`);

    socket.binaryType = "arraybuffer";
    socket.onopen = () => input && socket.send(input);
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (over) return;
      if (typeof data !== "string") {
        const bytes = new Uint8Array(data);
        // No binary event begins like an object.
        return bytes[0] === 0x7b ? giveLine(new TextDecoder().decode(bytes)) : give(BINARY, framed(bytes));
      }
      if (!PING.test(data) && !PONG.test(data)) return giveLine(data);
      // A sign of life.
      if (kind === LINES) body.write("\n");
      if (data.includes("ping")) socket.send(data.replace("ping", "pong"));
    };
    socket.onclose = ({ code, reason }) => {
      gone();
      if (over) return;
      const why = reason || `the socket was closed with ${code}`;
      if (code === 4401 || code === 1008) {
        if (!kind) resolve(new Response(why, { status: 401 }));
        fail(Object.assign(new Error(why), { status: 401 }));
      } else if (code === 1000 || code === 1001 || code === 1005) {
        // 1005: the server has named none.
        over = true;
        begin(LINES);
        body.end();
      } else fail(new Error(why));
    };
    signal?.addEventListener("abort", () => {
      if (over) return;
      leave();
      fail(new DOMException("aborted", "AbortError"));
    });
  });
}

/** A binary event behind its length, which encoders write and some servers leave to the socket's own frames. */
function framed(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 4 && view.getUint32(0) === bytes.length - 4) return bytes;
  const packet = new Uint8Array(bytes.length + 4);
  new DataView(packet.buffer).setUint32(0, bytes.length);
  packet.set(bytes, 4);
  return packet;
}

/**
 * Events from anywhere: a generator that is called with the input of every run. It yields events, or the bytes or the text
 * of a body in one of the framings that agents answer with.
 *
 * @example
 * const agent = createAgent({
 *   transport: custom(async function* (input, { signal }) {
 *     yield { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
 *     for await (const event of somewhere(input, signal)) yield event;
 *   }),
 * });
 */
export function custom(
  generate: (input: CustomInput, context: CustomContext) => AsyncIterable<AgUiEvent | Uint8Array | string>,
): Transport {
  return {
    connect: (request) => {
      const open = async (_: string, { body, signal }: RequestInit): Promise<Response> => {
        const text = String(body);
        const context = { ...request, body: text, signal: signal! };
        const events = generate(JSON.parse(text) as CustomInput, context)[Symbol.asyncIterator]();
        const first = await events.next();
        let next: Promise<IteratorResult<AgUiEvent | Uint8Array | string>> | undefined = Promise.resolve(first);
        const stream = new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            const { done, value } = await (next ?? events.next());
            next = undefined;
            if (done) controller.close();
            else controller.enqueue(toBytes(value));
          },
          cancel: async () => void (await events.return?.()),
        });
        const raw = typeof first.value === "string" || first.value instanceof Uint8Array;
        // A body that does not say what it is, is read as what it looks like.
        return new Response(stream, { headers: { "content-type": raw ? "application/octet-stream" : LINES } });
      };
      return { url: "custom:", method: "POST", fetch: open as unknown as typeof fetch };
    },
  };
}

function toBytes(value: AgUiEvent | Uint8Array | string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return encoder.encode(typeof value === "string" ? value : `${JSON.stringify(value)}\n`);
}

// Other ways to an agent than one request with fetch. Each gives what fetch would give, so that the core reads one kind of
// body. Nothing else of the package imports this file: who does not use it does not get it.

import { aborted, createBody, encoder, LINES, type WritableBody } from "./body.js";
import type { AgUiEvent } from "../api/events.js";
import type { ChannelSource, OpenWire, WireEvents } from "../api/channel.js";
import { at, fetchWith, withParam } from "./request.js";
import type {
  CustomContext,
  CustomInput,
  EventSourceOptions,
  FetchOptions,
  KeepOpenOptions,
  Transport,
  TransportRequest,
  WebSocketOptions,
} from "../api/types.js";

const BINARY = "application/vnd.ag-ui.event+proto";
const EVENT_STREAM = "text/event-stream";

/**
 * The transport of an agent with `url`, `headers`, `credentials`, `fetch` and `binary`.
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
 *   transport: eventSource({ url: (runId) => `/runs/${encodeURIComponent(runId)}/events`, submitUrl: "/runs" }),
 *   resume: { by: "last-event-id" },
 * });
 */
export function eventSource(options: EventSourceOptions): Transport {
  const { url, submitUrl, names = [], closeIsEnd = false, keepOpen, EventSource: Source = globalThis.EventSource, ...rest } = options;
  const submit = fetchWith({ ...rest, url: submitUrl ?? "eventsource:" });
  const sources = new Map<string, EventSource>();
  const withCredentials = rest.credentials === "include";
  const addressOf = async (request: TransportRequest): Promise<string> => {
    const plain = String(await at(url, request));
    const { resume, cursor } = request;
    return resume && cursor !== undefined && typeof url !== "function" ? withParam(plain, "lastEventId", cursor) : plain;
  };
  /** Posts a body beside the source. */
  const post = async (body: string, request: TransportRequest): Promise<Response> => {
    const { url: to, headers: runHeaders, credentials, fetch: send = globalThis.fetch } = await submit.connect(request, undefined);
    const headers = new Headers(runHeaders);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return send(to, { method: "POST", headers, body, ...(credentials && { credentials }) });
  };
  const keep: OpenWire = async (request, signal, events) => {
    const address = await addressOf(request);
    if (signal.aborted) throw aborted();
    const source = new Source(address, { withCredentials });
    const { opened, stream } = readSource(source, { names, closeIsEnd: false, events }, signal);
    const response = new Response(stream, { headers: { "content-type": EVENT_STREAM } });
    return {
      opened,
      response: Promise.resolve(response),
      send: (text) => !!submitUrl && post(text, { ...request, resume: false }),
      mute: !submitUrl,
    };
  };
  return {
    renews: submit.renews,
    ...keepOption(keepOpen, keep),
    send: (text, run) => {
      if (!submitUrl || sources.get(run.threadId)?.readyState === 2 || !sources.has(run.threadId)) return false;
      return post(text, { ...run, resume: false });
    },
    connect: async (request) => {
      const target = await submit.connect({ ...request, resume: false }, undefined);
      const { resume, threadId } = request;
      const from = await addressOf(request);
      const { fetch: send = globalThis.fetch } = target;
      const open = async (to: string, init: RequestInit): Promise<Response> => {
        const source = new Source(from, { withCredentials });
        sources.set(threadId, source);
        const gone = (): void => void (sources.get(threadId) === source && sources.delete(threadId));
        const events = readSource(source, { names, closeIsEnd, gone }, init.signal ?? undefined);
        await events.opened;
        if (!resume && submitUrl) {
          const answer = await send(to, init).catch((error: unknown) => {
            source.close();
            gone();
            throw error;
          });
          if (!answer.ok) {
            source.close();
            gone();
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

/** The `keep` of a transport: its connections that are kept open. */
function keepOption(keepOpen: boolean | KeepOpenOptions | undefined, open: OpenWire): { keep?: ChannelSource } {
  if (!keepOpen) return {};
  const create: ChannelSource["create"] = async (client) => (await import("./channel.js")).createChannel(client);
  return { keep: { settings: keepOpen === true ? {} : keepOpen, open, create } };
}

/** The names that servers give to events; `message`: none. */
const NAMES: readonly ("message" | AgUiEvent["type"])[] = [
  "message",
  "RUN_STARTED",
  "RUN_FINISHED",
  "RUN_ERROR",
  "STEP_STARTED",
  "STEP_FINISHED",
  "TEXT_MESSAGE_START",
  "TEXT_MESSAGE_CONTENT",
  "TEXT_MESSAGE_END",
  "TEXT_MESSAGE_CHUNK",
  "TOOL_CALL_START",
  "TOOL_CALL_ARGS",
  "TOOL_CALL_END",
  "TOOL_CALL_CHUNK",
  "TOOL_CALL_RESULT",
  "STATE_SNAPSHOT",
  "STATE_DELTA",
  "MESSAGES_SNAPSHOT",
  "ACTIVITY_SNAPSHOT",
  "ACTIVITY_DELTA",
  "REASONING_START",
  "REASONING_MESSAGE_START",
  "REASONING_MESSAGE_CONTENT",
  "REASONING_MESSAGE_END",
  "REASONING_MESSAGE_CHUNK",
  "REASONING_END",
  "REASONING_ENCRYPTED_VALUE",
  "SUBAGENT_STARTED",
  "SUBAGENT_FINISHED",
  "SUBAGENT_ERROR",
  "RAW",
  "CUSTOM",
];

/** How a source is read. */
interface SourceReading {
  readonly names: readonly string[];
  readonly closeIsEnd: boolean;
  /** Of one that is kept open: the platform opens it again by itself. */
  readonly events?: WireEvents;
  gone?(): void;
}

/** Turns the messages of a source back into the event stream that it has read. */
function readSource(
  source: EventSource,
  { names, closeIsEnd, events, gone = () => {} }: SourceReading,
  signal: AbortSignal | undefined,
): { opened: Promise<void>; stream: WritableBody["stream"] } {
  const leave = (): void => {
    source.close();
    gone();
  };
  const body = createBody(leave);
  const opened = new Promise<void>((resolve, reject) => {
    let id = "";
    const fail = (error: Error): void => {
      // It would connect again by itself; how and when is the agent's to say.
      leave();
      reject(error);
      body.fail(error);
    };
    let open = false;
    source.onopen = () => {
      const again = open;
      open = true;
      resolve();
      if (again) events?.opened();
    };
    signal?.addEventListener("abort", () => fail(aborted()));
    const take = ({ type, data, lastEventId }: MessageEvent<string>): void => {
      open = true;
      resolve();
      const mark = lastEventId && lastEventId !== id ? `id: ${(id = lastEventId)}\n` : "";
      const name = type === "message" ? "" : `event: ${type}\n`;
      body.write(`${mark}${name}data: ${data.split("\n").join("\ndata: ")}\n\n`);
    };
    // A server's own event may have that name; one of the source itself has no data.
    source.onerror = (event) => {
      if (event && typeof (event as MessageEvent<unknown>).data === "string") return take(event as MessageEvent<string>);
      // 0: connecting.
      if (events && open && source.readyState === 0) return events.paused();
      if (!closeIsEnd || !open) return fail(new Error("the event source was lost"));
      leave();
      body.end();
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
 * `forwardedProps.lastSeenEventId`. During the run, `agent.send` sends events of the page's over the same socket. An
 * input that is empty, as dialects may have it, is not sent.
 *
 * @example
 * const agent = createAgent({ transport: webSocket({ url: async () => `wss://host/agent?token=${await token()}` }) });
 */
export function webSocket({ url, protocols, keepOpen, WebSocket: Socket = globalThis.WebSocket }: WebSocketOptions): Transport {
  const sockets = new Map<string, WebSocket>();
  const create = async (request: TransportRequest): Promise<{ address: string; make(): WebSocket }> => {
    const address = String(await at(url, request));
    const names = await at(protocols, request);
    return { address, make: () => (names === undefined ? new Socket(address) : new Socket(address, names as string | string[])) };
  };
  const keep: OpenWire = async (request, signal) => {
    const { make } = await create(request);
    if (signal.aborted) throw aborted();
    const socket = make();
    let ready!: () => void;
    let failed!: (error: unknown) => void;
    const opened = new Promise<void>((resolve, reject) => ([ready, failed] = [resolve, reject]));
    const response = readSocket(socket, "", signal, { gone: () => {}, opened: ready, ends: KEPT_ENDS });
    // A socket that is refused never opens.
    response.then(({ ok, status }) => ok || failed(Object.assign(new Error("the socket was refused"), { status })), failed);
    opened.catch(() => {});
    const send = (text: string): boolean => {
      if (socket.readyState !== 1) return false;
      socket.send(text);
      return true;
    };
    return { opened, response, send };
  };
  return {
    renews: typeof url === "function" || typeof protocols === "function",
    // The server decides, frame by frame.
    binary: true,
    ...keepOption(keepOpen, keep),
    send: (text, { threadId }) => {
      const socket = sockets.get(threadId);
      if (socket?.readyState !== 1) return false;
      socket.send(text);
      return true;
    },
    connect: async (request) => {
      const { address, make } = await create(request);
      const open = (_: string, { body, signal }: RequestInit): Promise<Response> => {
        const socket = make();
        const { threadId } = request;
        sockets.set(threadId, socket);
        const gone = (): void => void (sockets.get(threadId) === socket && sockets.delete(threadId));
        return readSocket(socket, String(body ?? ""), signal ?? undefined, { gone, ends: ENDS });
      };
      return { url: address, method: "POST", fetch: open as unknown as typeof fetch };
    },
  };
}

// With these a server ends a stream; 1005: it has named none. Of one that is kept open, 1001 says that the server went away.
const ENDS: readonly number[] = [1000, 1001, 1005];
const KEPT_ENDS: readonly number[] = [1000, 1005];

// On text without blanks around it, and no two parts of a pattern take the same characters: one that does not fit is
// found out in one pass.
const PING = /^(?:ping|\{\s*"type"\s*:\s*"ping"[^{}]*\})?$/;
const PONG = /^(?:pong|\{\s*"type"\s*:\s*"pong"[^{}]*\})$/;

/** Turns the frames of a socket into the body of a response. Its kind is that of the first frame. */
function readSocket(
  socket: WebSocket,
  input: string,
  signal: AbortSignal | undefined,
  { gone, opened, ends }: { gone(): void; opened?(): void; ends: readonly number[] },
): Promise<Response> {
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
    // Line feeds stand only between the parts of a JSON text. As bytes: a match each would take long where there is nothing else.
    const giveLine = (text: string): void => {
      const line = encoder.encode(`${text}\n`);
      if (/[\r\n]/.test(text)) line.forEach((byte, index) => index < line.length - 1 && (byte === 10 || byte === 13) && (line[index] = 32));
      give(LINES, line);
    };

    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      if (input) socket.send(input);
      opened?.();
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (over) return;
      if (typeof data !== "string") {
        const bytes = new Uint8Array(data);
        // No binary event begins like an object.
        return bytes[0] === 0x7b ? giveLine(new TextDecoder().decode(bytes)) : give(BINARY, framed(bytes));
      }
      const trimmed = data.trim();
      if (!PING.test(trimmed) && !PONG.test(trimmed)) return giveLine(data);
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
      } else if (ends.includes(code)) {
        over = true;
        begin(LINES);
        body.end();
      } else fail(new Error(why));
    };
    signal?.addEventListener("abort", () => {
      if (over) return;
      leave();
      fail(aborted());
    });
  });
}

/** A binary event after its length, which encoders write and some servers leave to the socket's own frames. */
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

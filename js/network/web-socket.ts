// The transport over a WebSocket.

import { aborted, createResponse, encoder, LINES } from "./body.js";
import { keepOption, noted } from "./connections.js";
import { at } from "./request.js";
import type { OpenWire } from "../api/channel.js";
import type { Transport, TransportRequest, WebSocketOptions } from "../api/types.js";

const BINARY = "application/vnd.ag-ui.event+proto";

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
    const names = (await at(protocols, request)) as string | string[];
    return { address, make: () => new Socket(address, names) };
  };
  const keep: OpenWire = async (request, signal) => {
    const { make } = await create(request);
    if (signal.aborted) throw aborted();
    const socket = make();
    let response!: Promise<Response>;
    const opened = new Promise<void>((resolve, reject) => {
      response = readSocket(socket, "", signal, { opened: resolve, ends: KEPT_ENDS });
      // A socket that is refused never opens.
      response.then(({ ok, status }) => ok || reject(Object.assign(new Error("the socket was refused"), { status })), reject);
    });
    opened.catch(() => {});
    return { opened, response, send: (text) => sendTo(socket, text) };
  };
  return {
    renews: typeof url === "function" || typeof protocols === "function",
    // The server decides, frame by frame.
    binary: true,
    ...keepOption(keepOpen, keep),
    send: (text, { threadId }) => sendTo(sockets.get(threadId), text),
    connect: async (request) => {
      const { address, make } = await create(request);
      const open = (_: string, { body, signal }: RequestInit): Promise<Response> => {
        const socket = make();
        const closed = noted(sockets, request.threadId, socket);
        return readSocket(socket, String(body ?? ""), signal ?? undefined, { closed, ends: ENDS });
      };
      return { url: address, method: "POST", fetch: open as unknown as typeof fetch };
    },
  };
}

/** Sends a text if the socket is open. Returns whether it is. */
function sendTo(socket: WebSocket | undefined, text: string): boolean {
  if (socket?.readyState !== 1) return false;
  socket.send(text);
  return true;
}

// With these a server ends a stream; 1005: it has named none. Of one that is kept open, 1001 says that the server went away.
const ENDS: readonly number[] = [1000, 1001, 1005];
const KEPT_ENDS: readonly number[] = [1000, 1005];

// On text without blanks around it, and no two parts of a pattern take the same characters: one that does not fit is
// found out in one pass.
const PING = /^(?:ping|\{\s*"type"\s*:\s*"ping"[^{}]*\})?$/;
const PONG = /^(?:pong|\{\s*"type"\s*:\s*"pong"[^{}]*\})$/;

/** How a socket is read. `closed` is called when it is closed. `ends`: the close codes by which a server ends the stream. */
interface SocketReading {
  closed?(): void;
  opened?(): void;
  readonly ends: readonly number[];
}

/** Turns the frames of a socket into a response. Its kind is that of the first frame. */
function readSocket(socket: WebSocket, input: string, signal: AbortSignal | undefined, { closed, opened, ends }: SocketReading): Promise<Response> {
  let kind: string | undefined;
  const leave = (): void => {
    closed?.();
    socket.close(1000);
  };
  const answer = createResponse(leave, signal);
  const give = (type: string, bytes: Uint8Array): void => {
    kind ??= type;
    answer.begin(kind);
    if (kind === type) return answer.write(bytes);
    leave();
    answer.fail(new Error("the socket gave text and binary events"));
  };
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    if (input) socket.send(input);
    opened?.();
  };
  // A text or a binary event, or a sign of life.
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data !== "string") {
      const bytes = new Uint8Array(data);
      // No binary event begins like an object.
      return bytes[0] === 0x7b ? give(LINES, toLine(new TextDecoder().decode(bytes))) : give(BINARY, framed(bytes));
    }
    const trimmed = data.trim();
    if (!PING.test(trimmed) && !PONG.test(trimmed)) return give(LINES, toLine(data));
    if (kind === LINES) answer.write("\n");
    if (data.includes("ping")) socket.send(data.replace("ping", "pong"));
  };
  socket.onclose = ({ code, reason }) => {
    closed?.();
    const why = reason || `the socket was closed with ${code}`;
    if (code === 4401 || code === 1008) {
      answer.refuse(new Response(why, { status: 401 }));
      answer.fail(Object.assign(new Error(why), { status: 401 }));
    } else if (ends.includes(code)) {
      answer.begin(LINES);
      answer.end();
    } else answer.fail(new Error(why));
  };
  return answer.response;
}

/** A JSON text as one line. As bytes: a match for each line feed would take long where there is nothing else. */
function toLine(text: string): Uint8Array {
  const line = encoder.encode(`${text}\n`);
  // Line feeds stand only between the parts of a JSON text.
  if (/[\r\n]/.test(text)) line.forEach((byte, index) => index < line.length - 1 && (byte === 10 || byte === 13) && (line[index] = 32));
  return line;
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

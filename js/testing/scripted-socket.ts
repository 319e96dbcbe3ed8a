// A server of WebSockets in the hands of a test, in place of the platform's.

import { createHandover } from "./handover.js";

/** A frame of a server: strings and bytes as they are, other values as JSON text. */
export type SocketFrame = string | Uint8Array | { readonly [member: string]: unknown } | readonly SocketFrame[];

/** A connection of an agent's, at its server. */
export interface ScriptedConnection {
  readonly url: string;
  readonly protocols: readonly string[];
  /** The frames that the agent has sent, as they were sent. */
  readonly received: readonly (string | ArrayBufferLike | Blob | ArrayBufferView)[];
  /** Sends frames to the agent. */
  send(...frames: readonly SocketFrame[]): void;
  /** Ends the connection as a server does. Default: 1000, the end of the run. */
  close(code?: number, reason?: string): void;
  /** Loses the connection: code 1006. */
  cut(): void;
  /** Whether it is open, at both ends. */
  readonly isOpen: boolean;
}

/** A server of WebSockets for tests. */
export interface ScriptedSocket {
  /** For the option of that name of `webSocket`. */
  readonly WebSocket: typeof WebSocket;
  /** Every connection so far. */
  readonly connections: readonly ScriptedConnection[];
  /** The next connection that nobody has asked for in this way yet, once it is open. */
  connection(): Promise<ScriptedConnection>;
  /** Lets the next connection find nobody. */
  fail(): void;
}

/**
 * A server that speaks over WebSockets, driven by a test. A connection opens by itself; what is sent arrives at once.
 *
 * @example
 * const server = scriptedSocket();
 * const agent = createAgent({ transport: webSocket({ url: "wss://host/agent", WebSocket: server.WebSocket }) });
 * const run = agent.submit("hi");
 * const connection = await server.connection();
 * connection.send({ type: "RUN_STARTED", threadId: "t", runId: "r" }, text("Hello"), { type: "RUN_FINISHED", threadId: "t", runId: "r" });
 * connection.close();
 * console.log((await run).outcome); // success
 */
export function scriptedSocket(): ScriptedSocket {
  const connections: ScriptedConnection[] = [];
  const opened = createHandover<ScriptedConnection>();
  let failures = 0;
  const server: SocketServer = {
    accept: (connection) => {
      const accepted = !failures;
      if (accepted) connections.push(connection);
      else failures--;
      return accepted;
    },
    opened: opened.put,
  };
  class Socket extends ClientSocket {
    constructor(url: string, protocols?: string | readonly string[]) {
      super(server, url, protocols);
    }
  }
  return {
    WebSocket: Socket as unknown as typeof WebSocket,
    connections,
    connection: () => opened.take(),
    fail: () => void failures++,
  };
}

/** The server, as its sockets see it. */
interface SocketServer {
  /** Returns whether a connection will open. */
  accept(connection: ScriptedConnection): boolean;
  /** The connection is open. */
  opened(connection: ScriptedConnection): void;
}

/** The agent's end of a connection. */
class ClientSocket {
  readyState = 0;
  binaryType = "blob";
  onopen?: (event: object) => void;
  onmessage?: (event: { readonly data: unknown }) => void;
  onclose?: (event: { readonly code: number; readonly reason: string }) => void;
  onerror?: (event: object) => void;
  readonly received: (string | ArrayBufferLike | Blob | ArrayBufferView)[] = [];

  constructor(server: SocketServer, readonly url: string, protocols: string | readonly string[] = []) {
    const connection = this.connection(typeof protocols === "string" ? [protocols] : protocols);
    const accepted = server.accept(connection);
    queueMicrotask(() => {
      if (this.readyState) return;
      if (!accepted) return this.end(1006, "");
      this.readyState = 1;
      this.onopen?.({});
      server.opened(connection);
    });
  }

  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    this.received.push(data);
  }

  close(): void {
    this.readyState = 3;
  }

  private end(code: number, reason: string): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  private give(frame: SocketFrame): void {
    if (this.readyState !== 1) throw new Error("The connection is not open: the agent has closed it, or it has ended");
    if (Array.isArray(frame)) return frame.forEach((one: SocketFrame) => this.give(one));
    if (frame instanceof Uint8Array) this.onmessage?.({ data: frame.slice().buffer });
    else this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }

  /** The server's end. */
  private connection(protocols: readonly string[]): ScriptedConnection {
    const isOpen = (): boolean => this.readyState === 1;
    return {
      url: this.url,
      protocols,
      received: this.received,
      send: (...frames) => frames.forEach((one) => this.give(one)),
      close: (code = 1000, reason = "") => this.end(code, reason),
      cut: () => this.end(1006, ""),
      get isOpen() {
        return isOpen();
      },
    };
  }
}

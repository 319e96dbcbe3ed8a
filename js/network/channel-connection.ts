// The connection of a channel, one at a time: opened, read to its end, hung up. When that is to happen is decided in channel-dialer.ts.

import { aborted, LINES, toError } from "./body.js";
import type { ChannelClient, Wire, WireEvents } from "../api/channel.js";
import type { TransportRequest } from "../api/types.js";

/** The events of a connection, with its frames. */
export interface ConnectionEvents extends WireEvents {
  /** An attempt to open it begins. */
  begins(): void;
  frame(frame: Uint8Array): void;
  /** The server has closed it in good order. */
  ended(): void;
  failed(error: Error): void;
}

/** The connections of one channel. None is open. */
export function createConnection(client: ChannelClient, handlers: ConnectionEvents) {
  let wire: Wire | undefined;
  // The media type of its frames.
  let type: string | undefined;
  let opening: Promise<void> | undefined;
  const current: { controller?: AbortController | undefined } = {};
  const events: WireEvents & WireReading = { ...handlers, kind: (media) => void (type = media) };

  const hangUp = (): void => {
    wire = undefined;
    type = undefined;
    opening = undefined;
    current.controller?.abort();
    current.controller = undefined;
  };

  const attempt = async (request: TransportRequest): Promise<void> => {
    hangUp();
    const mine = (current.controller = new AbortController());
    // The loop that reads must not hold the agent: it could never be collected.
    const { signal } = mine;
    const weak = client.kit.weakly(events);
    handlers.begins();
    try {
      const { open } = client.source() ?? {};
      if (!open) throw new Error("the transport keeps no connection open");
      const opened = await open(request, signal, only(signal, weak));
      if (signal.aborted) throw aborted();
      wire = opened;
      void read(opened.response, signal, weak);
      await opened.opened;
      if (current.controller === mine) handlers.opened();
    } catch (cause) {
      const error = toError(cause);
      if (current.controller === mine) handlers.failed(error);
      throw error;
    }
  };

  return {
    wire: () => wire,
    media: () => type ?? LINES,
    isOpening: () => !!opening,
    /** Opens it, unless that is in progress. */
    open: (request: TransportRequest): Promise<void> => {
      if (opening) return opening;
      const mine: Promise<void> = attempt(request).finally(() => {
        if (opening === mine) opening = undefined;
      });
      return (opening = mine);
    },
    hangUp,
    /** Closes the connection when nobody holds the channel. */
    closing: (): () => void => closing(current),
  };
}

/** The same events, unless the wire was given up. */
function only(signal: AbortSignal, events: WireEvents): WireEvents {
  return {
    opened: () => signal.aborted || events.opened(),
    paused: () => signal.aborted || events.paused(),
  };
}

/** The receiver of a wire's frames. */
interface WireReading extends Pick<ConnectionEvents, "frame" | "ended" | "failed"> {
  kind(media: string): void;
}

/** Reads a wire to its end. Holds nothing of the channel. */
async function read(answer: Promise<Response>, signal: AbortSignal, to: WireReading): Promise<void> {
  try {
    const { ok, status, headers, body } = await answer;
    if (!ok || !body) throw Object.assign(new Error(`the connection was refused with ${status}`), { status });
    if (!signal.aborted) to.kind(headers.get("content-type") ?? LINES);
    for (const reader = body.getReader();;) {
      const { done, value } = await reader.read();
      if (signal.aborted) return void reader.cancel().catch(() => {});
      if (done) return to.ended();
      to.frame(value);
    }
  } catch (error) {
    if (!signal.aborted) to.failed(toError(error));
  }
}

/** Closes what is open. Made here, where nothing of a channel can be held. */
const closing = (of: { readonly controller?: AbortController | undefined }): () => void => () => of.controller?.abort();

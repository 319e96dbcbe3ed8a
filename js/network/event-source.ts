// The transport over an `EventSource`.

import { eventTypes } from "../api/events.js";
import { aborted, createResponse, refusal } from "./body.js";
import { keepOption, noted } from "./connections.js";
import { at, fetchWith, withParam } from "./request.js";
import type { WireEvents } from "../api/channel.js";
import type { EventSourceOptions, Transport, TransportRequest } from "../api/types.js";

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
  const open = (address: string): EventSource => new Source(address, { withCredentials: rest.credentials === "include" });
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
  return {
    renews: submit.renews,
    ...keepOption(keepOpen, async (request, signal, events) => {
      const address = await addressOf(request);
      if (signal.aborted) throw aborted();
      const { response } = readSource(open(address), { names, closeIsEnd: false, events }, signal);
      return {
        opened: response.then(() => {}),
        response,
        send: (text) => !!submitUrl && post(text, { ...request, resume: false }),
        mute: !submitUrl,
      };
    }),
    send: (text, run) => {
      // 2: closed.
      const { readyState = 2 } = sources.get(run.threadId) ?? {};
      return !!submitUrl && readyState !== 2 && post(text, { ...run, resume: false });
    },
    connect: async (request) => {
      const target = await submit.connect({ ...request, resume: false }, undefined);
      const address = await addressOf(request);
      const { fetch: send = globalThis.fetch } = target;
      const answer = async (to: string, init: RequestInit): Promise<Response> => {
        const source = open(address);
        const closed = noted(sources, request.threadId, source);
        const { response, leave } = readSource(source, { names, closeIsEnd, closed }, init.signal ?? undefined);
        await response;
        if (request.resume || !submitUrl) return response;
        try {
          const refused = refusal(await send(to, init));
          if (refused) leave();
          return refused ?? response;
        } catch (error) {
          leave();
          throw error;
        }
      };
      return { ...target, fetch: answer as typeof fetch };
    },
  };
}

/** How a source is read. */
interface SourceReading {
  readonly names: readonly string[];
  readonly closeIsEnd: boolean;
  /** Of one that is kept open: the platform opens it again by itself. */
  readonly events?: WireEvents;
  closed?(): void;
}

/** Turns the messages of a source back into the event stream that it has read. The response begins when the source is open. */
function readSource(
  source: EventSource,
  { names, closeIsEnd, events, closed }: SourceReading,
  signal: AbortSignal | undefined,
): { response: Promise<Response>; leave(): void } {
  const leave = (): void => {
    source.close();
    closed?.();
  };
  const answer = createResponse(leave, signal);
  const fail = (error: Error): void => {
    // It would connect again by itself; how and when is the agent's to say.
    leave();
    answer.fail(error);
  };
  let open = false;
  const isOpen = (): void => {
    open = true;
    answer.begin("text/event-stream");
  };
  source.onopen = () => {
    const again = open;
    isOpen();
    if (again) events?.opened();
  };
  let id = "";
  const take = ({ type, data, lastEventId }: MessageEvent<string>): void => {
    isOpen();
    const mark = lastEventId && lastEventId !== id ? `id: ${(id = lastEventId)}\n` : "";
    const name = type === "message" ? "" : `event: ${type}\n`;
    answer.write(`${mark}${name}data: ${data.split("\n").join("\ndata: ")}\n\n`);
  };
  // A server's own event may have that name; one of the source itself has no data.
  source.onerror = (event) => {
    if (event && typeof (event as MessageEvent<unknown>).data === "string") return take(event as MessageEvent<string>);
    // 0: connecting.
    if (events && open && source.readyState === 0) return events.paused();
    if (!closeIsEnd || !open) return fail(new Error("the event source was lost"));
    leave();
    answer.end();
  };
  // `message`: without a name.
  for (const name of new Set(["message", ...Object.keys(eventTypes), ...names])) if (name !== "error") source.addEventListener(name, take as EventListener);
  return { response: answer.response, leave };
}

// A line: one connection that is kept open over several answers, for systems whose sessions outlive a run. The core knows runs,
// each with a body of its own; a line cuts what comes into these bodies. So everything that holds for a run holds here.
//
//   frames ──► line ─┬─ an answer is on ──► its body
//                    └─ none ─────────────► unread: the agent begins a run that nobody asked for
//
//   closed ──connect, submit──► connecting ──► open ──lost──► reconnecting ──► open
//      ▲                                                          │ attempts used up
//      └──disconnect, dispose, closed by the server───────────────┘
//
// An answer ends with an event that says so, with a pause, or with the next message of the user. A line that is lost before
// fails the body, so that the run is `truncated`.

import { aborted, createBody, LINES, type Body } from "./body.js";
import { createBudget, pauseOf, retryTimes } from "./retry.js";
import { call } from "../base/call.js";
import { AgentError } from "../api/error.js";
import type { JsonObject } from "../api/protocol.js";
import { createQueue } from "../base/queue.js";
import type { Line, LineClient, Wire, WireEvents } from "../api/line.js";
import type { Connection, TransportRequest } from "../api/types.js";
import { kept, weakly, whenCollected } from "../base/weak.js";

/** A run's part of what comes. */
interface Answer {
  readonly body: Body;
  readonly asked: boolean;
  talks: boolean;
  /** Its head: of this media type. */
  begin(type: string): void;
  fail(error: Error): void;
}

const decoder = new TextDecoder();
const isSign = (frame: Uint8Array): boolean => frame.length === 1;

/** The event of a frame as text: a line of JSON, or the data of a server-sent event. */
function dataOf(frame: Uint8Array): string {
  const text = decoder.decode(frame);
  if (text.startsWith("{")) return text;
  const data = text.split("\n").filter((line) => line.startsWith("data: "));
  return data.map((line) => line.slice(6)).join("\n");
}

/** Whether it is a part of an answer's text, or begins one. */
const isText = (data: string): boolean =>
  /"event_type"\s*:\s*"text_stream"|"type"\s*:\s*"(TEXT_MESSAGE_|REASONING_|RUN_STARTED|TOOL_CALL_)/.test(data);

const DONE = ["complete", "completed", "done", "end", "ended", "finish", "finished"];
const GONE = ["close", "closed", "destroy", "destroyed", "unmount", "unmounted"];

/** Whether an event ends an answer, without a word of the application's. `said`: the last event with text. */
function endsByDefault(data: string, said: string | undefined): boolean {
  if (!/"lifecycle"|"RUN_(FINISHED|ERROR)"/.test(data)) return false;
  const event = parse(data);
  if (event?.type === "RUN_FINISHED" || event?.type === "RUN_ERROR") return true;
  if (event?.event_type !== "lifecycle") return false;
  const { action, lifecycle, event: name } = (event.payload ?? {}) as Record<string, unknown>;
  const verb = String(action ?? lifecycle ?? name ?? "").toLowerCase();
  const [own, other] = [key(event), said === undefined ? undefined : key(parse(said))];
  return (DONE.includes(verb) && (own === "" || own === other)) || (GONE.includes(verb) && own !== "" && own === other);
}

/** The component that an event is about. */
function key(event: Record<string, unknown> | undefined): string {
  const { component_type: type, component_id: id } = (event?.target ?? {}) as Record<string, unknown>;
  return type === undefined ? "" : JSON.stringify([type, id ?? null]);
}

function parse(data: string): Record<string, unknown> | undefined {
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === "object" && event ? (event as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A line that is closed. */
export function createLine(client: LineClient): Line {
  const { answerEnds, idleMs = 2000, waitMs = 60_000, bufferBytes = 16 * 2 ** 20 } = client.source()?.settings ?? {};
  let phase: Connection["phase"] = "closed";
  let attempt = 0;
  let retryAt: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Whether it is to be opened again when it is lost.
  let wanted = false;
  let wire: Wire | undefined;
  const current: { controller?: AbortController | undefined } = {};
  let dialing: Promise<void> | undefined;
  // Of this wire; 0 while it is not open.
  let openedAt = 0;
  const budget = createBudget();
  let waiting: { resolve(): void; reject(error: AgentError): void }[] = [];
  let type: string | undefined;
  // The last id of a source, and the last event with text.
  let cursor: string | undefined;
  let said: string | undefined;
  let answer: Answer | undefined;
  let due: number | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let continues = false;
  const frames = createQueue<Uint8Array>();
  let bytes = 0;
  let talks = false;

  const set = (next: typeof phase): void => {
    phase = next;
    if (next !== "reconnecting") retryAt = undefined;
    client.changed();
  };

  const clear = (): void => {
    frames.clear();
    bytes = 0;
    talks = false;
  };

  /** Ends the answer that is on, as one that came whole. */
  const end = (byPause: boolean): void => {
    const last = answer;
    if (!last) return;
    answer = undefined;
    due = undefined;
    clearTimeout(pause);
    // What happens beside an answer does not end it.
    if (last.asked || last.talks) continues = byPause;
    last.begin(type ?? LINES);
    last.body.end();
  };

  const fail = (error: Error): void => {
    const last = answer;
    answer = undefined;
    due = undefined;
    continues = false;
    clearTimeout(pause);
    last?.fail(error);
  };

  /** Calls `end` when nothing has come for so long. One timer, whatever comes. */
  const expect = (ms: number): void => {
    if (due === undefined || ms < due - Date.now()) {
      clearTimeout(pause);
      const check = (): void => {
        const left = due === undefined ? 0 : due - Date.now();
        if (left > 0) pause = setTimeout(check, left);
        else if (due !== undefined && phase === "open") end(true);
        // A silence that the network has made is no pause.
        else if (due !== undefined) fail(new Error("the connection was lost, and not opened again in time"));
      };
      if (ms > 0) pause = setTimeout(check, ms);
    }
    due = ms > 0 ? Date.now() + ms : undefined;
  };

  /** What the application says. What it throws is reported, and ends nothing. */
  const isEnd = (data: string): boolean => {
    let ends = false;
    call(() => {
      const event = parse(data);
      ends = !!event && !!answerEnds!(event as JsonObject);
    });
    return ends;
  };

  const pass = (frame: Uint8Array, data: string): void => {
    const mine = answer!;
    mine.begin(type ?? LINES);
    mine.body.write(frame);
    if (isText(data)) {
      said = data;
      mine.talks = true;
    }
    if (answerEnds ? isEnd(data) : endsByDefault(data, said)) end(false);
    else if (mine.asked || mine.talks) expect(idleMs);
    // What happens beside an answer is read, and that is all.
    else if (!frames.size) end(true);
  };

  const take = (frame: Uint8Array): void => {
    if (isSign(frame)) return answer?.body.write(frame);
    attempt = 0;
    const data = dataOf(frame);
    if (frame[0] === 0x69) cursor = /^id: ?(.*)$/m.exec(decoder.decode(frame))?.[1] ?? cursor;
    if (answer) return pass(frame, data);
    frames.push(frame);
    bytes += frame.length;
    talks ||= isText(data);
    if (bytes <= bufferBytes) return client.unread();
    clear();
    const message = `More than ${bufferBytes} bytes of events wait to be read: they are dropped, and the connection is opened anew`;
    client.failed(new AgentError({ kind: "limit", message }));
    lost(new Error(message));
  };

  const events: WireEvents & { frame(frame: Uint8Array): void; kind(media: string): void; ended(): void; failed(error: Error): void } = {
    opened: () => {
      openedAt = Date.now();
      set("open");
      if (answer) expect(idleMs);
      for (const { resolve } of waiting.splice(0)) resolve();
    },
    paused: () => {
      // With ids, the source continues where it was; without, nobody knows what is lost.
      if (cursor === undefined) fail(new Error("the event source was lost"));
      else if (answer) expect(retryTimes(client.options().retry).maxMs);
      attempt++;
      set("reconnecting");
    },
    kind: (media) => void (type = media),
    frame: take,
    ended: () => {
      // The server has closed it in good order: the answer is over, and so is the session.
      end(false);
      wanted = false;
      hangUp();
      giveUp();
    },
    failed: (error) => lost(error),
  };

  const hangUp = (): void => {
    wire = undefined;
    type = undefined;
    current.controller?.abort();
    current.controller = undefined;
  };

  /** Nobody waits for it. */
  const giveUp = (error = new AgentError({ kind: "connection", message: "The connection was closed", retryable: true })): void => {
    kept.delete(line);
    clearTimeout(timer);
    set("closed");
    for (const { reject } of waiting.splice(0)) reject(error);
  };

  const lost = (error: Error): void => {
    const answering = !!answer;
    // One that has stood for long is no attempt.
    if (openedAt && Date.now() - openedAt > retryTimes(client.options().retry).maxMs) attempt = 0;
    openedAt = 0;
    hangUp();
    fail(error);
    // The core asks for the rest of the run by itself, or gives it up.
    if (answering && client.options().resume) return set("reconnecting");
    again(error, answering);
  };

  /** Opens it anew after a while, unless that was tried too often. */
  const again = (error: Error, answering: boolean): void => {
    clearTimeout(timer);
    if (!wanted) return giveUp();
    const times = retryTimes(client.options().retry);
    const denied = (error as { status?: number }).status === 401;
    if (attempt >= (denied ? Math.min(times.attempts, 1) : times.attempts)) {
      wanted = false;
      const kind = denied ? "auth" : "connection";
      const message = `The connection was lost, and could not be opened again: ${error.message}`;
      const failure = new AgentError({ kind, message, retryable: !denied, cause: error });
      const asked = waiting.length > 0;
      giveUp(failure);
      if (!answering && !asked) client.failed(failure);
      return;
    }
    attempt++;
    const now = Date.now();
    retryAt = Math.max(now + pauseOf(times, attempt, Math.random()), budget(times.perMinute, now));
    timer = setTimeout(redial, retryAt - now);
    set("reconnecting");
  };

  const dial = (request: TransportRequest): Promise<void> => (dialing ??= attemptTo(request).finally(() => (dialing = undefined)));

  /** Opens it where it was. */
  const redial = (): void => void dial({ ...client.run(), resume: cursor !== undefined, cursor }).catch(() => {});

  const attemptTo = async (request: TransportRequest): Promise<void> => {
    clearTimeout(timer);
    hangUp();
    const mine = (current.controller = new AbortController());
    // Whoever reads must not hold the agent.
    const { signal } = mine;
    const weak = weakly(events);
    budget(retryTimes(client.options().retry).perMinute, Date.now(), 1);
    set(attempt ? "reconnecting" : "connecting");
    try {
      const { open } = client.source() ?? {};
      if (!open) throw new Error("the transport keeps no connection open");
      const opened = await open(request, signal, only(signal, weak));
      if (signal.aborted) throw aborted();
      wire = opened;
      void read(opened.response, signal, weak);
      await opened.opened;
      if (phase !== "open" && current.controller === mine) events.opened();
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (current.controller === mine) lost(error);
      throw error;
    }
  };

  /** Opens it, unless it is. */
  const ensure = (request: TransportRequest): Promise<void> => {
    wanted = true;
    if (wire && phase === "open") return Promise.resolve();
    // A source continues where it was.
    return dial(cursor === undefined || request.resume ? request : { ...request, resume: true, cursor });
  };

  const attach = async (request: TransportRequest, text: string, signal: AbortSignal | undefined): Promise<Response> => {
    // What has come can be read, whatever became of the connection.
    if (text !== "" || request.resume || !frames.size) await ensure(request);
    if (signal?.aborted) throw aborted();
    // A run that is joined continues what comes.
    const { promise, mine } = createAnswer(text !== "" || request.resume);
    signal?.addEventListener("abort", () => answer === mine && stop());
    if (text !== "") continues = false;
    answer = mine;
    if (waitMs > 0) expect(waitMs);
    if (text !== "" && !wire?.mute) {
      const refused = await say(text, mine);
      if (refused) return refused;
    }
    while (answer === mine && frames.size) {
      const frame = frames.take()!;
      bytes -= frame.length;
      pass(frame, dataOf(frame));
    }
    if (!frames.size) talks = false;
    if (answer === mine && (mine.asked ? client.overtaken() : !mine.talks)) end(!mine.asked);
    if (frames.size) client.unread();
    return promise;
  };

  /** Sends a message. Gives what the server says, where it does not take it. */
  const say = async (text: string, mine: Answer): Promise<Response | undefined> => {
    try {
      const sent = await wire?.send(text);
      if (!sent) throw new Error("the message could not be sent");
      if (sent === true) return undefined;
      if (sent.ok) return void sent.body?.cancel().catch(() => {});
      if (answer === mine) end(false);
      return sent;
    } catch (cause) {
      // It has ended meanwhile: the connection was lost, or the run was stopped.
      if (answer === mine) fail(cause instanceof Error ? cause : new Error(String(cause)));
      return undefined;
    }
  };

  const createAnswer = (asked: boolean): { promise: Promise<Response>; mine: Answer } => {
    let answered = false;
    let mine!: Answer;
    const promise = new Promise<Response>((resolve, reject) => {
      const body = createBody(() => answer === mine && stop());
      const begin = (media: string): void => {
        if (answered) return;
        answered = true;
        resolve(new Response(body.stream, { headers: { "content-type": media } }));
      };
      const fail = (error: Error): void => {
        reject(error);
        body.fail(error);
      };
      mine = { body, asked, talks: false, begin, fail };
    });
    // A caller that hears of a failure in another way does not look at it.
    promise.catch(() => {});
    return { promise, mine };
  };

  /** The run was stopped. Only the end of the connection tells the server. */
  const stop = (): void => {
    hangUp();
    clear();
    fail(aborted());
    if (wanted) void dial({ ...client.run(), resume: false }).catch(() => {});
    else giveUp();
  };

  const line: Line = {
    state: () => ({ phase, attempt: phase === "open" ? 0 : attempt, ...(retryAt !== undefined && { retryAt: Math.round(retryAt) }) }),
    target: (request) => {
      const fetch = (_: string, { body, signal }: RequestInit): Promise<Response> => attach(request, String(body ?? ""), signal ?? undefined);
      return { url: "line:", method: "POST", fetch: fetch as unknown as typeof globalThis.fetch };
    },
    connect: async (holds) => {
      if (holds) kept.add(line);
      if (wire && phase === "open") return void (wanted = true);
      const opened = new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
      ensure({ ...client.run(), resume: false }).catch(() => {});
      return opened;
    },
    unread: () => (frames.size && !answer ? { continues, talks } : undefined),
    endAnswer: () => end(false),
    send: (text) => (wire && phase === "open" ? wire.send(text) : false),
    online: () => {
      if (phase === "reconnecting" && !dialing && !wire) redial();
    },
    rest: () => {
      if (phase === "reconnecting" && retryAt === undefined && !dialing && !wire) again(new Error("it was lost during a run"), true);
    },
    close: () => {
      wanted = false;
      hangUp();
      clear();
      fail(aborted());
      if (phase !== "closed") giveUp();
    },
  };
  whenCollected(line, closing(current));
  return line;
}

/** The same events, unless the wire was given up. */
function only(signal: AbortSignal, events: WireEvents): WireEvents {
  return {
    opened: () => signal.aborted || events.opened(),
    paused: () => signal.aborted || events.paused(),
  };
}

/** Reads a wire to its end. Holds nothing of the line. */
async function read(
  answer: Promise<Response>,
  signal: AbortSignal,
  to: { frame(frame: Uint8Array): void; kind(media: string): void; ended(): void; failed(error: Error): void },
): Promise<void> {
  try {
    const { ok, status, headers, body } = await answer;
    if (!ok || !body) throw Object.assign(new Error(`the connection was refused with ${status}`), { status });
    if (!signal.aborted) to.kind(headers.get("content-type") ?? LINES);
    for (const reader = body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (signal.aborted) return void reader.cancel().catch(() => {});
      if (done) return to.ended();
      to.frame(value);
    }
  } catch (error) {
    if (!signal.aborted) to.failed(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Closes what is open. Made here, where nothing of a line can be held. */
const closing =
  (of: { readonly controller?: AbortController | undefined }): (() => void) =>
  () =>
    of.controller?.abort();

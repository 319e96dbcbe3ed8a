// The request of a thread's first run, which leaves before the core is there: the server is at work while the page loads it.
//
//   submit ──► the core loads ──────────────► session ──► open(run) ──► reads the answer
//        └───► request ──► server ──► answer ─────────────────┘
//
// The core decides what stands in a request. Only where there is nothing to decide it leaves so, and is word for word what the core
// would send: a thread of plain texts, to a server that speaks AG-UI over fetch (tests/js/core/ahead.test.mjs compares them).

import { turn } from "./turn.js";
import { toTarget } from "./traps.js";
import type { Message } from "../api/types.js";
import type { CoreInput } from "../intents/submit.js";
import type { LinkState, OwnParts, PendingIntent } from "./client.js";

/** A request that has left before its session was there. */
export type AheadRequest = ReturnType<typeof send>;

/** The page, as such a request needs it. */
export interface AheadClient extends Pick<OwnParts, "request" | "stopRemote"> {
  /** Whether the server reads what is written here. */
  readonly plain: (runId: string) => boolean;
  readonly threadId: () => string;
}

/** Sends the request of the run that waits, if the core is not there within this task. */
export function sendAhead<State>(client: AheadClient, shared: LinkState<State>): void {
  turn(() => {
    const { home, apart, pending: { list, confirmed } } = shared;
    const [first] = list;
    const run = first?.run;
    // Other submits wait for its end.
    const decided = list.every((pending) => pending.run?.method === "submit");
    if (home.at || apart || shared.ahead || !run || !decided || !client.plain(run.id)) return;
    const before = confirmed();
    // Nobody may ever read the answer.
    if (before.error?.code === "load") return;
    const input = JSON.parse(run.json!) as CoreInput;
    const at = run.fold(before);
    if (input.resume || input.replaces !== undefined || !at.messages.every(isPlain)) return;
    first!.unsaved = true;
    // A save has the run in progress from now on: no other page sends it.
    shared.home = { last: JSON.stringify({ runId: run.id, running: true }) };
    shared.ahead = send(client, shared, run.id, (now) => bodyOf(client.threadId(), input, at, now));
  });
}

/** Sends it. `body`: what is sent, by the options as they are then. */
function send<State>(client: AheadClient, shared: LinkState<State>, runId: string, body: (now: string) => string) {
  const controller = new AbortController();
  const { signal } = controller;
  const target = (async () => toTarget(await client.request(false, runId, undefined)))();
  const response = target.then(({ url, headers, credentials, fetch: own, input }) => {
    const all = new Headers(headers);
    all.set("accept", "text/event-stream");
    all.set("content-type", "application/json");
    const init = { method: "POST", headers: all, body: body(input!), signal, ...(credentials && { credentials }) };
    return own ? own(url, init) : fetch(url, init);
  }).then(readAlready);
  // The session hears of it.
  response.catch(() => {});
  return {
    ...{ runId, controller, target, response },
    /** Gives it up, unless its run is one of these. */
    keep: <Pending>(pending: readonly Pick<PendingIntent<Pending>, "run" | "cancelled">[]): void => {
      const mine = pending.find(({ run, cancelled }) => (run ?? cancelled)?.id === runId);
      // Where the core could not be loaded, the same run is asked for again: its request is still this one.
      if (mine?.run || (shared.lost?.id === runId && shared.home.at !== "ended")) return;
      shared.ahead = undefined;
      if (!shared.home.at) shared.home = {};
      controller.abort();
      if (mine) client.stopRemote(runId);
    },
  };
}

/**
 * The response, whose body is read as it comes: where a connection breaks, what has come before and nobody has read yet is lost. The reader
 * gives the reads in their order, and from then on those that it is asked for.
 */
function readAlready(response: Response): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const reads: Promise<ReadableStreamReadResult<Uint8Array>>[] = [];
  let taken = false;
  const next = (): void => {
    const read = reader.read();
    reads.push(read);
    read.then(({ done }) => done || taken || next(), () => {});
  };
  next();
  const getReader = () => ({
    read: () => {
      taken = true;
      return reads.shift() ?? reader.read();
    },
    cancel: () => reader.cancel(),
  });
  return { status: response.status, headers: response.headers, body: { getReader } } as unknown as Response;
}

const members = /^(id|role|content|delivery)$/;

/** Whether a message is nothing but a text. */
const isPlain = (message: Message): boolean =>
  /^(user|assistant|system|developer)$/.test(message.role) && typeof message.id === "string" && typeof message.content === "string" &&
  Object.keys(message).every((name) => members.test(name));

/** The body as the core writes it (`src/wire/input.rs`). */
function bodyOf(threadId: string, input: CoreInput, { messages, state }: { messages: readonly Message[]; state: unknown }, now: string): string {
  const { runId, own = [] } = input;
  const given = Object.fromEntries(own.map((name) => [name, input[name as keyof CoreInput]]));
  const { tools, context, forwardedProps } = { ...JSON.parse(now), ...given };
  const texts = messages.map(({ id, role, content }) => ({ id, role, content }));
  return JSON.stringify({
    threadId,
    runId,
    protocolVersion: "1.0",
    state: state ?? undefined,
    messages: texts,
    tools,
    context,
    forwardedProps: forwardedProps ?? undefined,
  });
}

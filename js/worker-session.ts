// The page's side: a session like the core's, whose core is in a worker. Its methods return at once. What the core makes
// of a call comes later: a patch, the end of a run, or a refusal.

import type { Host, Session, SessionOptions } from "./glue/core.js";
import { AgentError } from "./error.js";
import { internal } from "./failure.js";
import { createPageRequest, type PageRequest } from "./worker-fetch.js";
import { createPipe, type Failure } from "./worker-pipe.js";
import type { Act, Begin, FromPage, Head } from "./worker-serve.js";

/** What the worker tells and asks. */
export interface FromWorker {
  patch(json: string): void;
  changed(): void;
  /** The members of a save without the thread. */
  saved(json: string): void;
  settled(ticket: number, json: string): void;
  refused(ticket: number, why: Failure): void;
  /** Of a call that has no run. */
  misused(why: Failure): void;
  unrestored(why: Failure): void;
  lost(why: Failure, trapped: boolean): void;
  echo(number: number): void;
  ended(): void;
  warning(warning: Parameters<Host["warning"]>[0]): void;
  custom(name: string, value: string): void;
  event(json: string): void;
  decision(json: string): void;
  /** The guard's counters, as far as the next patch goes. */
  counted(json: string | undefined): void;
  execute(toolCallId: string, name: string, args: string, approved: boolean): void;
  abandon(toolCallId: string): void;
  stopRemote(runId: string): void;
  request(number: number, resume: boolean, runId: string, cursor: string | undefined): Promise<unknown>;
  fetch(number: number, url: string, init: RequestInit): Promise<Head>;
  read(number: number): Promise<Uint8Array | undefined>;
  cancelFetch(number: number): void;
}

/** Who makes a session, and hears what it could not answer at once. */
export interface Owner {
  /** A ticket's run will not be: `settled` is told next that it has ended. */
  refused(ticket: number, why: Failure): void;
  misused(why: Failure): void;
  unrestored(why: Failure): void;
  /** A ticket is about to end. */
  settling(ticket: number): void;
  /** The members of a save without the thread. */
  saved(json: string): void;
  /** The worker has nothing more to say for now. */
  received(): void;
  /** The session is about to fail. */
  lost(): void;
  /** The call runs because a person has approved it. */
  approved(toolCallId: string, method: () => void): void;
  /** It is over with this session. */
  closed(): void;
}

/** A session in a worker. */
export interface RemoteSession extends Session {
  /** Calls back when the worker has done all that it was told before; at once if it never will. */
  echo(done: () => void): void;
  /** `save()` of the core. */
  latest(): Promise<string | undefined>;
  /** The worker is gone. */
  die(reason: string): void;
}

/** A session at the other end of the port. */
export function createRemoteSession(
  port: MessagePort,
  options: SessionOptions,
  messages: string | undefined,
  state: string | undefined,
  host: Host,
  owner: Owner,
): RemoteSession {
  const echoes = new Map<number, () => void>();
  const requests = new Map<number, PageRequest>();
  let calls = 0;
  let tickets = 0;
  let patch: string | undefined;
  let failure: AgentError | undefined;
  let behind = false;
  let counters: string | undefined;
  let events = options.events;
  let decisions = options.decisions;

  const close = (error: Error): void => {
    for (const request of requests.values()) request.cancel();
    requests.clear();
    pipe.close(error);
    const done = [...echoes.values()];
    echoes.clear();
    for (const echo of done) echo();
    owner.closed();
  };
  const fail = (error: AgentError): void => {
    if (failure) return;
    failure = error;
    owner.lost();
    close(error);
    // The agent finds it where it looks for a patch.
    host.changed(true);
  };

  const mine: FromWorker = {
    ...{ custom: host.custom, event: host.event, decision: host.decision, warning: host.warning, abandon: host.abandon },
    ...{ stopRemote: host.stopRemote, misused: owner.misused, unrestored: owner.unrestored, saved: owner.saved },
    patch: (json) => {
      patch = json;
      behind = false;
      host.changed(true);
    },
    changed: () => {
      behind = true;
      host.changed(false);
    },
    counted: (json) => void (counters = json),
    settled: (ticket, json) => {
      owner.settling(ticket);
      host.settled(ticket, json);
    },
    refused: (ticket, why) => {
      owner.settling(ticket);
      owner.refused(ticket, why);
      host.settled(ticket, `{"outcome":"dropped"}`);
    },
    lost: (why, trapped) => {
      const cause = Object.assign(new Error(why.message), why);
      const { message, code = "input" } = why;
      fail(trapped ? internal("The WebAssembly core has failed", cause) : new AgentError({ kind: "unsupported", code, message, cause }));
    },
    echo: (number) => {
      const done = echoes.get(number);
      echoes.delete(number);
      done?.();
    },
    ended: () => close(new Error("The session has ended")),
    execute: (toolCallId, name, args, approved) => {
      const run = (): void => host.execute(toolCallId, name, args);
      if (approved) owner.approved(toolCallId, run);
      else run();
    },
    request: async (number, resume, runId, cursor) => {
      const { url, method, headers, credentials, binary, fetch } = await host.request(resume, runId, cursor);
      if (fetch) requests.set(number, createPageRequest(fetch));
      // The worker's own address is another one.
      return { url: fetch ? url : absolute(url), method, headers: listOf(headers), credentials, binary: binary === true, fetches: !!fetch };
    },
    fetch: async (number, url, init) => requests.get(number)!.send(url, init),
    read: async (number) => {
      const chunk = await requests.get(number)?.read();
      if (!chunk) requests.delete(number);
      return chunk;
    },
    cancelFetch: (number) => {
      requests.get(number)?.cancel();
      requests.delete(number);
    },
  };
  const pipe = createPipe<FromPage>(port, mine, { received: owner.received });
  pipe.tell("open", options, messages, state);

  const begin = (method: Begin, ...args: readonly (string | undefined)[]): number => {
    pipe.tell("begin", --tickets, method, ...args);
    return tickets;
  };
  const act = (method: Act, ...args: readonly unknown[]): true => {
    pipe.tell("act", method, ...args);
    return true;
  };

  return {
    submit: (input) => begin("submit", input),
    retry: (input) => begin("retry", input),
    regenerate: (messageId, input) => begin("regenerate", messageId, input),
    attach: (input) => begin("attach", input),
    answer: (json) => begin("answer", json),
    restore: (json) => pipe.tell("restore", json),
    cancel: (ticket) => pipe.tell("cancel", ticket),
    stop: () => void act("stop"),
    disconnect: () => void act("disconnect"),
    online: () => void act("online"),
    settleCall: (json) => act("settleCall", json),
    approve: (json) => act("approve", json),
    deny: (json) => act("deny", json),
    hold: (json) => act("hold", json),
    editQueued: (ticket, json) => {
      pipe.tell("editQueued", ticket, json);
      return true;
    },
    setMessages: (json) => void act("setMessages", json),
    setState: (json) => void act("setState", json),
    setEvents: (on) => {
      // Options may be set with every rendering.
      if (on !== events) act("setEvents", (events = on));
    },
    setDecisions: (on) => {
      if (on !== decisions) act("setDecisions", (decisions = on));
    },
    present: (json) => void act("present", json),
    guardCounters: () => counters,
    reset: () => void act("reset"),
    takePatch: () => {
      if (failure) throw failure;
      const json = patch;
      patch = undefined;
      if (json === undefined && behind) {
        behind = false;
        pipe.tell("take");
      }
      return json;
    },
    // Known by who made the session.
    save: () => "",
    dispose: () => pipe.tell("end"),
    free: () => {},
    echo: (done) => {
      if (failure) return done();
      echoes.set(++calls, done);
      pipe.tell("echo", calls);
    },
    latest: async () => (await pipe.ask("save")) as string | undefined,
    die: (reason) => fail(internal("The worker has failed", new Error(reason))),
  };
}

function listOf(headers: HeadersInit | undefined): [string, string][] {
  return [...new Headers(headers ?? {})];
}

/** The address as the page means it. */
function absolute(url: string): string {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  return base === undefined ? url : new URL(url, base).href;
}

// One end of a port between a page and its worker. Calls of one task travel as one message, in order; a question is a
// call that is answered.

import { settle } from "../base/promise.js";

type Methods<Name extends string> = { [key in Name]: (...args: never[]) => unknown };
type Args<Method> = Method extends (...args: infer List) => unknown ? List : never;
/** A call, with a number if it is a question. Under no name: an answer, `[number, value, failure?]`. */
type PipeItem = readonly [name: string, args: readonly unknown[], question?: number];

/** An exception as it crosses the port. */
export interface Failure {
  readonly name?: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
}

/** Takes the answer to a question, or why there is none. */
type Answered = (value: unknown, failure?: Failure) => void;

/** The calls to the other end. */
export interface Pipe<Theirs> {
  tell<Name extends keyof Theirs & string>(name: Name, ...args: Args<Theirs[Name]>): void;
  /** A question whose answer is taken in the turn in which it comes: what the other end returns or throws, or what the pipe was closed for. */
  question<Name extends keyof Theirs & string>(answered: Answered, name: Name, ...args: Args<Theirs[Name]>): void;
  /** The same as a promise. */
  ask<Name extends keyof Theirs & string>(name: Name, ...args: Args<Theirs[Name]>): Promise<unknown>;
  /** Sends the calls so far as a message of its own: the other end has its turn before the rest. */
  part(): void;
  /** Posts at the end of the task, even if nothing was sent by then. */
  wake(): void;
  /** Rejects what is asked, with this message. No error is kept: its stack would hold whoever was called. */
  close(reason: string): void;
}

/** Hooks beside the calls. */
export interface PipeHooks {
  /** Something is about to be posted: the last that can be added to it. */
  posting?(): void;
  /** All calls of a message have been made. */
  received?(): void;
}

/** The end of a pipe that answers with `mine`. */
export function createPipe<Theirs extends Methods<keyof Theirs & string>>(
  port: MessagePort,
  mine: object,
  { posting, received }: PipeHooks = {},
): Pipe<Theirs> {
  // The questions that the other end has not answered.
  const open = new Map<number, Answered>();
  let asked = 0;
  let outbox: PipeItem[] = [];
  let waking = false;
  let closed: string | undefined;

  const part = (): void => {
    const items = outbox;
    outbox = [];
    if (items.length) port.postMessage(items, items.flatMap(transfersOf));
  };
  const post = (): void => {
    waking = false;
    if (closed === undefined) posting?.();
    if (closed === undefined) part();
  };
  const wake = (): void => {
    if (!waking) queueMicrotask(post);
    waking = true;
  };
  const send = (...item: PipeItem): void => {
    outbox.push(item);
    wake();
  };

  const take = (item: PipeItem): void => {
    if (item[0]) return perform(mine as Methods<string>, item, send);
    const [number, ...answer] = item[1] as [number, ...Parameters<Answered>];
    open.get(number)?.(...answer);
    open.delete(number);
  };

  const question: Pipe<Theirs>["question"] = (answered, name, ...args) => {
    if (closed !== undefined) return answered(undefined, { message: closed });
    open.set(++asked, answered);
    send(name, args, asked);
  };

  port.onmessage = ({ data }: MessageEvent<readonly PipeItem[]>) => {
    for (const item of data) if (closed === undefined) take(item);
    if (closed === undefined) received?.();
  };
  return {
    tell: (name, ...args) => send(name, args),
    question,
    ask: (...call) => promised((answered) => question(answered, ...call)),
    part,
    wake,
    close: (reason) => {
      closed = reason;
      port.close();
      for (const answered of open.values()) answered(undefined, { message: reason });
      open.clear();
    },
  };
}

/** Makes a call, and sends the answer if it is a question. */
function perform(mine: Methods<string>, [name, args, number]: PipeItem, send: (...item: PipeItem) => void): void {
  const method = mine[name] as (...args: readonly unknown[]) => unknown;
  if (number === undefined) return void method(...args);
  const give = (value: unknown): void => send("", [number, value]);
  const fail = (error: unknown): void => send("", [number, undefined, toFailure(error)]);
  // A known value is returned before anything that is sent next.
  settle(() => method(...args), give, fail);
}

/** The answer to the question that `ask` asks. */
const promised = (ask: (settle: Answered) => void): Promise<unknown> =>
  new Promise((resolve, reject) => ask((value, failure) => (failure ? reject(toError(failure)) : resolve(value))));

/** The exception that has crossed the port. */
export const toError = (failure: Failure): Error => Object.assign(new Error(failure.message), failure);

/** The form of an exception that crosses the port. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, code, status } = error as Error & Failure;
  return { name, message, code, status };
}

/** The bytes of an answer, which go over and are not copied. */
function transfersOf([name, args]: PipeItem): Transferable[] {
  const value = name ? undefined : args[1];
  return value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
}

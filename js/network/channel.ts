// A channel: one connection that is kept open over several answers, for systems whose sessions outlive a run. The core knows runs,
// each with a body of its own; a channel cuts what comes into these bodies. So everything that holds for a run holds here.
//
//   frames ──► channel ─┬─ an answer is on ──► its body (channel-answers.ts)
//                       └─ none ─────────────► unread: the agent begins a run that nobody asked for
//
// channel-dialer.ts has the connection. An answer ends with an event that says so, with a pause, or with the next message of the user. If the connection is lost before, the body fails, and the run is `truncated`.

import { aborted, refusal, toError } from "./body.js";
import { ChannelAnswers } from "./channel-answers.js";
import { Dialer } from "./channel-dialer.js";
import { createQueue } from "../base/queue.js";
import { dataOf, idOf, isRunBoundary, isSign, isText, parse } from "./channel-frames.js";
import type { Channel, ChannelClient, Unread, Wire } from "../api/channel.js";
import type { TransportRequest, TransportTarget } from "../api/types.js";

/** A channel that is closed. */
export class ClientChannel implements Channel {
  readonly #answers: ChannelAnswers;
  readonly #dialer: Dialer;
  readonly #unread = createUnread();
  readonly #bufferBytes: number;
  /** The connection of the last message. */
  #asked: Wire | undefined;

  constructor(private readonly client: ChannelClient) {
    const { source, options, kit } = client;
    const settings = source()?.settings ?? {};
    this.#bufferBytes = settings.bufferBytes ?? 16 * 2 ** 20;
    this.#dialer = new Dialer(client, {
      opened: () => this.#answers.expect(),
      paused: (continues) => {
        if (continues) this.#answers.expect(kit.retryTimes(options().retry).maxMs);
        // Without ids, nobody knows what is lost.
        else this.#answers.fail(new Error("the event source was lost"));
      },
      frame: (frame) => this.#take(frame),
      ended: () => {
        // The answer is over, and so is the session.
        this.#answers.end(false);
        this.#dialer.hangUp();
        this.#dialer.giveUp();
      },
      failed: (error) => this.#lost(error),
      closed: () => kit.retained.delete(this),
    });
    this.#answers = new ChannelAnswers(settings, this.#dialer, {
      hasMore: () => this.#unread.size() > 0,
      stop: () => this.#stop(),
      lost: (error) => this.#lost(error),
      offer: () => this.#offer(),
    });
    kit.whenCollected(this, this.#dialer.closing);
  }

  state(): ReturnType<Channel["state"]> {
    return this.#dialer.state();
  }

  target(request: TransportRequest): TransportTarget {
    const fetch = (_: string, { body, signal }: RequestInit): Promise<Response> => this.#attach(request, String(body ?? ""), signal ?? undefined);
    return { url: "line:", method: "POST", fetch: fetch as unknown as typeof globalThis.fetch };
  }

  async connect(holds: boolean): Promise<void> {
    if (holds) this.client.kit.retained.add(this);
    if (this.#dialer.isOpen) return;
    const opened = this.#dialer.opened();
    this.#dialer.ensure({ ...this.client.run(), resume: false }).catch(() => {});
    return opened;
  }

  unread(): Unread | undefined {
    if (!this.#unread.size() || this.#answers.current) return undefined;
    return { continues: this.#answers.continues, hasText: this.#unread.hasText() };
  }

  endAnswer(): void {
    this.#answers.end(false);
  }

  send(text: string): boolean | Promise<Response> {
    return this.#dialer.isOpen ? this.#dialer.wire!.send(text) : false;
  }

  online(): void {
    this.#dialer.online();
  }

  rest(): void {
    this.#dialer.rest();
  }

  close(): void {
    this.#hangUp();
    if (this.#dialer.state().phase !== "closed") this.#dialer.giveUp();
  }

  #hangUp(): void {
    this.#dialer.hangUp();
    this.#unread.clear();
    this.#answers.fail(aborted());
  }

  /** The run was stopped. The server learns it from the end of the connection alone. */
  #stop(): void {
    this.#hangUp();
    this.#dialer.restart();
  }

  #lost(error: Error): void {
    const answering = !!this.#answers.current;
    this.#dialer.drop();
    this.#answers.fail(error);
    this.#dialer.recover(error, answering);
  }

  #take(frame: Uint8Array): void {
    if (isSign(frame)) return this.#answers.current?.write(frame);
    const data = dataOf(frame);
    this.#dialer.received(idOf(frame));
    if (this.#answers.current && !this.#answers.isBeside(data, false)) return this.#answers.pass(frame, data);
    this.#unread.push(frame, data);
    if (this.#unread.bytes() <= this.#bufferBytes) return this.client.unread();
    this.#unread.clear();
    const message = `More than ${this.#bufferBytes} bytes of events wait to be read: they are dropped, and the connection is opened anew`;
    this.client.failed(new this.client.kit.AgentError({ kind: "limit", message }));
    this.#lost(new Error(message));
  }

  /** Gives the answer in progress what waits unread. So many frames have come before it was asked for. */
  #offer(before = 0): void {
    const answers = this.#answers;
    const { current } = answers;
    const goesOn = (): boolean => !!current && answers.current === current;
    this.#unread.offer(goesOn, (frame, data) => {
      if (answers.isBeside(data, before-- > 0)) return false;
      answers.pass(frame, data);
      return true;
    });
  }

  /** The server says the rest of this run anew: what is left of it would count twice. */
  #forget(runId: string): void {
    if (this.#asked && this.#asked === this.#dialer.wire) this.#dialer.hangUp();
    let isOther = false;
    this.#unread.offer(() => true, (_, data) => {
      const { type, runId: found } = isRunBoundary(data) ? (parse(data) ?? {}) : {};
      const was = isOther;
      if (type) isOther = type === "RUN_STARTED" && found !== runId;
      return !(was || isOther);
    });
  }

  /** Begins an answer to a request. Its body has the frames that wait unread, and those that come after them. */
  async #attach(request: TransportRequest, text: string, signal: AbortSignal | undefined): Promise<Response> {
    const [client, answers, unread] = [this.client, this.#answers, this.#unread];
    // Frames that have arrived can be read, whatever became of the connection.
    const joins = request.resume && text !== "";
    if (joins) this.#forget(request.runId);
    const wasOpen = this.#dialer.isOpen;
    if (text !== "" || request.resume || !unread.size()) await this.#dialer.ensure(request);
    if (signal?.aborted) throw aborted();
    // Nobody has asked for that run, and another connection does not continue it.
    if (request.resume && text === "" && !wasOpen && !this.#dialer.continues) return new Response(null, { status: 404 });
    // A server that repeats a run may repeat those before it, too.
    const repeats = request.resume && client.options().resume?.by === "replay";
    const before = unread.size();
    // A run that is joined continues what comes.
    const mine = answers.begin(text !== "" || request.resume, text !== "" && !repeats ? request.runId : undefined, text !== "");
    const isCurrent = (): boolean => answers.current === mine;
    signal?.addEventListener("abort", () => isCurrent() && this.#stop());
    const { wire } = this.#dialer;
    if (text !== "") this.#asked = wire;
    if (text !== "" && !wire?.mute) {
      try {
        const refused = await say(wire, text);
        if (refused && isCurrent()) answers.end(false);
        if (refused) return refused;
      } catch (cause) {
        // Otherwise it has ended meanwhile: the connection was lost, or the run was stopped.
        if (isCurrent()) answers.fail(toError(cause));
      }
    }
    if (!joins) this.#offer(before);
    if (isCurrent() && (mine.requested ? client.overtaken() : !mine.hasText)) answers.end(!mine.requested);
    if (unread.size()) client.unread();
    return mine.response;
  }
}

/** Sends a message. Resolves with the server's response where the server does not take it. */
async function say(wire: Wire | undefined, text: string): Promise<Response | undefined> {
  const sent = await wire?.send(text);
  if (!sent) throw new Error("the message could not be sent");
  return sent === true ? undefined : refusal(sent);
}

type UnreadFrame = readonly [frame: Uint8Array, hasText: boolean];

/** The frames that no answer has taken, and whether there is text among them. */
function createUnread() {
  const frames = createQueue<UnreadFrame>();
  // Offered, and not taken: they come before the others.
  const kept: UnreadFrame[] = [];
  let bytes = 0;
  let texts = 0;
  const count = ([frame, hasText]: UnreadFrame, by = 1): void => {
    bytes += by * frame.length;
    texts += by * Number(hasText);
  };
  return {
    size: () => frames.size + kept.length,
    bytes: () => bytes,
    hasText: () => texts > 0,
    clear: (): void => {
      frames.clear();
      kept.length = bytes = texts = 0;
    },
    push: (frame: Uint8Array, data: string): void => {
      const item: UnreadFrame = [frame, isText(data)];
      frames.push(item);
      count(item);
    },
    /** Offers each, oldest first, as long as `goesOn`; `takes` returns whether it is taken. */
    offer: (goesOn: () => boolean, takes: (frame: Uint8Array, data: string) => boolean): void => {
      for (let next; goesOn() && (next = frames.take());) {
        count(next, -1);
        if (takes(next[0], dataOf(next[0]))) continue;
        kept.push(next);
        count(next);
      }
      if (!kept.length) return;
      for (let next; (next = frames.take());) kept.push(next);
      for (const item of kept.splice(0)) frames.push(item);
    },
  };
}

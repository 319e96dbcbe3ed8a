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
import { dataOf, idOf, isSign, isText } from "./channel-frames.js";
import type { Channel, ChannelClient, Unread, Wire } from "../api/channel.js";
import type { TransportRequest, TransportTarget } from "../api/types.js";
import { createQueue } from "../base/queue.js";

/** A channel that is closed. */
export class ClientChannel implements Channel {
  readonly #answers: ChannelAnswers;
  readonly #dialer: Dialer;
  readonly #unread = createUnread();
  readonly #bufferBytes: number;

  constructor(private readonly client: ChannelClient) {
    const { source, options, kit } = client;
    const settings = source()?.settings ?? {};
    this.#bufferBytes = settings.bufferBytes ?? 16 * 2 ** 20;
    this.#answers = new ChannelAnswers(settings, {
      call: kit.call,
      media: () => this.#dialer.media,
      isOpen: () => this.#dialer.isOpen,
      hasMore: () => this.#unread.size() > 0,
      stop: () => this.#stop(),
    });
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
    kit.whenCollected(this, this.#dialer.closing());
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
    if (this.#answers.current) return this.#answers.pass(frame, data);
    this.#unread.push(frame, data);
    if (this.#unread.bytes() <= this.#bufferBytes) return this.client.unread();
    this.#unread.clear();
    const message = `More than ${this.#bufferBytes} bytes of events wait to be read: they are dropped, and the connection is opened anew`;
    this.client.failed(new this.client.kit.AgentError({ kind: "limit", message }));
    this.#lost(new Error(message));
  }

  /** Begins an answer to a request. Its body has the frames that wait unread, and those that come after them. */
  async #attach(request: TransportRequest, text: string, signal: AbortSignal | undefined): Promise<Response> {
    const [client, answers, unread] = [this.client, this.#answers, this.#unread];
    // Frames that have arrived can be read, whatever became of the connection.
    if (text !== "" || request.resume || !unread.size()) await this.#dialer.ensure(request);
    if (signal?.aborted) throw aborted();
    // A run that is joined continues what comes.
    const mine = answers.begin(text !== "" || request.resume, text !== "");
    const isCurrent = (): boolean => answers.current === mine;
    signal?.addEventListener("abort", () => isCurrent() && this.#stop());
    const { wire } = this.#dialer;
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
    while (isCurrent() && unread.size()) {
      const frame = unread.take();
      answers.pass(frame, dataOf(frame));
    }
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

/** The frames that no answer has taken, and whether there is text among them. */
function createUnread() {
  const frames = createQueue<Uint8Array>();
  let bytes = 0;
  let hasText = false;
  const clear = (): void => {
    frames.clear();
    bytes = 0;
    hasText = false;
  };
  return {
    size: () => frames.size,
    bytes: () => bytes,
    hasText: () => hasText,
    push: (frame: Uint8Array, data: string): void => {
      frames.push(frame);
      bytes += frame.length;
      hasText ||= isText(data);
    },
    /** Takes the oldest one; there must be one. */
    take: (): Uint8Array => {
      const frame = frames.take()!;
      bytes -= frame.length;
      if (!frames.size) clear();
      return frame;
    },
    clear,
  };
}

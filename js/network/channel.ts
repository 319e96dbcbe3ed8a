// A channel: one connection that is kept open over several answers, for systems whose sessions outlive a run. The core knows runs,
// each with a body of its own; a channel cuts what comes into these bodies. So everything that holds for a run holds here.
//
//   frames ──► channel ─┬─ an answer is on ──► its body (channel-answers.ts)
//                       └─ none ─────────────► unread: the agent begins a run that nobody asked for
//
// channel-dialer.ts decides when there is a connection, which is in channel-connection.ts. An answer ends with an event that says so, with a
// pause, or with the next message of the user. If the connection is lost before, the body fails, and the run is `truncated`.

import { aborted, toError } from "./body.js";
import { createAnswers } from "./channel-answers.js";
import { createDialer } from "./channel-dialer.js";
import { dataOf, idOf, isSign, isText } from "./channel-frames.js";
import type { Channel, ChannelClient, Wire } from "../api/channel.js";
import type { TransportRequest } from "../api/types.js";
import { createQueue } from "../base/queue.js";

/** A channel that is closed. */
export function createChannel(client: ChannelClient): Channel {
  const { AgentError, retained, retryTimes, whenCollected } = client.kit;
  const settings = client.source()?.settings ?? {};
  const { bufferBytes = 16 * 2 ** 20 } = settings;
  const unread = createUnread();

  const hangUp = (): void => {
    dialer.hangUp();
    unread.clear();
    answers.fail(aborted());
  };

  /** The run was stopped. Only the end of the connection tells the server. */
  const stop = (): void => {
    hangUp();
    dialer.restart();
  };

  const answers = createAnswers(settings, {
    call: client.kit.call,
    media: () => dialer.media(),
    isOpen: () => dialer.isOpen(),
    hasMore: () => unread.size() > 0,
    stop,
  });

  const lost = (error: Error): void => {
    const answering = !!answers.current();
    dialer.drop();
    answers.fail(error);
    dialer.recover(error, answering);
  };

  const take = (frame: Uint8Array): void => {
    if (isSign(frame)) return answers.current()?.body.write(frame);
    const data = dataOf(frame);
    dialer.received(idOf(frame));
    if (answers.current()) return answers.pass(frame, data);
    unread.push(frame, data);
    if (unread.bytes() <= bufferBytes) return client.unread();
    unread.clear();
    const message = `More than ${bufferBytes} bytes of events wait to be read: they are dropped, and the connection is opened anew`;
    client.failed(new AgentError({ kind: "limit", message }));
    lost(new Error(message));
  };

  const dialer = createDialer(client, {
    opened: () => answers.expect(),
    paused: (continues) => {
      if (continues) answers.expect(retryTimes(client.options().retry).maxMs);
      // Without ids, nobody knows what is lost.
      else answers.fail(new Error("the event source was lost"));
    },
    frame: take,
    ended: () => {
      // The answer is over, and so is the session.
      answers.end(false);
      dialer.hangUp();
      dialer.giveUp();
    },
    failed: lost,
    closed: () => retained.delete(channel),
  });

  const channel: Channel = {
    state: dialer.state,
    target: (request) => {
      const fetch = (_: string, { body, signal }: RequestInit): Promise<Response> =>
        attach({ client, unread, answers, dialer, stop }, request, String(body ?? ""), signal ?? undefined);
      return { url: "line:", method: "POST", fetch: fetch as unknown as typeof globalThis.fetch };
    },
    connect: async (holds) => {
      if (holds) retained.add(channel);
      if (dialer.isOpen()) return;
      const opened = dialer.opened();
      dialer.ensure({ ...client.run(), resume: false }).catch(() => {});
      return opened;
    },
    unread: () => (unread.size() && !answers.current() ? { continues: answers.continues(), hasText: unread.hasText() } : undefined),
    endAnswer: () => answers.end(false),
    send: (text) => (dialer.isOpen() ? dialer.wire()!.send(text) : false),
    online: dialer.online,
    rest: dialer.rest,
    close: () => {
      hangUp();
      if (dialer.state().phase !== "closed") dialer.giveUp();
    },
  };
  whenCollected(channel, dialer.closing());
  return channel;
}

/** The parts of a channel that an answer needs. */
interface ChannelParts {
  readonly client: ChannelClient;
  readonly unread: ReturnType<typeof createUnread>;
  readonly answers: ReturnType<typeof createAnswers>;
  readonly dialer: ReturnType<typeof createDialer>;
  /** The run was stopped. */
  stop(): void;
}

/** Begins an answer to a request. Its body has the frames that wait unread, and those that come after them. */
async function attach(channel: ChannelParts, request: TransportRequest, text: string, signal: AbortSignal | undefined): Promise<Response> {
  const { client, unread, answers, dialer, stop } = channel;
  // Frames that have arrived can be read, whatever became of the connection.
  if (text !== "" || request.resume || !unread.size()) await dialer.ensure(request);
  if (signal?.aborted) throw aborted();
  // A run that is joined continues what comes.
  const { promise, mine } = answers.begin(text !== "" || request.resume, text !== "");
  const isCurrent = (): boolean => answers.current() === mine;
  signal?.addEventListener("abort", () => isCurrent() && stop());
  if (text !== "" && !dialer.wire()?.mute) {
    try {
      const refusal = await say(dialer.wire(), text);
      if (refusal && isCurrent()) answers.end(false);
      if (refusal) return refusal;
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
  return promise;
}

/** Sends a message. Resolves with the server's response where the server does not take it. */
async function say(wire: Wire | undefined, text: string): Promise<Response | undefined> {
  const sent = await wire?.send(text);
  if (!sent) throw new Error("the message could not be sent");
  if (sent === true) return undefined;
  return sent.ok ? void sent.body?.cancel().catch(() => {}) : sent;
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

// A line: one connection that is kept open over several answers, for systems whose sessions outlive a run. The core knows runs,
// each with a body of its own; a line cuts what comes into these bodies. So everything that holds for a run holds here.
//
//   frames ──► line ─┬─ an answer is on ──► its body (line-answers.ts)
//                    └─ none ─────────────► unread: the agent begins a run that nobody asked for
//
// The connection itself is in line-dialer.ts. An answer ends with an event that says so, with a pause, or with the next message of the
// user. If the connection is lost before, the body fails, and the run is `truncated`.

import { aborted, toError } from "./body.js";
import { createAnswers, type LineAnswer } from "./line-answers.js";
import { createDialer } from "./line-dialer.js";
import { dataOf, idOf, isSign, isText } from "./line-frames.js";
import { retryTimes } from "./request.js";
import { AgentError } from "../api/error.js";
import type { Line, LineClient } from "../api/line.js";
import type { TransportRequest } from "../api/types.js";
import { createQueue } from "../base/queue.js";
import { kept, whenCollected } from "../base/weak.js";

/** A line that is closed. */
export function createLine(client: LineClient): Line {
  const settings = client.source()?.settings ?? {};
  const { bufferBytes = 16 * 2 ** 20 } = settings;
  // The frames that no answer has taken, and whether there is text among them.
  const frames = createQueue<Uint8Array>();
  let bytes = 0;
  let talks = false;

  const clear = (): void => {
    frames.clear();
    bytes = 0;
    talks = false;
  };

  /** The run was stopped. Only the end of the connection tells the server. */
  const stop = (): void => {
    dialer.hangUp();
    clear();
    answers.fail(aborted());
    dialer.restart();
  };

  const answers = createAnswers(settings, {
    media: () => dialer.media(),
    isOpen: () => dialer.isOpen(),
    hasMore: () => frames.size > 0,
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
    dialer.heard(idOf(frame));
    if (answers.current()) return answers.pass(frame, data);
    frames.push(frame);
    bytes += frame.length;
    talks ||= isText(data);
    if (bytes <= bufferBytes) return client.unread();
    clear();
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
    closed: () => kept.delete(line),
  });

  /** Sends a message. Gives what the server says, where it does not take it. */
  const say = async (text: string, mine: LineAnswer): Promise<Response | undefined> => {
    try {
      const sent = await dialer.wire()?.send(text);
      if (!sent) throw new Error("the message could not be sent");
      if (sent === true) return undefined;
      if (sent.ok) return void sent.body?.cancel().catch(() => {});
      if (answers.current() === mine) answers.end(false);
      return sent;
    } catch (cause) {
      // It has ended meanwhile: the connection was lost, or the run was stopped.
      if (answers.current() === mine) answers.fail(toError(cause));
      return undefined;
    }
  };

  const attach = async (request: TransportRequest, text: string, signal: AbortSignal | undefined): Promise<Response> => {
    // Frames that have arrived can be read, whatever became of the connection.
    if (text !== "" || request.resume || !frames.size) await dialer.ensure(request);
    if (signal?.aborted) throw aborted();
    // A run that is joined continues what comes.
    const { promise, mine } = answers.begin(text !== "" || request.resume, text !== "");
    const isCurrent = (): boolean => answers.current() === mine;
    signal?.addEventListener("abort", () => isCurrent() && stop());
    if (text !== "" && !dialer.wire()?.mute) {
      const refused = await say(text, mine);
      if (refused) return refused;
    }
    while (isCurrent() && frames.size) {
      const frame = frames.take()!;
      bytes -= frame.length;
      answers.pass(frame, dataOf(frame));
    }
    if (!frames.size) talks = false;
    if (isCurrent() && (mine.asked ? client.overtaken() : !mine.talks)) answers.end(!mine.asked);
    if (frames.size) client.unread();
    return promise;
  };

  const line: Line = {
    state: dialer.state,
    target: (request) => {
      const fetch = (_: string, { body, signal }: RequestInit): Promise<Response> => attach(request, String(body ?? ""), signal ?? undefined);
      return { url: "line:", method: "POST", fetch: fetch as unknown as typeof globalThis.fetch };
    },
    connect: async (holds) => {
      if (holds) kept.add(line);
      if (dialer.isOpen()) return;
      const opened = dialer.opened();
      dialer.ensure({ ...client.run(), resume: false }).catch(() => {});
      return opened;
    },
    unread: () => (frames.size && !answers.current() ? { continues: answers.continues(), talks } : undefined),
    endAnswer: () => answers.end(false),
    send: (text) => (dialer.isOpen() ? dialer.wire()!.send(text) : false),
    online: dialer.online,
    rest: dialer.rest,
    close: () => {
      dialer.hangUp();
      clear();
      answers.fail(aborted());
      if (dialer.state().phase !== "closed") dialer.giveUp();
    },
  };
  whenCollected(line, dialer.closing());
  return line;
}

// An agent with a scripted server, for tests that look at more than the end of a run.

import { createAgent } from "ag-ui-wasm";
import { sseFrame } from "./cases.mjs";

/** @typedef {import("ag-ui-wasm").AgentOptions} AgentOptions */
/** @typedef {(string | Uint8Array | Record<string, any>)[]} Script  text and bytes as they are, events as frames; each one read */
/** @typedef {{ status?: number, type?: string, open?: boolean, breaks?: boolean }} Manner  `open`: the connection stays open; `breaks`: it fails */

export const started = (more = {}) => ({ type: "RUN_STARTED", threadId: "t", runId: "r", ...more });
export const finished = (more = {}) => ({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...more });
/** @param {string} id @param {string} delta @returns {[any, any, any]} */
export const text = (id, delta) => [
  { type: "TEXT_MESSAGE_START", messageId: id },
  { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta },
  { type: "TEXT_MESSAGE_END", messageId: id },
];

/**
 * An answer, with what became of it.
 *
 * @param {Script} script
 * @param {Manner} [manner]
 */
export function answering(script, { status = 200, type = "text/event-stream", open = false, breaks = false } = {}) {
  const encode = new TextEncoder();
  const pieces = script.map((piece) => (typeof piece === "string" ? encode.encode(piece) : piece instanceof Uint8Array ? piece : sseFrame(piece)));
  const told = { cancelled: false, read: 0 };
  const body = new ReadableStream(
    {
      pull(controller) {
        const piece = pieces[told.read];
        if (piece) controller.enqueue(piece);
        else if (breaks) controller.error(new TypeError("socket hang up"));
        // An open connection has nothing to say: whoever reads waits.
        else if (open) return new Promise(() => {});
        else controller.close();
        told.read++;
      },
      cancel: () => void (told.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { told, type, respond: () => new Response(body, { status, headers: type ? { "content-type": type } : {} }) };
}

/**
 * An agent whose requests are answered one after the other.
 *
 * @param {{ type?: string, respond(): Response }[]} answers
 * @param {Omit<Partial<AgentOptions>, "url" | "transport">} [options]
 */
export function agentOf(answers, options = {}) {
  /** @type {string[]} */
  const bodies = [];
  /** @type {any[]} */
  const warnings = [];
  const agent = createAgent({
    url: "http://agent.test/",
    threadId: "t",
    notify: "sync",
    // A server that answers in frames was asked for them.
    binary: answers.some(({ type }) => /\+proto/i.test(type ?? "")),
    onWarning: (warning) => void warnings.push(warning),
    fetch: async (_url, init) => {
      bodies.push(/** @type {string} */ (init?.body));
      const answer = answers[Math.min(bodies.length, answers.length) - 1];
      if (!answer) throw new TypeError("no answer");
      // As the platform does it: an abort ends the body too.
      init?.signal?.throwIfAborted();
      return answer.respond();
    },
    ...options,
  });
  return {
    agent,
    bodies,
    /** The codes of what was warned of. */
    codes: () => warnings.map(({ code }) => code),
    snapshot: () => /** @type {any} */ (agent.getSnapshot()),
    messages: () => agent.getSnapshot().messages.map(plain),
  };
}

/** A message as AG-UI has it. @param {any} message @returns {any} */
export function plain({ delivery, toolCallIds, reasoningDurationMs, durationMs, ...message }) {
  return message;
}

/**
 * One run, to its end.
 *
 * @param {Script} script
 * @param {Partial<AgentOptions> & { manner?: Manner, submit?: any }} [options]
 */
export async function play(script, { manner, submit = {}, ...options } = {}) {
  const server = answering(script, manner);
  const played = agentOf([server], options);
  const result = await played.agent.submit(submit);
  return { ...played, result, told: server.told };
}

/** Waits until a condition holds. @param {() => boolean} condition */
export async function until(condition) {
  for (const deadline = Date.now() + 10_000; !condition();) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition}`);
    await new Promise((done) => setImmediate(done));
  }
}

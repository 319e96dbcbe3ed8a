// Plays a recording to the package, and puts what both clients made of it into the same words.

import { createAgent } from "ag-ui-wasm";

/** @typedef {import("./fixtures.mjs").Fixture} Fixture */

/**
 * A client's reports of a run. Everything is JSON.
 *
 * @typedef {object} View
 * @property {any} messages
 * @property {any} state
 * @property {any} interrupts
 * @property {string} outcome
 * @property {any} [result]
 * @property {string} [error]  why the run could not be carried through: a kind, or the HTTP status
 * @property {any} [runError]  what the agent said of its failure
 * @property {any} [request]  the body that was sent
 */

/**
 * Runs the request of a recording and answers with its body, cut into these pieces.
 *
 * @param {Fixture} fixture
 * @param {Iterable<Uint8Array>} pieces
 * @param {import("ag-ui-wasm").Notify} notify
 * @returns {Promise<View>}
 */
export async function replay({ request, status, contentType, cut }, pieces, notify) {
  /** @type {any} */
  let sent;
  const agent = createAgent({
    url: "http://agent.test/",
    threadId: request.threadId ?? "thread-replay",
    initialMessages: request.messages,
    initialState: request.state ?? undefined,
    tools: request.tools,
    context: request.context,
    forwardedProps: request.forwardedProps,
    notify,
    fetch: async (_url, init) => {
      sent = JSON.parse(/** @type {string} */ (init?.body));
      const headers = new Headers(contentType ? { "content-type": contentType } : {});
      return new Response(status === 204 ? null : stream(pieces, cut), { status, headers });
    },
  });
  const { outcome, result, error } = await agent.submit({ runId: request.runId ?? "run-replay", resume: request.resume });
  const { messages, state, interrupts } = agent.getSnapshot();
  agent.dispose();

  /** @type {View} */
  const view = { messages: messages.map(plain), state, interrupts, outcome, request: sent };
  if (result !== undefined) view.result = result;
  if (error?.kind === "run") view.runError = { message: error.message, code: error.code };
  else if (error && outcome !== "truncated") view.error = error.status === undefined ? error.kind : `HTTP ${error.status}`;
  return canonical(view);
}

/**
 * The same of the official client. Where it failed, how much it had applied is a question of timing, unless it was paced.
 *
 * @param {Fixture} fixture
 * @returns {View}
 */
export function expectedView({ expected, request, cut }) {
  const { messages, state, error, runError } = { ...expected, ...expected.paced, ...(cut && { ...expected.withConnectionCut, error: null }) };
  const outcomes = { success: "success", interrupt: "interrupted", cancelled: "cancelled" };
  const said = /** @type {keyof typeof outcomes | undefined} */ (expected.outcome?.outcome);
  /** @type {View} */
  const view = {
    messages,
    state,
    interrupts: expected.pendingInterrupts,
    outcome: error || runError ? "error" : said ? outcomes[said] : "truncated",
    request: expected.sentBody ?? request,
  };
  if (expected.result !== undefined) view.result = expected.result;
  if (error) view.error = error.status === undefined ? "protocol" : `HTTP ${error.status}`;
  else if (runError) view.runError = { message: runError.message, code: runError.code };
  return canonical(view);
}

/** A message without what the snapshot adds to AG-UI's own. */
function plain(/** @type {import("ag-ui-wasm").Message} */ message) {
  const { delivery, toolCallIds, reasoningDurationMs, durationMs, ...rest } = /** @type {any} */ (message);
  return rest;
}

/**
 * As JSON shows it.
 *
 * @param {View} view
 * @returns {View}
 */
const canonical = (view) => JSON.parse(JSON.stringify(view));

/** @param {Iterable<Uint8Array>} pieces @param {boolean} cut */
function stream(pieces, cut) {
  const iterator = pieces[Symbol.iterator]();
  return new ReadableStream(
    {
      pull(controller) {
        const { value, done } = iterator.next();
        if (!done) controller.enqueue(value);
        else if (cut) controller.error(new TypeError("terminated"));
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

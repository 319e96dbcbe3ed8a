// Runs a case with the built package, by its public API alone, and puts what came out into the words of cases.
//
// Members without a counterpart: `callbacks` (there are no hooks) and the wording and paths of errors. `warnings` are
// counted, but where the official client has one warning ours may have two: only whether there are any is compared.
// `unhandled` has to be empty in every case. `pendingToolCallIds` are the calls of this run that wait for the page: a name
// that belongs to no call is not shown.
//
// A body that ends before its run has ended is no failure in the words of cases, but an outcome, "truncated", in ours. A
// connection that breaks is one in both.

import { AgentError, createAgent } from "ag-ui-wasm";
import { answer, binaryType } from "./cases.mjs";
import { kindOf } from "./oracle.mjs";

/** @typedef {import("./cases.mjs").Case} Case */
/** @typedef {import("./cases.mjs").Expectation} Expectation */
/** @typedef {import("./cases.mjs").Failure} Failure */
/** @typedef {"strict" | "tolerant"} Rules */

/** @param {any} value */
const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * Our results for a case: all that may be observed, with the ids that we mint as they are, and beyond the words of cases
 * the `outcome` and the `codes` of warnings.
 *
 * @param {Case} given
 * @param {Rules} rules
 * @param {(given: Case) => Response} [respond]
 * @returns {Promise<Expectation>}
 */
export async function runOurs(given, rules, respond = (given) => answer(given)) {
  const { initial = {}, threadId = "t", peerCeiling, params = {} } = given;
  /** @type {any} */
  let request;
  /** @type {Case} */
  let answering = given;
  /** @type {string[]} */
  const codes = [];
  const agent = createAgent(
    /** @type {any} */ ({
      url: "http://agent.test/",
      threadId,
      rules,
      notify: "microtask",
      // A server that answers in frames was asked for them.
      binary: given.frames !== undefined || /\+proto/i.test(given.contentType ?? ""),
      protocol: peerCeiling,
      initialMessages: plain(initial.messages),
      initialState: plain(initial.state),
      onWarning: (/** @type {any} */ { code }) => void codes.push(code),
      fetch: async (/** @type {any} */ _url, /** @type {any} */ init) => {
        request = JSON.parse(init.body);
        return respond(answering);
      },
    }),
  );
  // `initialState: null` means that there is none.
  if (initial.state === null) agent.setState(/** @type {any} */ (null));
  if (initial.pendingInterrupts) {
    answering = interruption(initial.pendingInterrupts);
    await agent.submit({});
    answering = given;
    request = undefined;
  }
  codes.length = 0;
  const before = agent.getSnapshot();

  /** @type {Partial<import("ag-ui-wasm").RunResult>} */
  let result = {};
  /** @type {Failure | undefined} */
  let error;
  try {
    const { runId, ...rest } = params;
    result = await agent.submit({ ...rest, runId: runId || undefined });
    error = failure(result, given);
  } catch (thrown) {
    error = misuse(thrown);
  }
  const after = agent.getSnapshot();
  agent.dispose();

  const known = new Set((initial.messages ?? []).map(({ id }) => id));
  const calls = new Set(before.toolCalls.map(({ id }) => id));
  const messages = after.messages.flatMap(agUi);
  return plain({
    messages,
    state: after.state,
    error,
    request,
    result: result.result,
    newMessages: messages.filter(({ id }) => !known.has(id)),
    pendingInterrupts: after.interrupts,
    pendingToolCallIds: after.toolCalls.filter(({ id, phase }) => phase === "input-available" && !calls.has(id)).map(({ id }) => id),
    warnings: codes.length,
    outcome: result.outcome,
    codes,
  });
}

/** A run that leaves these interrupts open. @param {any[]} interrupts @returns {Case} */
const interruption = (interrupts) => ({
  name: "before",
  events: [
    { type: "RUN_STARTED", threadId: "t", runId: "before" },
    { type: "RUN_FINISHED", threadId: "t", runId: "before", outcome: { type: "interrupt", interrupts } },
  ],
});

/** A message as AG-UI has it; reasoning that stands within another message becomes the message that it came as. */
function agUi(/** @type {any} */ { delivery, toolCallIds, reasoning, reasoningDurationMs, durationMs, ...message }) {
  return reasoning === undefined ? [message] : [{ id: message.id, role: "reasoning", content: reasoning }, message];
}

/**
 * @param {Partial<import("ag-ui-wasm").RunResult>} result
 * @param {Case} given
 * @returns {Failure | undefined}
 */
function failure({ outcome, error }, { breakWith, frames, contentType }) {
  if (!error || error.kind === "run") return undefined;
  if (outcome === "truncated") return breakWith === undefined ? undefined : { kind: "other", message: error.message };
  const { kind, status, rule, message } = /** @type {any} */ (error);
  if (kind === "http" || kind === "auth") return { kind: "http", rule: status === 204 ? "T5" : "T4", status };
  if (kind === "limit") return { kind: "transport", rule: frames || contentType === binaryType ? "T14" : "T12" };
  if (kind === "protocol" && rule) return { kind: kindOf(rule), rule, message };
  return { kind: "other", message: `${kind}: ${message}` };
}

/** A call that was refused. @param {unknown} thrown @returns {Failure} */
function misuse(thrown) {
  if (!AgentError.is(thrown)) return { kind: "other", message: String(thrown) };
  const rule = { "interrupts-open": "A2", "interrupt-expired": "A3" }[thrown.code ?? ""];
  return rule ? { kind: "resume", rule } : { kind: "other", message: `${thrown.code}: ${thrown.message}` };
}

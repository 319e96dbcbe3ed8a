// Whether what we made of a case is what a case expects, and if not, where.

import { contents } from "./cases.mjs";

/** @typedef {import("./cases.mjs").Case} Case */
/** @typedef {import("./cases.mjs").Expectation} Expectation */
/** @typedef {import("./cases.mjs").Failure} Failure */

/** The members that are compared where a case expects them. `callbacks` and `unhandled` have no counterpart. */
const compared = ["messages", "state", "error", "request", "result", "newMessages", "pendingInterrupts", "pendingToolCallIds", "warnings"];

/** The kinds of failures of one event; a failed request or a refused call is something else. */
const ofProtocol = ["json", "frame", "schema", "expand", "verify"];

/** @param {Failure | undefined} error */
export const breaksProtocol = (error) =>
  error !== undefined && (ofProtocol.includes(error.kind) || (error.kind === "transport" && !["T12", "T14"].includes(error.rule ?? "")));

/**
 * Lines that say what differs; none if nothing does. Ids that are minted are taken for each other.
 *
 * @param {Case} given
 * @param {Expectation} expect
 * @param {Expectation} ours
 * @returns {string[]}
 */
export function compare(given, expect, ours) {
  const names = new Mints(contents(given));
  /** @type {string[]} */
  const found = [];
  for (const key of compared) {
    // Observed and absent: there was none, unless the run was rejected before it could be known.
    const absent = ["request", "result", "pendingInterrupts"].includes(key) && given.observe?.includes(key) && !expect.error;
    if (!(key in expect) && !absent && !["messages", "state", "error"].includes(key)) continue;
    const view = views[/** @type {keyof typeof views} */ (key)] ?? ((value) => value);
    differences(view(expect[key]), view(ours[key]), key, names, found);
  }
  return found;
}

/** The compared part of a member. @type {Record<string, (value: any) => any>} */
const views = {
  /** Every rule about the shape of an event is one to the official client; the wording is everybody's own. */
  error: (/** @type {Failure | undefined} */ error) => {
    if (!error) return undefined;
    const { kind, rule, status } = error;
    return kind === "other" ? { kind } : { kind, rule: kind === "schema" ? "G" : rule, ...(status !== undefined && rule !== "T5" && { status }) };
  },
  warnings: (count) => (count > 0 ? "some" : "none"),
};

/**
 * The promise of tolerant rules for a stream that the official client refuses: the run does not fail, and all that was
 * there when it did is there still.
 *
 * @param {Expectation} expect
 * @param {Expectation} ours
 * @returns {string[]}
 */
export function lost(expect, ours) {
  const found = ours.error ? [`error: expected none, ours is ${show(ours.error)}`] : [];
  for (const message of expect.messages) {
    const same = ours.messages.filter(({ id, role }) => id === message.id && role === message.role);
    if (same.length === 0 && !/^\$mint/.test(message.id)) found.push(`messages: ${show(message)} is lost`);
    const begins = same.some(({ content }) => typeof content !== "string" || content.startsWith(message.content ?? ""));
    if (typeof message.content === "string" && same.length > 0 && !begins) found.push(`messages: the text of ${show(message)} is lost`);
  }
  return found;
}

/** Ids that a client minted: any that does not come from the case, each by one name. */
class Mints {
  #given;
  /** @type {Map<string, string>} */
  #names = new Map();

  /** @param {string} given */
  constructor(given) {
    this.#given = given;
  }

  /** @param {unknown} name @param {unknown} id */
  unify(name, id) {
    if (typeof name !== "string" || typeof id !== "string" || !/^\$(mint\d+|run)$/.test(name)) return false;
    const known = this.#names.get(name);
    if (known !== undefined) return known === id;
    if (this.#given.includes(JSON.stringify(id)) || [...this.#names.values()].includes(id)) return false;
    this.#names.set(name, id);
    return true;
  }
}

const isObject = (/** @type {any} */ value) => typeof value === "object" && value !== null;

/**
 * @param {any} expected
 * @param {any} ours
 * @param {string} path
 * @param {Mints} names
 * @param {string[]} found
 */
function differences(expected, ours, path, names, found) {
  if (expected === ours || names.unify(expected, ours)) return;
  if (!isObject(expected) || !isObject(ours) || Array.isArray(expected) !== Array.isArray(ours)) {
    found.push(`${path}: expected ${show(expected)}, ours is ${show(ours)}`);
  } else if (Array.isArray(expected)) {
    for (let at = 0; at < Math.max(expected.length, ours.length); at++) differences(expected[at], ours[at], `${path}/${at}`, names, found);
  } else {
    const members = new Set([...Object.keys(expected), ...Object.keys(ours)]);
    for (const name of members) differences(own(expected, name), own(ours, name), `${path}/${name}`, names, found);
  }
}

/** A member, never an inherited one. @param {any} object @param {string} name */
const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** @param {unknown} value */
function show(value) {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

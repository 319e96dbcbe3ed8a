// Options that no agent can work with are refused where they are given. TypeScript says the same.

import type { AgentOptions } from "../api/types.js";
import { callbacks } from "../base/emitter.js";
import { expect, expectList, unfit } from "../base/failure.js";
import { isPlain } from "../snapshot/edited.js";
import { checkTools } from "./tools.js";

/** Options by the type that they have. */
const types = {
  string: ["threadId"],
  number: ["maxFollowUps"],
  object: ["resume"],
  function: Object.values(callbacks),
} as const;

/** The options with those of their preset. Throws (kind `unsupported`, code `input`) where these cannot be the options of an agent. */
export function checkedOptions<State>(given: AgentOptions<State>): AgentOptions<State> {
  const options = withPreset(given);
  expect("options", "object", options);
  const { tools, url, transport, rules = "tolerant", protocol = "1.0", dialect, persist, initialMessages = [] } = options;
  if (!transport && !/string|function|object/.test(typeof (url ?? undefined))) throw unfit("url", "an address or a transport", url);
  // As the core reads it, which comes too late to tell of a mistake where it was made.
  if (typeof protocol !== "string" || !/^(1\.0|0\.0\.(0|[1-9]\d{0,2}))$/.test(protocol)) throw unfit("protocol", '"1.0" or "0.0.x"', protocol);
  if (dialect) expect("dialect", "string", typeof dialect === "object" ? dialect.name : dialect);
  if (rules !== "tolerant" && rules !== "strict") throw unfit("rules", '"tolerant" or "strict"', rules);
  for (const type of Object.keys(types) as (keyof typeof types)[]) {
    for (const name of types[type]) if (options[name] != null) expect(name, type, options[name]);
  }
  expectList("initialMessages", "object", initialMessages);
  expectList("eventTypes", "string", options.eventTypes ?? []);
  for (const group of ["limits", "saving", "retry", "notify"] as const) {
    const settings = options[group];
    for (const [name, value] of isPlain(settings) ? Object.entries(settings) : []) {
      if (!/^(posts|required)$/.test(name) && value != null) expect(`${group}.${name}`, "number", value);
    }
  }
  if (persist && typeof persist.open !== "function") {
    throw unfit("persist", "a store of createStore()", persist);
  }
  if (tools && typeof tools !== "function") checkTools(tools);
  return options;
}

/** The options with the preset's where the application sets nothing itself. */
export function withPreset<State>(options: AgentOptions<State>): AgentOptions<State> {
  // `checkedOptions` refuses values that are no options.
  const server = options?.server;
  if (!server) return options;
  return { ...server, ...defined(options), thread: { ...server.thread, ...defined(options.thread ?? {}) } } as AgentOptions<State>;
}

/** The members that are set. */
const defined = (options: object): object => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

// Options that no agent can work with are refused where they are given. TypeScript says the same.

import type { AgentOptions } from "../api/types.js";
import { expect, unfit } from "../base/failure.js";
import { checkTools } from "./tools.js";

const members = {
  "a string": ["threadId", "protocol", "credentials"],
  "a number": ["maxFollowUps"],
  "a function": ["fetch", "onFinish", "onError", "onWarning", "onDecision", "onEvent"],
  "an object": ["resume", "limits", "saving", "transport"],
  "a list of strings": ["eventTypes"],
  "a list of objects": ["initialMessages"],
} as const;

/** Throws (kind `unsupported`, code `input`) where these cannot be the options of an agent. */
export function checkOptions<State>(options: AgentOptions<State>): void {
  if (typeof options !== "object" || !options) throw unfit("options", "an object", options);
  const { tools, url, transport, rules = "tolerant", initialMessages, limits, saving, retry, notify, dialect, persist } = options;
  if ((url == null || !/string|function|object/.test(typeof url)) && !transport) throw unfit("url", "an address, or a transport", url);
  if (rules !== "tolerant" && rules !== "strict") throw unfit("rules", '"tolerant" or "strict"', rules);
  for (const kind of Object.keys(members) as (keyof typeof members)[]) for (const name of members[kind]) expect(name, kind, options[name]);
  if (initialMessages === null) throw unfit("initialMessages", "a list of objects", initialMessages);
  for (const [group, settings] of Object.entries({ limits, saving, retry, notify })) {
    const { posts: _, ...numbers } = Object(settings);
    if (typeof settings === "object") for (const name of Object.keys(numbers)) expect(`${group}.${name}`, "a number", numbers[name]);
  }
  if (persist && typeof persist.open !== "function") {
    throw unfit("persist", "a store (localStorageStore, indexedDbStore, or createStore({ load, save, clear, key }))", persist);
  }
  expect("dialect", "a string", (dialect as { readonly name: string } | undefined)?.name ?? dialect);
  if (tools && typeof tools !== "function") checkTools(tools);
}

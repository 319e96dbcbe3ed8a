// Options that no agent can work with are refused where they are given. TypeScript says the same.

import type { AgentOptions } from "../api/types.js";
import { expect, expectList, unfit } from "../base/failure.js";
import { checkTools } from "./tools.js";

const members = [["threadId", "string"], ["maxFollowUps", "number"], ["resume", "object"]] as const;

/** Throws (kind `unsupported`, code `input`) where these cannot be the options of an agent. */
export function checkOptions<State>(options: AgentOptions<State>): void {
  expect("options", "object", options);
  const { tools, url, transport, rules = "tolerant", persist, limits, saving, retry, notify } = options;
  if ((url == null || !/string|function|object/.test(typeof url)) && !transport) throw unfit("url", "an address, or a transport", url);
  if (rules !== "tolerant" && rules !== "strict") throw unfit("rules", '"tolerant" or "strict"', rules);
  for (const [name, type] of members) if (options[name] != null) expect(name, type, options[name]);
  if (options.initialMessages !== undefined) expectList("initialMessages", "object", options.initialMessages);
  if (options.eventTypes) expectList("eventTypes", "string", options.eventTypes);
  for (const [group, settings] of Object.entries({ limits, saving, retry, notify })) {
    for (const [name, value] of typeof settings === "object" ? Object.entries(settings ?? {}) : []) {
      if (!["posts", "required"].includes(name) && value != null) expect(`${group}.${name}`, "number", value);
    }
  }
  if (persist && typeof persist.open !== "function") {
    throw unfit("persist", "a store, as createStore() makes it", persist);
  }
  if (tools && typeof tools !== "function") checkTools(tools);
}

// The ngaf Agent contract (`@ngaf/ag-ui`, now `@threadplane/ag-ui`) over an agent of this package. Loads no WebAssembly.
//
//   agent.on("event") ──► reduce ──► fields ──► subscribers
//   submit, … ──► agent.submit, …       agent.on("finish") ──► how a run ended that did not say so

import type { JsonObject } from "../../api/protocol.js";
import type { Agent } from "../../api/types.js";
import { createPageTools } from "./client-tools.js";
import { pastOf } from "./history.js";
import { createReducer, type Reducer } from "./reduce.js";
import { createRuns } from "./runs.js";
import { followThread } from "./thread.js";
import type { Field, NgafAgent, NgafOptions, NgafSnapshot } from "./types.js";
import { createWatch, type NgafWatch } from "./watch.js";

export { citationsOf } from "./citations.js";
export { classifyError, NgafError } from "./errors.js";
export type { NgafErrorKind } from "./errors.js";
export type * from "./types.js";

/**
 * An agent that keeps the ngaf Agent contract. `version: 1` is the contract that the documents of `@ngaf/ag-ui` describe; `version: 2`,
 * the default, is that of its successor `@threadplane/ag-ui`. It is made over an agent of `ag-ui-wasm` or, for servers that write as the product's documents
 * do, with the dialect `ngaf`. It is a view: both can be used side by side.
 *
 * Give it the agent before its first run: it reduces events, and of what was before it knows what the snapshot shows.
 *
 * @example
 * const agent = toNgafAgent(createAgent({ url: "/agent", dialect: "ngaf" }));
 * agent.messages.subscribe((messages) => render(messages));
 * await agent.submit({ message: "Refund order 7" });
 * if (agent.interrupt.get()) await agent.submit({ resume: "yes" });
 */
export function toNgafAgent<State>(source: Agent<State>, options: NgafOptions = {}): NgafAgent {
  const agent = source as unknown as Agent<JsonObject>;
  const { version = 2, telemetry, now = () => performance.now() } = options;
  const measure = (name: string, properties: JsonObject = {}): void => telemetry?.(`${version === 1 ? "ngaf" : "tplane"}:${name}`, properties);

  const watch = createWatch();
  const { changed } = watch;
  const reducer = createReducer({ version, now, changed, emit: watch.emit });
  const runs = createRuns({ agent, reducer, tools: () => tools, changed, now, measure });
  const tools = createPageTools(agent, reducer, watch, () => runs.submitRun({}));
  const past = pastOf(agent);

  // The thread of the agent may be changed beside us.
  const follow = followThread(reducer);
  follow(agent.getSnapshot());
  const offs = [
    agent.on("event", (event) => {
      if (event.type === "RUN_STARTED") measure("stream_started");
      reducer.reduce(event);
    }),
    agent.on("finish", runs.finished),
    agent.subscribe(() => {
      follow(agent.getSnapshot());
      changed();
    }),
  ];
  measure("runtime_instance_created");

  return {
    version,
    ...fieldsOf(watch, reducer),
    history: watch.field(() => past().history),
    messageCheckpoints: watch.field(() => past().messageCheckpoints),
    events$: { subscribe: watch.listen },
    getSnapshot: (): NgafSnapshot => {
      reducer.handOut();
      return { ...reducer.fields };
    },
    subscribe: watch.subscribe,
    submit: runs.submit,
    stop: () => agent.stop(),
    regenerate: runs.regenerate,
    retry: runs.retry,
    clientTools: tools.clientTools,
    dispose: () => {
      for (const off of offs) off();
      watch.close();
    },
  };
}

/** The fields of the snapshot, each of which can be read and subscribed to. */
function fieldsOf({ field }: NgafWatch, { fields, handOut }: Reducer) {
  const read = <Name extends keyof NgafSnapshot>(name: Name): Field<NgafSnapshot[Name]> =>
    field(() => {
      handOut(name);
      return fields[name];
    });
  return {
    messages: read("messages"),
    status: read("status"),
    isLoading: read("isLoading"),
    error: read("error"),
    toolCalls: read("toolCalls"),
    state: read("state"),
    interrupt: read("interrupt"),
    subagents: read("subagents"),
    customEvents: read("customEvents"),
  };
}

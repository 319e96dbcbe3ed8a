// What an agent asks of its server: the request of a run, as its transport makes it, and word that one was stopped.

import type { AgentOptions, TransportTarget } from "../api/types.js";
import type { RequestTarget } from "../glue/core.js";
import { reasonOf, toJson } from "../base/failure.js";
import { isPromise } from "../base/promise.js";
import { observed } from "../network/observe.js";
import { stopRemote, toTarget } from "../network/request.js";
import { toAsked } from "./input.js";
import type { Thread } from "./thread.js";

type Client<State> = Pick<Thread<State>, "keepLine" | "emitter" | "options" | "read" | "saves">;

/** The target of a run. `full`: the core is the full module. */
export function toRequest<State>(
  { keepLine, emitter, options, read, saves }: Client<State>,
  full: boolean,
  ...[resume, runId, cursor]: readonly [resume: boolean, runId: string, cursor: string | undefined]
): RequestTarget | Promise<RequestTarget> {
  const refusal = resume ? undefined : saves.refusal();
  if (refusal) throw refusal;
  const request = { resume, threadId: read().threadId, runId, cursor };
  const target = options().transport?.keep ? keepLine().then((line) => line.make()).then((made) => made.target(request)) : toTarget(options(), request);
  const seen = emitter.has("request");
  const change = (target: TransportTarget): RequestTarget => {
    // The small module cannot read it, whatever the options say by now.
    const plain = full ? target : { ...target, binary: false };
    const made = seen ? observed(plain, request, (request) => emitter.emit("request", request)) : plain;
    // A run is begun with what the page is then: its submit may have waited, and a run may follow on calls.
    return resume ? made : { ...made, input: toJson(toAsked(options() as AgentOptions)) };
  };
  return isPromise(target) ? target.then(change) : change(target);
}

/** Tells the server that the run was stopped. */
export function tellOfStop<State>({ emitter, options, read }: Client<State>, runId: string): void {
  stopRemote(options(), { threadId: read().threadId, runId }).catch((cause: unknown) => {
    emitter.emit("warning", { code: "stop-failed", message: `The server could not be notified of the stop: ${reasonOf(cause)}` });
  });
}

import { checkedOptions } from "../agent/check.js";
import { createAgentWith } from "../agent/agent.js";
import { expect, reasonOf } from "../base/failure.js";
import type { Core, Inflate } from "../core/loader.js";
import type { Agent, AgentAddress, AgentOptions, CommonOptions } from "../api/types.js";
import { createWorkerLink, type CorePlace } from "./link.js";
import { poolOf } from "./pool.js";

/** The options of `createAgent` of `ag-ui-wasm/worker`. */
export type WorkerAgentOptions<State = unknown> =
  & Omit<CommonOptions<State>, "worker">
  & AgentAddress
  & {
    /**
     * Whether the agent works in a worker, or a function that makes the worker: of the script `ag-ui-wasm/worker-main` of
     * this very version, or of `ag-ui-wasm/worker-full` where the options need the full module. All agents of a script share one worker,
     * which is made by the first agent that needs it. Where there is none, the agent works in the page and `onWarning` hears
     * why: `worker-unavailable`. Default: `true`.
     */
    readonly worker?: boolean | (() => Worker) | undefined;
    /**
     * How long the worker's first message may take, in milliseconds; after that, the agent works in the page. Default:
     * 30,000.
     */
    readonly workerStartMs?: number | undefined;
  };

/**
 * An agent in a worker that `spawn` makes, or `second`, or in the page with the core that `load` gives. The entries differ in these.
 *
 * @internal
 */
export function createWorkerAgentWith<State>(
  load: (inflate: Inflate) => Promise<Core>,
  spawn: () => Worker,
  second: (() => Worker) | undefined,
  workerOptions: WorkerAgentOptions<State>,
): Agent<State> {
  checkedOptions(workerOptions as AgentOptions<State>);
  const { worker = true, workerStartMs = 30_000, ...rest } = workerOptions;
  expect("workerStartMs", "number", workerStartMs);
  const options = rest as AgentOptions<State>;
  if (!worker) return createAgentWith(load, options);
  const pool = poolOf(spawn, second, workerStartMs, worker === true ? undefined : worker);
  const source = (inflate: Inflate): Promise<CorePlace> =>
    pool.ready().then(
      () => ({ at: "worker" }),
      async (cause: unknown) => ({ at: "page", core: await load(inflate), why: reasonOf(cause) }),
    );
  return createAgentWith(source, options, false, (client) => createWorkerLink(client, pool));
}

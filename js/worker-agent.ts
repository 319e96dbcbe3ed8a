import { createAgentWith } from "./agent.js";
import type { Core } from "./loader.js";
import type { Agent, AgentOptions } from "./types.js";
import { createWorkerLink, elsewhere } from "./worker-link.js";
import { poolOf } from "./worker-pool.js";

/** What `createAgent` of `ag-ui-wasm/worker` takes. */
export type WorkerAgentOptions<State = unknown> = AgentOptions<State> & {
  /**
   * Whether the agent works in a worker. Agents share one, or one for each function that makes it: of the script
   * `ag-ui-wasm/worker-main` of this very version (`ag-ui-wasm/full/worker-main` for `ag-ui-wasm/full/worker`). Where there
   * is none, the agent works in the page and `onWarning` hears why: `worker-unavailable`. Default: `true`.
   */
  readonly worker?: boolean | (() => Worker) | undefined;
};

/**
 * An agent in a worker that `spawn` makes, or `second`, or in the page with the core that `load` gives. The entries differ in these.
 *
 * @internal
 */
export function createWorkerAgentWith<State>(
  load: () => Promise<Core>,
  spawn: () => Worker,
  second: (() => Worker) | undefined,
  options: WorkerAgentOptions<State>,
  full = false,
): Agent<State> {
  const { worker = true } = options;
  if (!worker) return createAgentWith(load, options, full);
  const pool = worker === true ? poolOf(spawn, second) : poolOf(worker);
  const source = (): Promise<Core> => pool.ready().then(() => elsewhere, load);
  return createAgentWith(source, options, full, (client) => createWorkerLink(client, pool));
}

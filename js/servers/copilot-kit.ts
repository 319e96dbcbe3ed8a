import type { Preset } from "../api/server.js";

/** Where the runtime is. */
export interface CopilotKitOptions {
  /** The address of the runtime: `/api/copilotkit`. */
  readonly runtimeUrl: string;
  /** The agent in it. Default: `default`. */
  readonly agentId?: string | undefined;
}

/**
 * An agent in CopilotKit's runtime: `/connect` repeats the thread, with a run in progress at its end, and `/stop` stops a run.
 *
 * @example
 * const agent = createAgent({ threadId, server: copilotKit({ runtimeUrl: "/api/copilotkit" }) });
 */
export function copilotKit({ runtimeUrl, agentId = "default" }: CopilotKitOptions): Preset & { readonly url: string } {
  const base = `${runtimeUrl.replace(/\/$/, "")}/agent/${encodeURIComponent(agentId)}`;
  return {
    name: "CopilotKit",
    url: `${base}/run`,
    resume: { by: "replay", url: `${base}/connect`, method: "POST" },
    // The runtime may answer 400 to members that it does not know.
    stop: { url: (_, { threadId }) => `${base}/stop/${encodeURIComponent(threadId)}`, body: ({ runId }: { readonly runId: string }) => ({ runId }) },
    thread: { load: "connect" },
  };
}

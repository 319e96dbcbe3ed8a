import type { Preset } from "../api/server.js";
import type { ThreadsSource } from "../api/threads.js";
import { bodyOf, each, textOf, timeOf } from "./json.js";

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
  const runtime = runtimeUrl.replace(/\/$/, "");
  const base = `${runtime}/agent/${encodeURIComponent(agentId)}`;
  const list: ThreadsSource["list"] = async ({ cursor, limit, fetch }) => {
    const query = new URLSearchParams({ agentId, limit: String(limit), ...(cursor !== undefined && { cursor }) });
    const { threads, nextCursor } = await bodyOf(await fetch(`${runtime}/threads?${query}`));
    return {
      threads: each(threads, ({ id, name, archived, createdAt, updatedAt }) => ({
        threadId: textOf(id),
        ...(name && { title: textOf(name) }),
        archived: archived === true,
        createdAt: timeOf(createdAt),
        updatedAt: timeOf(updatedAt),
      })),
      next: nextCursor,
    };
  };
  return {
    name: "CopilotKit",
    url: `${base}/run`,
    resume: { by: "replay", url: `${base}/connect`, method: "POST" },
    // The runtime may answer 400 to members that it does not know.
    stop: { url: (_, { threadId }) => `${base}/stop/${encodeURIComponent(threadId)}`, body: ({ runId }: { readonly runId: string }) => ({ runId }) },
    thread: { load: "connect" },
    capabilities: async ({ fetch }) => {
      const { agents } = await bodyOf(await fetch(`${runtime}/info`));
      return agents?.[agentId]?.capabilities;
    },
    threads: { list },
  };
}

import type { Preset } from "../api/server.js";
import type { ThreadsSource } from "../api/threads.js";
import { textOf, timeOf, type ServerJson } from "./json.js";

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
    const { threads = [], nextCursor }: NonNullable<ServerJson> = await (await fetch(`${runtime}/threads?${query}`)).json();
    return {
      threads: threads.map(({ id, name, archived, createdAt, updatedAt }: NonNullable<ServerJson>) => ({
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
      const { agents }: NonNullable<ServerJson> = await (await fetch(`${runtime}/info`)).json();
      return agents?.[agentId]?.capabilities;
    },
    threads: { list },
  };
}

// Requests that somebody listens to: `agent.on("request")`.

import { reasonOf } from "../base/failure.js";
import type { AgentRequest, TransportRequest, TransportTarget } from "../api/types.js";

/** The target, with a fetch that reports the request and its response. The response is passed on as it is. */
export function observed(
  target: TransportTarget,
  { id, resume, runId }: TransportRequest & { readonly id: number },
  report: (request: AgentRequest) => void,
): TransportTarget {
  const send = target.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const watching: typeof fetch = async (url, init) => {
    const at = Date.now();
    const body = init?.body;
    const sent: AgentRequest = {
      ...{ id, url: String(url), method: init?.method ?? "GET", runId, resume, at },
      ...(typeof body === "string" && { body }),
    };
    report(sent);
    const headMs = (): number => Date.now() - at;
    try {
      const response = await send(url, init);
      const contentType = response?.headers?.get("content-type");
      report({ ...sent, status: response?.status, headMs: headMs(), ...(contentType && { contentType }) });
      return response;
    } catch (error) {
      report({ ...sent, error: reasonOf(error), headMs: headMs() });
      throw error;
    }
  };
  return { ...target, fetch: watching };
}

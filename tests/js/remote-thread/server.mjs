// A server that keeps threads, for tests: what it answers and what it was asked.

import { load, until } from "../lib.mjs";

export const { createAgent, AgentError } = await load("index");

export const user = (id, content = id) => ({ id, role: "user", content });
export const said = (id, content = id) => ({ id, role: "assistant", content });
export const started = (runId = "r", threadId = "t") => ({ type: "RUN_STARTED", threadId, runId });
export const finished = (runId = "r", threadId = "t") => ({ type: "RUN_FINISHED", threadId, runId });
export const sse = (...events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
export const answer = (text, init = {}) => new Response(text, { headers: { "content-type": "text/event-stream" }, ...init });

/** A server whose runs answer "answer to …" and whose thread is what `respond` says of other requests. */
export function createServer(respond = () => undefined) {
  const requests = [];
  const fetch = async (url, init = {}) => {
    const body = typeof init.body === "string" && init.body ? JSON.parse(init.body) : undefined;
    const request = { url: String(url), method: init.method ?? "GET", headers: new Headers(init.headers), body, signal: init.signal };
    requests.push(request);
    const own = await respond(request);
    if (own) return own;
    const { runId, threadId, messages = [] } = body;
    const id = `${messages.at(-1)?.id}-answer`;
    return answer(
      sse(
        started(runId, threadId),
        { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
        { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: `answer to ${messages.at(-1)?.content}` },
        { type: "TEXT_MESSAGE_END", messageId: id },
        finished(runId, threadId),
      ),
    );
  };
  return { fetch, requests };
}

export const create = (options, server = createServer()) =>
  createAgent({ url: "http://agent/run", threadId: "t", fetch: server.fetch, notify: "sync", ...options });
export const ids = (agent) => agent.getSnapshot().messages.map(({ id }) => id);
export const settled = (agent) => until(() => !["loading"].includes(agent.getSnapshot().thread.status) && !agent.getSnapshot().isLoading);

/** Threads that the demo's server keeps: the list beside the chat, which one is open, and an agent for each that was opened. */
import { createAgent, type Agent } from "ag-ui-wasm";
import { createThreads, type Threads } from "ag-ui-wasm/threads";

const query = new URLSearchParams(location.search);

/** An address of the server's, with what the address of the page hands on. */
function address(path: string, more: Readonly<Record<string, string | number | undefined>> = {}): string {
  const handed = ["user", "speed", "hold"].map((key) => [key, query.get(key)] as const);
  const params = new URLSearchParams(
    [...handed, ...Object.entries(more)].flatMap(([key, value]) => (value === null || value === undefined ? [] : [[key, String(value)]])),
  );
  return `/threads${path}${params.size > 0 ? `?${params}` : ""}`;
}

const one = (threadId: string, rest = ""): string => `/${encodeURIComponent(threadId)}${rest}`;
const json = (method: string, value: object): RequestInit => ({ method, body: JSON.stringify(value), headers: { "content-type": "application/json" } });

/** The list. Nothing is asked before somebody shows it. */
export const threads: Threads = createThreads({
  limit: 20,
  list: async ({ cursor, limit, fetch }) => (await fetch(address("", { cursor, limit }))).json(),
  create: async (thread, { fetch }) => (await fetch(address(""), json("POST", thread))).json(),
  rename: async (threadId, title, { fetch }) => (await fetch(address(one(threadId)), json("PATCH", { title }))).json(),
  archive: async (threadId, archived, { fetch }) => (await fetch(address(one(threadId)), json("PATCH", { archived }))).json(),
  delete: (threadId, { fetch }) => fetch(address(one(threadId)), { method: "DELETE" }),
});

/** Where the agent of a thread is asked. */
export const storedUrl = (threadId: string): string => address(one(threadId, "/run"));

// A thread that was opened keeps its agent, so a run continues while another thread is shown.
const agents = new Map<string, Agent>();

/** The agent of a thread. */
export function storedAgent(threadId: string): Agent {
  const known = agents.get(threadId);
  if (known) return known;
  const agent = createAgent({
    url: storedUrl(threadId),
    threadId,
    notify: { throttleMs: 66 },
    thread: {
      limit: 20,
      send: "turn",
      edits: "none",
      load: async ({ before, limit, fetch }) => (await fetch(address(one(threadId), { before, limit }))).json(),
    },
    resume: { by: "replay", url: storedUrl(threadId) },
    stop: { url: address(one(threadId, "/stop")), body: null },
  });
  let running = false;
  agent.subscribe(() => {
    const { messages, isLoading } = agent.getSnapshot();
    if (isLoading === running) return;
    running = isLoading;
    const first = messages.find(({ role }) => role === "user")?.content;
    const { title } = threads.getSnapshot().threads.find((thread) => thread.threadId === threadId) ?? {};
    threads.update({ threadId, running, ...(title === undefined && typeof first === "string" && { title: first.slice(0, 60) }) });
  });
  agents.set(threadId, agent);
  agent.ready.catch(() => {}); // what fails is shown as its error
  return agent;
}

/** Lets go of a thread that is deleted. */
export function forget(threadId: string): void {
  agents.get(threadId)?.dispose();
  agents.delete(threadId);
}

/** The thread that the address of the page names, or a new one. */
export const firstThread = (): string => new URLSearchParams(location.search).get("thread") ?? crypto.randomUUID();

/** Writes the open thread into the address of the page, so that a reload opens it again. */
export function remember(threadId: string): void {
  const url = new URL(location.href);
  url.searchParams.set("protocol", "threads");
  url.searchParams.set("thread", threadId);
  history.replaceState(null, "", url);
}

/** The title of a thread. */
export const titleOf = ({ title }: { readonly title?: string | undefined }): string => title || "New chat";

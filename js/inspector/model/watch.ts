// An agent that is watched: its events, and what is seen beside them, become rows.

import type { Agent, AgentRequest, AgentSnapshot } from "../../api/types.js";
import { defined } from "../../base/json.js";
import { attribute, between, join, type Between, type Pending } from "./changes.js";
import type { Entry, ErrorText, Item, RequestEnd } from "./entry.js";
import type { Log } from "./log.js";
import { count } from "./text.js";

/** Rows that wait for the next snapshot; a page that is hidden may have none for long. */
const maxPending = 20_000;

/** Writes what an agent does to the log until what it returns is called. */
export function watch(agent: Agent, log: Log, now: () => number = Date.now): () => void {
  let last = agent.getSnapshot();
  let pending: Pending[] = [];
  let open: AgentRequest | undefined;
  earlier(agent, log, now());

  const add = (item: Item): Entry => {
    const entry = log.add(item, now());
    if ("event" in item) {
      pending.push({ entry, item });
      if (pending.length > maxPending) pending = pending.slice(maxPending / 2);
    }
    return entry;
  };
  const close = (end: RequestEnd): void => {
    if (open) add({ ended: { id: open.id, end } });
    open = undefined;
  };

  const offs = [
    agent.on("event", (event) => void add({ event })),
    agent.on("request", (request) => {
      const answered = request.status !== undefined || request.error !== undefined;
      add(answered ? { response: request } : { request });
      if (!answered) open = request;
      else if (request.error !== undefined && open?.id === request.id) open = undefined;
    }),
    agent.on("warning", (warning) => void add({ warning })),
    agent.on("decision", (decision) => void add({ decision })),
    agent.on("error", (error) => void add({ error: plain(error) })),
    agent.on("finish", ({ runId, outcome }) => void add({ finish: { runId, outcome } })),
    agent.subscribe(() => {
      const next = agent.getSnapshot();
      const changed = between(last, next);
      const rest = attribute(changed, pending, last, next, (entry, changes) => log.change(entry, changes));
      pending = [];
      const { phase, attempt } = next.connection;
      const moved = phase !== last.connection.phase || attempt !== last.connection.attempt;
      const lost = phase === "reconnecting" || !!next.error?.lost;
      if (moved && (phase === "closed" || phase === "reconnecting")) close(lost ? "lost" : "closed");
      page(rest, last, next);
      if (moved) add({ connection: next.connection });
      last = next;
    }),
  ];

  /** Adds a row for changes that no event accounts for. */
  const page = (rest: Between, before: AgentSnapshot, after: AgentSnapshot): void => {
    const notes = notesOf(rest, before, after);
    if (!notes.length) return;
    const entry = add({ local: `Changed by the page: ${notes.join(", ")}` });
    if (rest.state.length || rest.messages.length) log.change(entry, join(undefined, rest));
  };

  return () => {
    for (const off of offs) off();
    pending = [];
  };
}

/** Adds rows for the time before: the agent's last requests, how the last run ended, and the error. */
function earlier(agent: Agent, log: Log, now: number): void {
  const { isLoading, messages, runId, outcome, error } = agent.getSnapshot();
  const listed = new Set(log.entries.map(({ items: [item] }) => item && "request" in item && item.request.id));
  const requests = agent.requests ?? [];
  const last = requests[requests.length - 1];
  for (const request of requests) {
    if (listed.has(request.id)) continue;
    log.add({ request }, request.at);
    const { status, headMs = 0 } = request;
    if (status !== undefined) log.add({ response: request }, request.at + headMs);
    // The one that is open is not over; each other one has failed, the last with the error that is shown.
    else if (request !== last || !isLoading) log.add({ response: { ...request, error: (request === last && error?.message) || "no response" } }, request.at);
  }
  if (isLoading) log.add({ local: "The inspector was opened during a run: what came before is not listed" }, now);
  else if (messages.length || error)
    log.add({ local: `The inspector was opened after the events of ${count(messages.length)} messages: Snapshot shows what came of them` }, now);
  if (error) log.add({ error: plain(error) }, now);
  if (!isLoading && outcome && runId !== undefined) log.add({ finish: { runId, outcome } }, now);
}

/** The names of what the page has changed. */
function notesOf(rest: Between, before: AgentSnapshot, after: AgentSnapshot): string[] {
  const notes: string[] = [];
  if (before.queue !== after.queue && before.queue.length !== after.queue.length) notes.push(`queue (${before.queue.length} → ${after.queue.length})`);
  const answered = (at: AgentSnapshot): number => at.interrupts.filter((one) => (one as { answered?: unknown }).answered).length;
  if (answered(before) < answered(after)) notes.push("interrupts (answered)");
  for (const call of after.toolCalls === before.toolCalls ? [] : after.toolCalls) {
    const was = before.toolCalls.find(({ id }) => id === call.id)?.phase;
    const decided = was !== undefined && was !== call.phase && ["awaiting-approval", "executing"].some((phase) => phase === was || phase === call.phase);
    if (decided) notes.push(`tool ${call.name} (${was} → ${call.phase})`);
  }
  if (rest.state.length) notes.push("state");
  if (rest.messages.length) notes.push("messages");
  return notes;
}

const plain = ({ kind, message, code, status, rule, eventType, retryable }: ErrorText): ErrorText => ({
  kind,
  message,
  ...defined({ code, status, rule, eventType, retryable }),
});

// Compiled, never run: what the types promise, and with @ts-expect-error what they refuse.

import {
  AgentError,
  createAgent,
  custom,
  eventSource,
  fetchTransport,
  createStore,
  indexedDbStore,
  localStorageStore,
  tool,
  webSocket,
  type Agent,
  type AgentSnapshot,
  type AgentStore,
  type AgUiEvent,
  type JsonObject,
  type Message,
  type PageTool,
  type RunResult,
  type SavedAgent,
  type StoreOptions,
  type StandardSchema,
} from "ag-ui-wasm";
import { useAgent, useAgentSelector } from "ag-ui-wasm/react";
import { copilotKit, langGraph } from "ag-ui-wasm/servers";
import { createAgent as createSlim } from "ag-ui-wasm/slim";
import { useAgent as useSvelteAgent } from "ag-ui-wasm/svelte";
import { createAgent as createInWorker } from "ag-ui-wasm/worker";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(proof: Equal<A, B>): void;

interface State {
  todos: { text: string; done: boolean }[];
  title?: string;
}

const agent = createAgent<State>({ url: "/agent", initialState: { todos: [] } });
same<typeof agent, Agent<State>>(true);

// The state's type comes from initialState, or is unknown.
same<ReturnType<typeof inferred.getSnapshot>["state"], { count: number }>(true);
const inferred = createAgent({ url: "/agent", initialState: { count: 0 } });
same<ReturnType<typeof bare.getSnapshot>["state"], unknown>(true);
const bare = createAgent({ url: "/agent" });

// Options.
createAgent({
  url: async () => new URL("http://host/"),
  headers: async () => ({ authorization: "Bearer x" }),
  credentials: "include",
  fetch: globalThis.fetch,
  threadId: undefined,
  tools: [{ name: "a", description: "b", parameters: { type: "object" } }],
  context: () => [{ description: "a", value: "b" }],
  forwardedProps: () => ({ any: "thing" }),
  rules: "strict",
  notify: { throttleMs: 50 },
  limits: { queue: 1 },
  onFinish: ({ outcome, runId }) => void [outcome, runId],
  onError: (error) => error.kind,
  onWarning: ({ code }) => code,
  onEvent: (event) => event.type,
});
createAgent({ url: "/", headers: new Headers() });
createAgent({ url: "/", headers: [["a", "b"]] });
createAgent<State>({
  transport: webSocket({ url: async (runId, { threadId }) => `wss://host/${threadId}/${runId}`, protocols: ["a"] }),
  initialState: { todos: [] },
  resume: { by: "socket-cursor", path: "/metadata/seq" },
  retry: { attempts: 3 },
  stop: ({ runId }) => void runId,
});
createAgent({ transport: eventSource({ url: "/events", submitUrl: async () => "/submit", headers: async () => undefined }) });
createAgent({
  transport: custom(async function* ({ runId, threadId }, { signal, cursor }) {
    yield { type: "RUN_STARTED", runId, threadId };
    yield `${signal.aborted} ${cursor}`;
  }),
});
// @ts-expect-error either url or transport
createAgent({ url: "/", transport: fetchTransport({ url: "/" }) });
// @ts-expect-error a cursor needs its path
createAgent({ url: "/", resume: { by: "cursor", param: "after" } });
// @ts-expect-error url is required
createAgent({});
// @ts-expect-error no such option
createAgent({ url: "/", tool: [] });
// @ts-expect-error no such way
createAgent({ url: "/", notify: "later" });
// @ts-expect-error another state
createAgent<State>({ url: "/", initialState: { todos: [1] } });

// slim wants to know where the module is.
createSlim<State>({ url: "/", wasm: new URL("http://host/core.wasm") });
createSlim({ url: "/", wasm: fetch("/core.wasm") });
createSlim({ url: "/", wasm: new Uint8Array() });
// @ts-expect-error wasm is required
createSlim({ url: "/" });

// Verbs.
same<ReturnType<typeof agent.submit>, Promise<RunResult>>(true);
void agent.submit("text");
void agent.submit({ message: "text", parts: [{ type: "image", source: { type: "url", value: "/a.png" } }] });
void agent.submit({ message: { content: "text", metadata: { a: 1 } }, state: { title: "a" }, ifBusy: "replace" });
void agent.submit({ signal: new AbortController().signal, resume: [{ interruptId: "a", status: "resolved", payload: 1 }] });
// @ts-expect-error no such part
void agent.submit({ parts: [{ type: "hologram" }] });
// @ts-expect-error no such policy
void agent.submit({ ifBusy: "wait" });
// @ts-expect-error nothing to submit
void agent.submit();
agent.setState({ todos: [] });
agent.setState((state) => ({ ...state, title: state.todos[0]?.text ?? "" }));
// @ts-expect-error not the state
agent.setState({ title: "a" });
agent.setMessages((messages) => messages.filter(({ role }) => role !== "activity"));
agent.setMessages([{ id: "1", role: "user", content: "a" }]);
// @ts-expect-error an id is required
agent.setMessages([{ role: "user", content: "a" }]);
void agent.regenerate();
void agent.regenerate("id");
void agent.resume([{ interruptId: "a", status: "cancelled" }]);
{
  using disposable = createAgent({ url: "/" });
  void disposable;
}

// The snapshot is read-only, and its unions are told apart.
const snapshot: AgentSnapshot<State> = agent.getSnapshot();
// @ts-expect-error read-only
snapshot.status = "idle";
// @ts-expect-error read-only
snapshot.messages.push();
// @ts-expect-error read-only
snapshot.toolCalls[0].args.a = 1;
same<typeof snapshot.error, AgentError | undefined>(true);
same<typeof snapshot.outcome, "success" | "error" | "aborted" | "interrupted" | "cancelled" | "truncated" | undefined>(true);
function text(message: Message): string {
  switch (message.role) {
    case "assistant":
      return `${message.content ?? ""}${message.reasoning ?? ""}${message.toolCallIds?.join() ?? ""}`;
    case "activity":
      return message.activityType + String(message.content["title"]);
    case "user":
    case "tool":
      return typeof message.content === "string"
        ? message.content
        : message.content.map((part) => (part.type === "text" ? part.text : part.source.value)).join();
    case "reasoning":
      return `${message.content}${message.durationMs ?? 0}`;
    case "developer":
    case "system":
      return message.content;
  }
}
function delta(event: AgUiEvent): string | undefined {
  // @ts-expect-error not every event has one
  void event.delta;
  if (event.type === "TEXT_MESSAGE_CONTENT") return event.delta + event.messageId;
  if (event.type === "RUN_FINISHED" && event.outcome?.type === "interrupt") return event.outcome.interrupts[0]?.reason;
  if (event.type === "STATE_DELTA" && event.delta[0]?.op === "move") return event.delta[0].from;
  return undefined;
}

// Events.
const off: () => void = agent.on("finish", ({ outcome }) => outcome === "dropped");
agent.on("custom", (event) => (event.type === "custom" ? event.name : Object.keys(event.data)));
// @ts-expect-error no such happening
agent.on("token", () => {});
// @ts-expect-error not what it is called with
agent.on("error", (error: string) => error);
async function read(): Promise<void> {
  for await (const event of agent.events) if (event.type === "state_update") void event.data["a"];
}

// Errors.
function explain(thrown: unknown): string {
  if (!AgentError.is(thrown)) return "unknown";
  // @ts-expect-error no such kind
  if (thrown.kind === "timeout") return "";
  return `${thrown.kind} ${thrown.status ?? thrown.code} ${thrown.retryable}`;
}

// Bindings.
function Component(): unknown {
  const chat = useAgent({ url: "/agent", initialState: { count: 0 } });
  same<typeof chat.state, { count: number }>(true);
  same<typeof chat.agent, Agent<{ count: number }>>(true);
  const passed = useAgent(agent);
  same<typeof passed.state, State>(true);
  const { messages, submit, stop, isLoading } = passed;
  void [submit("a"), stop(), isLoading];
  const title = useAgentSelector(agent, ({ state }) => state.title);
  same<typeof title, string | undefined>(true);
  const ids = useAgentSelector(
    agent,
    (at) => at.messages.map(({ id }) => id),
    (a, b) => a.length === b.length,
  );
  same<typeof ids, string[]>(true);
  // @ts-expect-error neither an agent nor options
  useAgent("/agent");
  return messages;
}
const store = useSvelteAgent(() => ({ url: "/agent", threadId: "a", initialState: { count: 0 } }));
same<typeof store.state, { count: number }>(true);
const stopListening: () => void = store.subscribe(({ state }) => state.count);
same<ReturnType<typeof useSvelteAgent<State>>["agent"], Agent<State>>(true);
same<typeof fromAgent.state, State>(true);
const fromAgent = useSvelteAgent(agent);
const fromFunction = useSvelteAgent(() => agent);
same<typeof fromFunction.state, State>(true);

export { Component, delta, explain, fromFunction, off, read, stopListening, text };

// Tools: arguments are what the validator gives, what is named, or open.
declare function schema<Output>(): StandardSchema<Output> & { readonly parse: (value: unknown) => Output };
interface City {
  city: string;
  days?: number | undefined;
}
const typed = tool({
  name: "weather",
  description: "d",
  parameters: schema<City>(),
  needsApproval: ({ days }) => (days ?? 0) > 3,
  execute: async (args, { signal, toolCallId, agent }) => {
    same<typeof args, City>(true);
    void agent.submit(toolCallId);
    return fetch(`/${args.city}`, { signal });
  },
});
const asPageTool: PageTool<City> = typed;
same<typeof typed.name, "weather">(true);
void asPageTool;
const named = tool<{ a: number }>({ name: "a", description: "b", parameters: { type: "object" }, execute: ({ a }) => a + 1 });
const open = tool({
  name: "a",
  description: "b",
  parameters: { type: "object", properties: {} },
  execute: (args) => same<typeof args, JsonObject>(true),
});
const annotated = tool({ name: "a", description: "b", execute: ({ a }: { a: number }) => a });
createAgent({ url: "/", tools: [typed, named, open, annotated, { name: "a", description: "b", parameters: {} }], maxFollowUps: 3 });
createAgent({ url: "/", tools: () => [typed, { name: "a", description: "b", execute: (args) => same<typeof args, unknown>(true) }] });
// @ts-expect-error not what the validator gives
tool({ name: "a", description: "b", parameters: schema<City>(), execute: ({ town }) => town });
// @ts-expect-error a tool has a description
tool({ name: "a" });
void agent.submit({ message: "a", tools: [typed], replaces: "m" });
agent.addToolResult({ toolCallId: "1", result: { any: "thing" } });
agent.addToolResult({ toolCallId: "1", error: "no" });
agent.approve("1", { city: "Rome" });
agent.deny("1", "too far");
void agent.resume({ id: "a", payload: 5 });
void agent.resume({ id: "a", status: "cancelled" });
void agent.resume({ a: { status: "resolved" } });
// @ts-expect-error no such status
void agent.resume({ id: "a", status: "denied" });
same<ReturnType<typeof agent.editQueued>, boolean>(true);

// Saves go from one agent to the next, through any store.
const saved: SavedAgent = agent.save();
createAgent({ url: "/", restore: saved });
createAgent({ url: "/", restore: Promise.resolve(undefined) });
createAgent({ url: "/", persist: localStorageStore("a") });
const kept: AgentStore = indexedDbStore("a", "b");
const own: StoreOptions = { key: "a", load: () => undefined, save: () => {}, clear: () => {} };
createAgent({ url: "/", persist: createStore(own) });
// @ts-expect-error: a store is made with createStore.
createAgent({ url: "/", persist: own });
createAgent({ url: "/", restore: kept.load(), persist: kept });

// An agent in a worker is an agent.
same<ReturnType<typeof createInWorker<{ n: number }>>, Agent<{ n: number }>>(true);
createInWorker({ url: "/", worker: () => new Worker("worker.js") });
void useAgent(createInWorker({ url: "/", worker: true })).submit("a");
// @ts-expect-error an address is none
createInWorker({ url: "/", worker: "worker.js" });
createInWorker({ url: "/", worker: true, workerStartMs: 5000 });
createAgent({ url: "/", worker: false });
// @ts-expect-error no worker without its entry
createAgent({ url: "/", worker: true });
// @ts-expect-error no worker without its entry
useAgent({ url: "/", worker: true });
// @ts-expect-error no worker without its entry
useSvelteAgent(() => ({ url: "/", worker: true }));

// Arguments of an approval are those of the tool that is named.
declare const weather: PageTool<{ city: string }>;
agent.approve(weather, "c", { city: "Rome" });
agent.approve(weather, agent.getSnapshot().toolCalls[0]!);
agent.approve("c", { anything: 1 });
// @ts-expect-error another type
agent.approve(weather, "c", { city: 1 });
void agent.submit({ message: "a", ifAwaiting: "wait", resume: { id: "a" } });
void agent.resume([{ id: "a" }, { interruptId: "b", status: "cancelled" }]);
void agent.resume({ a: { payload: 1 }, b: {} });
// @ts-expect-error two names
void agent.resume({ id: "a", interruptId: "b" });
const answered: true | undefined = agent.getSnapshot().interrupts[0]?.answered;
void answered;

// A preset: options that a server needs, which may bring the address.
createAgent({ url: "/agent", threadId: "t", server: langGraph() });
createAgent({ threadId: "t", server: copilotKit({ runtimeUrl: "/api/copilotkit" }) });
// @ts-expect-error this one has no address
createAgent({ threadId: "t", server: langGraph() });
createAgent({
  url: "/agent",
  thread: { load: async ({ threadId, fetch }) => (await fetch(`/threads/${threadId}`)).json(), send: "turn", edits: "same-id", steer: true },
});

/** The ways to speak that the page knows, and what an agent has to be told for each. */
import { eventSource, webSocket, type Agent, type AgentOptions, type GuardOptions, type Transport } from "ag-ui-wasm";
import { policyFrom } from "ag-ui-wasm/chio";
import { createAgent as createWorkerAgent } from "ag-ui-wasm/worker";
import { inPage, type Catalogue, type Scenario } from "./endpoint.js";
import { tools } from "./tools.js";

export interface Protocol {
  readonly name: string;
  readonly title: string;
  /** The system whose scenarios they are, in the server's list. */
  readonly system: string;
  /** Scenarios of the system that make no sense in this form. */
  readonly without?: readonly string[];
  /** One connection carries all messages and answers: an event source with requests beside it, or a socket. */
  readonly session?: "source" | "socket";
  /** The stream is read, and the thread kept, in a worker. */
  readonly worker?: boolean;
  /** The page shows the Agent contract of ngaf. */
  readonly contract?: boolean;
  /** The server keeps the threads: the page lists them, and has an agent for each. */
  readonly stored?: boolean;
  readonly options: Pick<AgentOptions, "dialect" | "guard" | "resume">;
}

/** The targets of this page, as Chio names them: no windows to go to, no modals to submit. */
const guard: GuardOptions = {
  allowDisplayWithoutCapability: true,
  restrictedClassifications: ["navigate", "destroy"],
  allowComponents: ["chat-window", "form", "sidebar", "toast", "window"],
};

/** A policy as Chio's documents write it, of which a page has the YAML. */
const policyOf = (transport: "sse" | "websocket"): GuardOptions =>
  policyFrom({
    hushspec: "0.1.0",
    name: "demo-session",
    rules: {
      ag_ui: {
        enabled: true,
        transport,
        allow_display_without_capability: true,
        restricted_classifications: ["navigate", "create", "destroy"],
        max_events_per_second: 500,
      },
      ag_ui_components: { enabled: true, allow_components: ["chat-window", "toast"] },
      ag_ui_inbound: { enabled: true, default: "block", allow_classifications: ["submit"] },
    },
  });

const policy = policyOf("sse");
const socketPolicy = policyOf("websocket");

const all: readonly Protocol[] = [
  { name: "ag-ui", title: "AG-UI", system: "ag-ui", options: { resume: { by: "last-event-id" } } },
  { name: "worker", title: "AG-UI, in a worker", system: "ag-ui", worker: true, options: { resume: { by: "last-event-id" } } },
  { name: "threads", title: "Stored threads", system: "threads", stored: true, options: {} },
  { name: "agent-os", title: "agentOS", system: "agent-os", options: { dialect: "agent-os" } },
  { name: "ngaf", title: "ngaf", system: "ngaf", options: { dialect: "ngaf" } },
  { name: "ngaf-contract", title: "ngaf, its contract", system: "ngaf", contract: true, options: { dialect: "ngaf" } },
  { name: "open-search", title: "OpenSearch", system: "open-search", options: { dialect: "open-search" } },
  { name: "chio", title: "Chio", system: "chio", options: { dialect: "chio", guard } },
  {
    name: "chio-session",
    title: "Chio, one connection",
    system: "chio-session",
    session: "source",
    options: { dialect: { name: "chio", input: "event" }, guard: policy },
  },
  {
    name: "chio-socket",
    title: "Chio, WebSocket",
    system: "chio-socket",
    session: "socket",
    options: { dialect: { name: "chio", input: "event" }, guard: socketPolicy },
  },
  // The AG-UI form says nothing of approvals.
  { name: "hector", title: "Hector", system: "hector", without: ["approval"], options: { dialect: { name: "hector", route: "rest" } } },
  {
    name: "hector-a2a",
    title: "Hector, A2A",
    system: "hector",
    options: { dialect: { name: "hector", route: "rest", form: "native" } },
  },
  { name: "hector-2", title: "Hector 2", system: "hector-2", options: { dialect: { name: "hector", route: "v2" } } },
];

/** The agents in the page speak AG-UI alone. */
export const protocols = inPage ? all.slice(0, 1) : all;

export const protocolOf = (name: string): Protocol => protocols.find((protocol) => protocol.name === name) ?? protocols[0]!;

/** Suggestions for an agent that keeps notes. */
const notes: readonly Scenario[] = [
  { name: "notes", title: "A note", about: "The server keeps it, in a thread that is listed beside the chat.", prompt: "Remember the milk", path: "/threads" },
  { name: "plan", title: "A plan", about: "Another thread may be opened while this one is answered.", prompt: "Plan a week in Rome", path: "/threads" },
];

export const scenariosOf = ({ system, stored, without = [] }: Protocol, catalogue: Catalogue): readonly Scenario[] =>
  (stored ? notes : (catalogue[system] ?? [])).filter(({ name }) => !without.includes(name));

/** Fifteen updates a second look fluent, and leave the page more time than sixty. */
const notify = { throttleMs: 66 };

/** How the agent is asked at an address: a request a run, or one connection that stays open. */
function wayOf({ session }: Protocol, url: () => string): Pick<AgentOptions, "fetch" | "notify"> & ({ url: () => string } | { transport: Transport }) {
  if (session === undefined) return { url, notify, ...(inPage && { fetch: inPage.fetchInPage }) };
  const transport = session === "socket"
    ? webSocket({ url: (_, { threadId }) => withSession(url(), threadId).replace(/^http/, "ws"), keepOpen: true })
    : eventSource({
      url: (_, { threadId }) => withSession(url(), threadId),
      submitUrl: () => url().replace(/\/session(?=\?|$)/, "/submit"),
      keepOpen: true,
    });
  return { notify, transport };
}

/** The source of the page's agent: options, or an agent whose core is in a worker. `url` is called before every request. */
export function sourceOf(protocol: Protocol, url: () => string): AgentOptions | Agent {
  const options = { ...protocol.options, ...wayOf(protocol, url), tools };
  return protocol.worker === true ? createWorkerAgent({ ...options, worker: true }) : options;
}

/** Opens the connection of a session before anything is said. The answer is not waited for: the snapshot shows how it went. */
export function listen(agent: Agent, { session }: Protocol): void {
  if (session !== undefined) agent.connect().catch(() => {});
}

function withSession(path: string, threadId: string): string {
  const url = new URL(path, location.origin);
  url.searchParams.set("session", threadId);
  return url.href;
}

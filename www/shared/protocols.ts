/** The ways to speak that the page knows, and what an agent has to be told for each. */
import type { AgentOptions } from "ag-ui-wasm/full";

export interface Protocol {
  readonly name: string;
  readonly title: string;
  /** Whose scenarios they are, in the server's list. */
  readonly system: string;
  readonly options: Pick<AgentOptions, "dialect" | "resume">;
}

export const protocols: readonly Protocol[] = [
  { name: "ag-ui", title: "AG-UI", system: "ag-ui", options: { resume: { by: "last-event-id" } } },
  { name: "agent-os", title: "agentOS", system: "agent-os", options: { dialect: "agent-os" } },
  { name: "ngaf", title: "ngaf", system: "ngaf", options: { dialect: "ngaf" } },
  { name: "open-search", title: "OpenSearch", system: "open-search", options: { dialect: "open-search" } },
  { name: "chio", title: "Chio", system: "chio", options: { dialect: "chio" } },
  { name: "hector", title: "Hector", system: "hector", options: { dialect: "hector" } },
  { name: "hector-a2a", title: "Hector, A2A", system: "hector", options: { dialect: "hector" } },
  { name: "hector-2", title: "Hector 2", system: "hector-2", options: { dialect: "hector" } },
];

export const protocolOf = (name: string): Protocol => protocols.find((protocol) => protocol.name === name) ?? protocols[0]!;

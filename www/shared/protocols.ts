/** The ways to speak that the page knows, and what an agent has to be told for each. */
import type { AgentOptions, GuardOptions } from "ag-ui-wasm/full";
import type { Catalogue, Scenario } from "./endpoint.js";

export interface Protocol {
  readonly name: string;
  readonly title: string;
  /** Whose scenarios they are, in the server's list. */
  readonly system: string;
  /** Scenarios of the system that make no sense in this form. */
  readonly without?: readonly string[];
  readonly options: Pick<AgentOptions, "dialect" | "guard" | "resume">;
}

/** What this page has, as Chio names it: no windows to go to, no modals to submit. */
const guard: GuardOptions = {
  allowDisplayWithoutCapability: true,
  restrictedClassifications: ["navigate", "destroy"],
  allowComponents: ["chat-window", "form", "sidebar", "toast", "window"],
};

export const protocols: readonly Protocol[] = [
  { name: "ag-ui", title: "AG-UI", system: "ag-ui", options: { resume: { by: "last-event-id" } } },
  { name: "agent-os", title: "agentOS", system: "agent-os", options: { dialect: "agent-os" } },
  { name: "ngaf", title: "ngaf", system: "ngaf", options: { dialect: "ngaf" } },
  { name: "open-search", title: "OpenSearch", system: "open-search", options: { dialect: "open-search" } },
  { name: "chio", title: "Chio", system: "chio", options: { dialect: "chio", guard } },
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

export const protocolOf = (name: string): Protocol => protocols.find((protocol) => protocol.name === name) ?? protocols[0]!;

export const scenariosOf = ({ system, without = [] }: Protocol, catalogue: Catalogue): readonly Scenario[] =>
  (catalogue[system] ?? []).filter(({ name }) => !without.includes(name));

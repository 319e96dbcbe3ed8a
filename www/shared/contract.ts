/** The Agent contract of ngaf over the page's agent: the fields that its components read. A store in Svelte's sense. */
import type { Agent, JsonObject } from "ag-ui-wasm";
import { toNgafAgent, type NgafAgent } from "ag-ui-wasm/ngaf";
import type { Protocol } from "./protocols.js";

export type Contract = Readonly<Record<string, unknown>>;

let current: Contract | undefined;
const listeners = new Set<(contract: Contract | undefined) => void>();

function show(next: Contract | undefined): void {
  current = next;
  for (const listener of listeners) listener(next);
}

export const contract = {
  get: (): Contract | undefined => current,

  subscribe(listener: (contract: Contract | undefined) => void): () => void {
    listeners.add(listener);
    listener(current);
    return () => listeners.delete(listener);
  },

  /** Shows the contract of this agent, if the protocol asks for that; the answer stops it. */
  listen(agent: Agent, { contract: wanted = false }: Protocol): () => void {
    if (!wanted) return () => {};
    const view = toNgafAgent(agent as Agent<JsonObject>);
    const update = (): void => show(fieldsOf(view));
    const off = view.subscribe(update);
    update();
    return () => {
      off();
      view.dispose();
      show(undefined);
    };
  },
};

/** Few words of long lists: the conversation beside has them. */
function fieldsOf(view: NgafAgent): Contract {
  const { messages, status, isLoading, toolCalls, interrupt, subagents, customEvents } = view.getSnapshot();
  return {
    status,
    isLoading,
    messages: messages.map(({ role, delivery }) => (delivery ? `${role}, ${delivery.phase}` : role)),
    toolCalls: toolCalls.map((call) => `${call.name}, ${call.status}`),
    ...(interrupt && { interrupt: interrupt.value }),
    subagents: Object.values(subagents).map((subagent) => `${subagent.name}, ${subagent.status}`),
    customEvents: customEvents.map(({ name }) => name),
    history: view.history.get().length,
  };
}

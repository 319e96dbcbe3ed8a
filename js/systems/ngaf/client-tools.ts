// Tools that the page answers, as version 2 of the contract has them.

import type { JsonObject } from "../../api/protocol.js";
import type { Agent } from "../../api/types.js";
import type { Reducer } from "./reduce.js";
import type { ClientCapabilities, ClientTool, ClientToolOutcome, ClientTools, NgafToolCall } from "./types.js";
import type { NgafWatch } from "./watch.js";

/** The contract's `clientTools`, and what they add to a run. */
export type PageTools = ReturnType<typeof createPageTools>;

/** `run`: runs the agent, which takes the answers along. */
export function createPageTools(agent: Agent<JsonObject>, reducer: Reducer, watch: NgafWatch, run: () => Promise<void>) {
  const { fields, named, calls } = reducer;
  const settled = new Set<string>();
  let catalog: readonly ClientTool[] | undefined;
  let capabilities: ClientCapabilities | undefined;
  let pending: readonly NgafToolCall[] = [];

  /** Answers a call once. Says whether this was the answer. */
  const settle = (toolCallId: string, outcome: ClientToolOutcome): boolean => {
    if (settled.has(toolCallId) || !fields.toolCalls.some(({ id }) => id === toolCallId)) return false;
    settled.add(toolCallId);
    const error = outcome.ok ? undefined : outcome.error;
    const result = outcome.ok ? outcome.value : { error };
    calls.change(toolCallId, (call) => ({ ...call, result, ...(!outcome.ok && { error, status: "error" }) }));
    const content = outcome.ok ? (typeof result === "string" ? result : (JSON.stringify(result) ?? "null")) : `Error: ${messageOf(error)}`;
    const message = { id: `tool-${toolCallId}`, role: "tool", toolCallId, content } as const;
    named.add(message.id);
    agent.setMessages((messages) => [...messages, message]);
    return true;
  };

  return {
    /** Sent with every run, where the application has set them. */
    get catalog(): typeof catalog {
      return catalog;
    },
    get capabilities(): typeof capabilities {
      return capabilities;
    },
    clientTools: {
      setCatalog: (tools, newCapabilities) => {
        [catalog, capabilities] = [tools, newCapabilities];
        watch.changed();
      },
      pending: watch.field(() => {
        const waits = ({ id, name, result }: NgafToolCall): boolean =>
          result === undefined && !settled.has(id) && !!catalog?.some((tool) => tool.name === name);
        const next = fields.isLoading ? [] : fields.toolCalls.filter(waits);
        const same = next.length === pending.length && next.every((call, at) => call === pending[at]);
        return same ? pending : (pending = next);
      }),
      settle: (toolCallId, outcome) => void settle(toolCallId, outcome),
      resolve: async (toolCallId, outcome) => {
        if (settle(toolCallId, outcome)) await run();
      },
      flush: () => {},
    } satisfies ClientTools as ClientTools,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === "string" ? error : (JSON.stringify(error) ?? String(error));
}

// The history as the contract has it.

import type { JsonObject } from "../../api/protocol.js";
import type { Agent } from "../../api/types.js";
import type { NgafCheckpoint } from "./types.js";

export interface Past {
  readonly history: readonly NgafCheckpoint[];
  readonly messageCheckpoints: ReadonlyMap<string, string>;
}

/** Reads the history of an agent: when somebody asks, and once for each state of it. */
export function pastOf(agent: Agent<JsonObject>): () => Past {
  let from: unknown;
  let made: Past = { history: [], messageCheckpoints: new Map() };
  return () => {
    const { history } = agent;
    if (history === from) return made;
    from = history;
    const messageCheckpoints = new Map<string, string>();
    for (const { id } of history) {
      for (const message of agent.at(id)?.messages ?? []) if (!messageCheckpoints.has(message.id)) messageCheckpoints.set(message.id, id);
    }
    const label = (kind: string, step?: string): string => (step === undefined ? kind : `${kind} ${step}`);
    made = {
      history: history.map(({ id, kind, stepName }) => ({ id, label: label(kind, stepName), values: agent.at(id)?.state })),
      messageCheckpoints,
    };
    return made;
  };
}

/**
 * Questions of a run that continues: Hector keeps the stream open while a tool waits to be approved, and takes the answer
 * as a message of its own. A store in Svelte's sense.
 */
import type { Agent } from "ag-ui-wasm";
import { answerApproval, type ToolApproval } from "ag-ui-wasm/hector";

export interface HeldQuestion {
  readonly id: string;
  readonly message: string;
  answer(approved: boolean): void;
}

export class HeldQuestions {
  #list: readonly HeldQuestion[] = [];
  #listeners = new Set<(list: readonly HeldQuestion[]) => void>();

  /** Listens to an agent; the answer stops it. `url`: where the agent is asked. */
  listen(agent: Agent, url: () => string): () => void {
    const offs = [
      agent.on("custom", (event) => {
        if (event.type === "custom" && event.name === "hector.tool_approval") this.#ask(event.data as ToolApproval, url());
      }),
      agent.on("finish", () => this.#set([])),
      () => this.#set([]),
    ];
    return () => offs.forEach((off) => off());
  }

  readonly get = (): readonly HeldQuestion[] => this.#list;

  readonly subscribe = (listener: (list: readonly HeldQuestion[]) => void): () => void => {
    this.#listeners.add(listener);
    listener(this.#list);
    return () => this.#listeners.delete(listener);
  };

  #ask(approval: ToolApproval, url: string): void {
    const question: HeldQuestion = {
      id: `${approval.taskId} ${approval.toolCallId}`,
      message: `Run ${approval.toolName}: ${approval.toolInput}?`,
      answer: (approved) => {
        this.#set(this.#list.filter((other) => other !== question));
        // If the answer cannot be sent, the question stays.
        answerApproval(url, approval, approved ? "approve" : "deny").catch(() => this.#set([...this.#list, question]));
      },
    };
    this.#set([...this.#list, question]);
  }

  #set(list: readonly HeldQuestion[]): void {
    this.#list = list;
    for (const listener of this.#listeners) listener(list);
  }
}

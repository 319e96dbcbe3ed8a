/** The tools of the page for an agent: change its color, fill its query bar and, if the user agrees, look at its window. */
import { tool } from "ag-ui-wasm";

/** The text of the query bar. A store in Svelte's sense. */
export interface Query {
  readonly query: string;
  readonly language?: string;
}

let query: Query | undefined;
const listeners = new Set<(query: Query | undefined) => void>();

export const queryBar = {
  get: (): Query | undefined => query,
  set(next: Query | undefined): void {
    query = next;
    for (const listener of listeners) listener(query);
  },
  subscribe(listener: (query: Query | undefined) => void): () => void {
    listeners.add(listener);
    listener(query);
    return () => listeners.delete(listener);
  },
};

/** The colors of `base.css`. */
const colors = ["pine", "plum", "indigo"];

const setAccent = tool<{ color: string }>({
  name: "set_accent",
  description: "Give the page another color.",
  parameters: { type: "object", properties: { color: { type: "string", enum: colors } }, required: ["color"] },
  execute({ color }) {
    if (!colors.includes(color)) throw new Error(`The page has no color ${color}, but ${colors.join(", ")}`);
    document.documentElement.dataset["accent"] = color;
    return { color };
  },
});

const updateQuery = tool<Query>({
  name: "update_query",
  description: "Replace the query in the query bar.",
  parameters: {
    type: "object",
    properties: { query: { type: "string" }, language: { type: "string" } },
    required: ["query"],
  },
  execute(next) {
    queryBar.set(next);
    return { success: true };
  },
});

const readWindow = tool({
  name: "read_window",
  description: "Tell the size of the user's window, the language and the time zone.",
  parameters: { type: "object", properties: {} },
  needsApproval: true,
  execute: () => ({
    width: innerWidth,
    height: innerHeight,
    language: navigator.language,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  }),
});

export const tools = [setAccent, updateQuery, readWindow];

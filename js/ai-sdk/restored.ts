// The messages of a chat that continues after a reload.

import type { UIMessage } from "ai";
import type { Agent, AgentSnapshot } from "../api/types.js";
import type { AgentStore, SavedAgent } from "../api/saving.js";
import { toUIMessages } from "./parts.js";

/** How long a run in progress is waited for after its thread is shown: another tab may have it, and then it is not joined. */
const joinMs = 500;

/**
 * Returns the messages of a thread once the agent has restored it from its store: a chat takes its messages when it is made, and an
 * agent with `persist` has them a moment later. A run that was in progress has been joined then, so that `resumeStream()` shows it. Returns the
 * messages that the agent has when the store is empty, fails, or has not answered within `waitMs` (default: 3000).
 *
 * @example
 * const store = localStorageStore("chat");
 * const agent = createAgent({ url: "/agent", threadId: "42", persist: store });
 * const messages = await loadUIMessages(agent, store);
 */
export async function loadUIMessages<State>(
  agent: Agent<State>,
  store: Pick<AgentStore, "load">,
  options: { readonly waitMs?: number } = {},
): Promise<UIMessage[]> {
  // A longer time fires at once.
  const waitMs = Math.min(options.waitMs ?? 3000, 1e9);
  const saved = await load(store, waitMs);
  if (saved?.messages?.length) await until(agent, ({ messages }) => messages.length > 0, waitMs);
  // `running` of a save: its run had not ended.
  if ((saved as { running?: unknown } | undefined)?.running) await until(agent, ({ isLoading, outcome }) => isLoading || outcome !== undefined, joinMs);
  return toUIMessages(agent.getSnapshot());
}

/** Reads the store. Undefined where it fails, which the agent reports, or where it does not answer in time. */
function load(store: Pick<AgentStore, "load">, ms: number): Promise<SavedAgent | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    const done = (saved?: SavedAgent): void => {
      clearTimeout(timer);
      resolve(saved);
    };
    new Promise<SavedAgent | undefined>((loaded) => loaded(store.load())).then(done, () => done());
  });
}

/** Resolves when the snapshot is as wanted, the agent has an error, or the time is over. */
async function until<State>(agent: Agent<State>, wanted: (snapshot: AgentSnapshot<State>) => boolean, ms: number): Promise<void> {
  const offs: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    const look = (): void => void (wanted(agent.getSnapshot()) && resolve());
    const timer = setTimeout(resolve, ms);
    // The first listener may be called before its subscription is made.
    offs.push(() => clearTimeout(timer), agent.subscribe(look), agent.on("error", () => resolve()));
    look();
  });
  offs.forEach((off) => off());
}

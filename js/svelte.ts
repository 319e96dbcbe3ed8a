import { getContext, setContext } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { isAgent, keyOf, nowhere } from "./binding.js";
import { createAgent } from "./index.js";
import type { Agent, AgentOptions, AgentSnapshot } from "./types.js";

/**
 * What `useAgent` returns: the snapshot's fields as reactive getters, the agent's methods, and the agent itself.
 * It is a store as well: `$chat` is the snapshot.
 */
export type UseAgent<State = unknown> = AgentSnapshot<State> &
  Omit<Agent<State>, "subscribe" | "getSnapshot" | "getServerSnapshot" | "setOptions" | typeof Symbol.dispose> & {
    readonly agent: Agent<State>;
    /** The store contract. Follows the agent of the time of the call. */
    subscribe(run: (snapshot: AgentSnapshot<State>) => void): () => void;
  };

type Target<State> = Agent<State> | AgentOptions<State> | (() => AgentOptions<State>);

const context = Symbol("ag-ui-wasm");

/**
 * Gives an agent to all components below this one, where `useAgent()` finds it. Takes what {@link useAgent} does, and
 * returns the same. To be called while the component is set up.
 *
 * @example
 * <script>
 *   import { setAgent } from "ag-ui-wasm/svelte";
 *   const { children } = $props();
 *   setAgent({ url: "/agent" });
 * </script>
 * {@render children()}
 */
export function setAgent<State = unknown>(target: Target<State>): UseAgent<State> {
  return setContext(context, useAgent(target));
}

/**
 * An agent whose fields are reactive wherever they are read; don't destructure them. A function of options is asked
 * whenever something is read or called, so that another `url` or `threadId` gives another agent. Given nothing, the agent
 * that a component above has set with {@link setAgent}.
 *
 * @example
 * <script>
 *   import { page } from "$app/state";
 *   import { useAgent } from "ag-ui-wasm/svelte";
 *   const chat = useAgent(() => ({ url: "/agent", threadId: page.params.id }));
 * </script>
 * {#each chat.messages as message (message.id)}<p>{message.content}</p>{/each}
 * <button onclick={() => chat.submit("hello")}>Send</button>
 */
export function useAgent<State = unknown>(target?: Target<State>): UseAgent<State> {
  if (!target) {
    const found = getContext<UseAgent<State> | undefined>(context);
    if (!found) throw nowhere("setAgent");
    return found;
  }
  const make = (given: Agent<State> | AgentOptions<State>, key: unknown) => {
    const agent = isAgent(given) ? given : createAgent(given);
    return { key, agent, track: createSubscriber((update) => agent.subscribe(update)) };
  };
  let made: ReturnType<typeof make> | undefined;
  const current = () => {
    if (made && typeof target !== "function") return made;
    const given = typeof target === "function" ? target() : target;
    const key = keyOf(given);
    if (!made || made.key !== key) return (made = make(given, key));
    if (!isAgent(given)) made.agent.setOptions(given);
    return made;
  };

  const { agent } = current();
  const view = Object.create(null);
  const define = (name: string, get: () => unknown) => Object.defineProperty(view, name, { get, enumerable: true, configurable: true });
  for (const [name, value] of Object.entries(agent)) {
    const method = (...args: unknown[]) => Reflect.get(current().agent, name)(...args);
    define(name, () => (typeof value === "function" ? method : Reflect.get(current().agent, name)));
  }
  for (const key of Object.keys(agent.getSnapshot())) {
    define(key, () => {
      const { agent, track } = current();
      track();
      return Reflect.get(agent.getSnapshot(), key);
    });
  }
  define("agent", () => current().agent);
  define("subscribe", () => (run: (snapshot: AgentSnapshot<State>) => void) => {
    const { agent } = current();
    run(agent.getSnapshot());
    return agent.subscribe(() => run(agent.getSnapshot()));
  });
  return view;
}

// Vue: what the entries share, which differ in the agents that they make of options.

import {
  computed,
  getCurrentInstance,
  inject,
  onMounted,
  provide,
  shallowRef,
  toValue,
  watch,
  type ComputedRef,
  type InjectionKey,
  type ShallowRef,
} from "vue";
import { createFinder, methodsOf, nowhere, type AgentTarget, type CreateAgent } from "./shared.js";
import type { Agent, AgentSnapshot } from "../api/types.js";

/** The result of `useAgent`: the snapshot's fields as refs, the agent's methods, and the agent itself as a ref. */
export type UseAgent<State = unknown> =
  & { readonly [Field in keyof AgentSnapshot<State>]: ComputedRef<AgentSnapshot<State>[Field]> }
  & Omit<
    Agent<State>,
    "getSnapshot" | "getServerSnapshot" | "setOptions" | "history" | "guard" | typeof Symbol.dispose
  >
  & {
    readonly agent: Readonly<ShallowRef<Agent<State>>>;
    readonly snapshot: Readonly<ShallowRef<AgentSnapshot<State>>>;
  };

const agentKey: InjectionKey<UseAgent> = Symbol("ag-ui-wasm");

/** The agent that is given, or the one that is made of options: another one with another key. */
function useMade<State>(create: CreateAgent, target: AgentTarget<State>): Readonly<ShallowRef<Agent<State>>> {
  const find = createFinder<State>(create);
  // An agent is no function, and a function is asked again when what it reads has changed.
  const wanted = computed(() => toValue(target));
  const agent = shallowRef(find(wanted.value));
  watch(wanted, (next) => void (agent.value = find(next)), { flush: "sync" });
  return agent;
}

/** The snapshot of an agent, for as long as the scope lives. */
function useSnapshot<State>(agent: Readonly<ShallowRef<Agent<State>>>): Readonly<ShallowRef<AgentSnapshot<State>>> {
  const instance = getCurrentInstance();
  // Vue gives a component that hydrates its element before it is set up: it begins with what the server has rendered.
  const hydrates = !!instance?.vnode.el;
  const snapshot = shallowRef(hydrates ? agent.value.getServerSnapshot() : agent.value.getSnapshot());
  const look = (): void => void (snapshot.value = agent.value.getSnapshot());
  // A server renders once, and ends no scope.
  if (typeof document === "undefined" && instance) return snapshot;
  watch(
    agent,
    (next, _, ended) => {
      ended(next.subscribe(look));
      if (!hydrates || instance.isMounted) look();
    },
    { immediate: true, flush: "sync" },
  );
  if (hydrates) onMounted(look);
  return snapshot;
}

/** `useAgent` of an entry. */
export function useAgentOf<State>(create: CreateAgent, target?: AgentTarget<State>): UseAgent<State> {
  if (target === undefined) return injectAgent();
  const agent = useMade(create, target);
  const snapshot = useSnapshot(agent);
  const view: Record<string, unknown> = { agent, snapshot, ...methodsOf(() => agent.value) };
  for (const field of Object.keys(snapshot.value)) view[field] = computed(() => Reflect.get(snapshot.value, field));
  return view as UseAgent<State>;
}

/** `provideAgent` of an entry. */
export function provideAgentOf<State>(create: CreateAgent, target: AgentTarget<State>): UseAgent<State> {
  const view = useAgentOf(create, target);
  provide(agentKey, view as unknown as UseAgent);
  return view;
}

/** The agent that a component above has provided. */
export function injectAgent<State = unknown>(): UseAgent<State> {
  const found = inject(agentKey, undefined);
  if (!found) throw nowhere("provideAgent");
  return found as unknown as UseAgent<State>;
}

/**
 * A part of an agent's snapshot as a ref, which changes only when that part does. Without an agent, of the one that a component
 * above has provided.
 *
 * @example
 * const last = useAgentSelector(agent, ({ messages }) => messages.at(-1));
 * const busy = useAgentSelector(({ isLoading }) => isLoading);
 */
export function useAgentSelector<State, Part>(
  agent: Agent<State>,
  select: (snapshot: AgentSnapshot<State>) => Part,
  isEqual?: (a: Part, b: Part) => boolean,
): ComputedRef<Part>;
export function useAgentSelector<Part, State = unknown>(
  select: (snapshot: AgentSnapshot<State>) => Part,
  isEqual?: (a: Part, b: Part) => boolean,
): ComputedRef<Part>;
export function useAgentSelector<State, Part>(...args: readonly unknown[]): ComputedRef<Part> {
  type Given = [Agent<State> | undefined, (snapshot: AgentSnapshot<State>) => Part, ((a: Part, b: Part) => boolean)?];
  const [agent, select, isEqual = Object.is] = (typeof args[0] === "function" ? [undefined, ...args] : args) as Given;
  const snapshot = agent ? useSnapshot(shallowRef(agent)) : injectAgent<State>().snapshot;
  return computed((old?: Part) => {
    const part = select(snapshot.value);
    return old !== undefined && isEqual(old, part) ? old : part;
  });
}

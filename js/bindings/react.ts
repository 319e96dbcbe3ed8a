// React: what the entries share, which differ in the agents that they make of options.

import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type Context,
  type ReactNode,
} from "react";
import { isAgent, keyOf, nameOf, nowhere, type CreateAgent } from "./shared.js";
import type { Agent, AgentOptions, AgentSnapshot } from "../api/types.js";

/** The result of `useAgent`: the snapshot's fields, the agent's bound methods, and the agent itself. */
export type UseAgent<State = unknown> =
  & AgentSnapshot<State>
  & Omit<Agent<State>, "getSnapshot" | "getServerSnapshot" | "setOptions">
  & { readonly agent: Agent<State> };

/** The props of `AgentProvider`. */
export interface AgentProviderProps<State> {
  readonly agent: Agent<State> | AgentOptions<State>;
  readonly children?: ReactNode;
}

// Made when it is first used: where server components are rendered, React has no contexts, but modules are imported.
let context: Context<Agent | undefined> | undefined;
const provided = (): Context<Agent | undefined> => (context ??= createContext<Agent | undefined>(undefined));

/** The argument, or the provider's agent. */
function useProvided<Target>(target: Target | undefined): Target | Agent {
  const agent = useContext(provided());
  if (!target && !agent) throw nowhere("AgentProvider");
  return target ?? agent!;
}

/** The agent that is given, or the one that is made of options. */
function useMade<State>(create: CreateAgent, target: Agent<State> | AgentOptions<State>): Agent<State> {
  const key = keyOf(target);
  const make = () => ({ key, agent: isAgent(target) ? target : spareOf(create, target) });
  const [made, setMade] = useState(make);
  let { agent } = made;
  if (made.key !== key) {
    const next = make();
    setMade(next);
    agent = next.agent;
  }
  const self = useRef(undefined);
  useInsertionEffect(() => {
    if (isAgent(target)) return;
    if (!owners.has(agent)) owners.set(agent, self);
    agent.setOptions(target);
  });
  useEffect(() => {
    // Two components have rendered with one spare agent: it belongs to the other one.
    if (!isAgent(target) && owners.get(agent) !== self) setMade(make());
  });
  return agent;
}

// Agents that were made of options for a component that was not committed, by what they were made of: React throws renders
// away, and the next one takes the same agent. Held weakly: perhaps no render follows.
const spares = new Map<string, { readonly create: CreateAgent; readonly agent: WeakRef<object> }[]>();
// The component that an agent was made for, once that is committed.
const owners = new WeakMap<object, object>();

/** An agent of these options that no component has yet, or a new one. */
function spareOf<State>(create: CreateAgent, options: AgentOptions<State>): Agent<State> {
  const name = typeof document === "object" && nameOf(options);
  if (!name) return create(options);
  const list = spares.get(name) ?? [];
  let agent: Agent<State> | undefined;
  for (let spare; !agent && (spare = list.shift());) {
    const spareAgent = spare.agent.deref();
    if (spareAgent && spare.create === create && !owners.has(spareAgent)) agent = spareAgent as Agent<State>;
  }
  if (!list.length) spares.delete(name);
  const made = agent ?? create(options);
  // Once this render has had its turn: two components of one have an agent each.
  queueMicrotask(() => owners.has(made) || spares.set(name, [...(spares.get(name) ?? []), { create, agent: new WeakRef(made) }]));
  return made;
}

/** `AgentProvider` of an entry. */
export function useProvider<State>(create: CreateAgent, { agent, children }: AgentProviderProps<State>): ReactNode {
  const value = useMade(create, agent) as Agent<unknown>;
  return createElement(provided().Provider, { value }, children);
}

/** `useAgent` of an entry. */
export function useAgentOf<State>(create: CreateAgent, target?: Agent<State> | AgentOptions<State>): UseAgent<State> {
  const agent = useMade(create, useProvided(target) as Agent<State> | AgentOptions<State>);
  const snapshot = useSelected(agent, whole, Object.is);
  return useMemo(() => ({ ...agent, ...snapshot, agent }), [agent, snapshot]);
}

const whole = <State>(snapshot: AgentSnapshot<State>): AgentSnapshot<State> => snapshot;

type Select<State, Part> = (snapshot: AgentSnapshot<State>) => Part;
type IsEqual<Part> = (a: Part, b: Part) => boolean;

/**
 * Renders a part of an agent's snapshot: the component renders again only when that part changes. Without an agent, of
 * the one of the {@link AgentProvider} above.
 *
 * @example
 * const last = useAgentSelector(agent, (snapshot) => snapshot.messages[snapshot.messages.length - 1]);
 * const busy = useAgentSelector((snapshot) => snapshot.isLoading);
 */
export function useAgentSelector<State, Part>(
  agent: Agent<State>,
  select: Select<State, Part>,
  isEqual?: IsEqual<Part>,
): Part;
export function useAgentSelector<Part, State = unknown>(select: Select<State, Part>, isEqual?: IsEqual<Part>): Part;
export function useAgentSelector<State, Part>(...args: readonly unknown[]): Part {
  const [target, select, isEqual = Object.is] = (typeof args[0] === "function" ? [undefined, ...args] : args) as [
    Agent<State> | undefined,
    Select<State, Part>,
    IsEqual<Part>?,
  ];
  return useSelected(useProvided(target) as Agent<State>, select, isEqual);
}

/** A snapshot, and whose. */
interface Notified<State> {
  readonly agent: Agent<State>;
  readonly snapshot: AgentSnapshot<State>;
}

/** The part of a snapshot that a component shows. */
interface SelectedPart<State, Part> extends Notified<State> {
  /** The last notification at that time. */
  readonly notified: Notified<State>;
  readonly select: Select<State, Part>;
  readonly isEqual: IsEqual<Part>;
  readonly part: Part;
}

// Components that are rendered together show one snapshot, although React gives the page its turn in between: the first that is
// read after a commit. A commit is compared with the agent once more, so no pin shows something old for longer.
const pins = new WeakMap<object, { readonly snapshot: unknown; at: number }>();
// A render that was thrown away releases nothing: so long after its last component, another one has begun.
const pinMs = 500;

function read<State>(agent: Agent<State>): AgentSnapshot<State> {
  // A server commits nothing.
  if (typeof document !== "object") return agent.getSnapshot();
  const now = performance.now();
  let pin = pins.get(agent);
  if (!pin || now > pin.at + pinMs) pins.set(agent, pin = { snapshot: agent.getSnapshot(), at: now });
  pin.at = now;
  return pin.snapshot as AgentSnapshot<State>;
}

// Nothing to subscribe to, so nothing to end.
const never = () => () => {};

/**
 * The selected part of the agent's snapshot.
 *
 * Changes travel in React's own state. `useSyncExternalStore` would render each of them synchronously and throw away the
 * transition that is being rendered, so none would finish while an answer streams. React's state cannot know the first
 * snapshot, that of another agent, or what another selector asks for: these are read from the agent while rendering. An
 * effect compares again after each commit, so no change in between is missed.
 */
function useSelected<State, Part>(agent: Agent<State>, select: Select<State, Part>, isEqual: IsEqual<Part>): Part {
  const committed = useRef<SelectedPart<State, Part>>(undefined);
  const [notified, notify] = useState<Notified<State>>(() => ({ agent, snapshot: read(agent) }));
  const old = committed.current;
  const goesOn = old ? old.agent === agent && old.select === select : notified.agent === agent;
  const news = notified !== old?.notified && notified.agent === agent;
  const snapshot = !goesOn ? read(agent) : news ? notified.snapshot : old!.snapshot;
  const start = agent.getServerSnapshot();

  const choose = (of: AgentSnapshot<State>): { readonly part: Part } => {
    if (old?.snapshot === of && old.select === select) return old;
    const part = select(of);
    // The same object for as long as it is equal.
    return old && isEqual(old.part, part) ? old : { part };
  };
  let current: { readonly part: Part } | undefined;
  let first: typeof current;
  // Hydration begins with what the server has rendered. A prerender asks for no more than that.
  const part = useSyncExternalStore(
    never,
    () => (current ??= (snapshot === start && first) || choose(snapshot)).part,
    () => (first ??= choose(start)).part,
  );
  const shown = current ? snapshot : start;

  const check = (): void => {
    const { agent: lastAgent, snapshot: lastSnapshot, select: lastSelect, isEqual: lastIsEqual, part: lastPart } = committed.current!;
    const next = lastAgent.getSnapshot();
    if (next === lastSnapshot) return;
    try {
      if (lastIsEqual(lastPart, lastSelect(next))) return;
    } catch {
      // It throws again while rendering, unless the component is about to go.
    }
    notify({ agent: lastAgent, snapshot: next });
  };
  useInsertionEffect(() => void pins.delete(agent));
  useEffect(() => {
    committed.current = { agent, snapshot: shown, notified, select, isEqual, part };
    check();
  });
  useEffect(() => agent.subscribe(check), [agent]);
  return part;
}

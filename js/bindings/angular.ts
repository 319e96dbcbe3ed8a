// Angular: what the entry gives, over the agents that it makes of options.

import { afterNextRender, computed, DOCUMENT, effect, inject, InjectionToken, NgZone, signal, untracked, type Provider, type Signal } from "@angular/core";
import { AgentError } from "../api/error.js";
import type { Agent, AgentSnapshot } from "../api/types.js";
import { isAgent, keyOf, type AgentTarget, type CreateAgent } from "./shared.js";

/** The result of `agentResource`: the snapshot's fields as signals, the agent's methods, and the agent itself as a signal. */
export type AgentResource<State = unknown> =
  & { readonly [Field in keyof AgentSnapshot<State>]: Signal<AgentSnapshot<State>[Field]> }
  & Omit<
    Agent<State>,
    "getSnapshot" | "getServerSnapshot" | "setOptions" | "history" | "guard" | typeof Symbol.dispose
  >
  & {
    readonly agent: Signal<Agent<State>>;
    readonly snapshot: Signal<AgentSnapshot<State>>;
  };

const token = new InjectionToken<AgentResource>("ag-ui-wasm");

/** The agent that is given, or the one that is made of options: another one with another key. */
function madeOf<State>(create: CreateAgent, target: AgentTarget<State>, outside: <Value>(action: () => Value) => Value): Signal<Agent<State>> {
  let last: { readonly key: unknown; readonly agent: Agent<State> } | undefined;
  return computed(() => {
    // An agent is no function.
    const resolved = typeof target === "function" ? target() : target;
    const key = keyOf(resolved);
    return untracked(() =>
      outside(() => {
        if (last && last.key === key) {
          if (!isAgent(resolved)) last.agent.setOptions(resolved);
        } else last = { key, agent: isAgent(resolved) ? resolved : create(resolved) };
        return last.agent;
      })
    );
  });
}

/** `agentResource` of an entry. */
export function agentResourceOf<State>(create: CreateAgent, target: AgentTarget<State>): AgentResource<State> {
  const zone = inject(NgZone);
  const page = inject(DOCUMENT);
  // An agent's work in the background stays outside of the zone: signals report the changes.
  const outside = <Value>(action: () => Value): Value => zone.runOutsideAngular(action);
  const agent = madeOf(create, target, outside);
  // A page that hydrates begins with what the server has rendered: Angular marks that with an attribute.
  const first = signal(typeof document === "object" && page.querySelector("[ngh]") !== null);
  const changes = signal(0);
  const snapshot = computed(() => {
    changes();
    return first() ? agent().getServerSnapshot() : agent().getSnapshot();
  });
  // A server renders once, and listens to nothing.
  if (typeof document === "object") {
    const look = (): void => changes.update((count) => count + 1);
    effect((ended) => {
      const current = agent();
      untracked(() => {
        ended(outside(() => current.subscribe(look)));
        // Reads the changes that came before it listened.
        look();
      });
    });
    if (untracked(first)) afterNextRender(() => first.set(false));
  }
  const view: Record<string, unknown> = { agent, snapshot };
  for (const [name, value] of Object.entries(untracked(agent))) {
    if (typeof value === "function") view[name] = (...args: unknown[]) => outside(() => Reflect.get(untracked(agent), name)(...args));
  }
  for (const field of Object.keys(untracked(snapshot))) view[field] = computed(() => Reflect.get(snapshot(), field));
  return view as AgentResource<State>;
}

/** `provideAgent` of an entry. */
export function provideAgentOf<State>(create: CreateAgent, target: AgentTarget<State>): Provider {
  return { provide: token, useFactory: () => agentResourceOf(create, target) };
}

/** `injectAgent` of an entry. */
export function injectAgentOf<State>(): AgentResource<State> {
  const found = inject(token, { optional: true });
  if (found) return found as unknown as AgentResource<State>;
  throw new AgentError({ kind: "unsupported", code: "input", message: "injectAgent() found no agent: provide one with provideAgent" });
}

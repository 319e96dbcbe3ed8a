// Angular: what the entry gives, over the agents that it makes of options.

import { afterNextRender, computed, DOCUMENT, effect, inject, InjectionToken, NgZone, signal, untracked, type Provider, type Signal } from "@angular/core";
import { AgentError } from "../api/error.js";
import type { Agent, AgentSnapshot } from "../api/types.js";
import { createFinder, methodsOf, type AgentTarget, type CreateAgent } from "./shared.js";

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

/** `agentResource` of an entry. */
export function agentResourceOf<State>(create: CreateAgent, target: AgentTarget<State>): AgentResource<State> {
  const zone = inject(NgZone);
  const page = inject(DOCUMENT);
  // An agent's work in the background stays outside of the zone: signals report the changes.
  const outside = <Value>(action: () => Value): Value => zone.runOutsideAngular(action);
  const find = createFinder<State>(create);
  const agent = computed(() => {
    // An agent is no function.
    const resolved = typeof target === "function" ? target() : target;
    return untracked(() => outside(() => find(resolved)));
  });
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
  for (const [name, method] of Object.entries(methodsOf(() => untracked(agent)))) view[name] = (...args: unknown[]) => outside(() => method(...args));
  for (const field of Object.keys(untracked(snapshot))) view[field] = computed(() => Reflect.get(snapshot(), field));
  return view as AgentResource<State>;
}

/** `provideAgent` of an entry. */
export function provideAgentOf<State>(create: CreateAgent, target: AgentTarget<State>): Provider {
  return { provide: token, useFactory: () => agentResourceOf(create, target) };
}

/** The agent that is provided: the same as `agentResource` returns. */
export function injectAgent<State = unknown>(): AgentResource<State> {
  const found = inject(token, { optional: true });
  if (found) return found as unknown as AgentResource<State>;
  throw new AgentError({ kind: "unsupported", code: "input", message: "injectAgent() found no agent: provide one with provideAgent" });
}

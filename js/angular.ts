import type { Provider } from "@angular/core";
import { agentResourceOf, provideAgentOf, type AgentResource } from "./bindings/angular.js";
import type { AgentTarget } from "./bindings/shared.js";
import { createMountedAgent } from "./agent/mounted.js";

export { messageKey } from "./snapshot/message-key.js";
export { injectAgent } from "./bindings/angular.js";
export type { AgentResource } from "./bindings/angular.js";
export type { AgentTarget } from "./bindings/shared.js";

/**
 * An agent whose fields are signals; its methods may be passed on alone. A function of options is asked again when a signal that it
 * reads has changed: another `url`, `threadId` or `dialect` gives another agent. To be called in an injection context, with which
 * it stops listening; the agent lives as long as something holds it.
 *
 * @example
 * @Component({
 *   selector: "app-chat",
 *   template: `
 *     @for (message of chat.messages(); track key(message)) { <p>{{ message.content }}</p> }
 *     <button (click)="chat.submit('hello')">Send</button>
 *   `,
 * })
 * export class Chat {
 *   readonly id = input.required<string>();
 *   readonly chat = agentResource(() => ({ url: "/agent", threadId: this.id() }));
 *   readonly key = messageKey;
 * }
 */
export function agentResource<State = unknown>(target: AgentTarget<State>): AgentResource<State> {
  return agentResourceOf(createMountedAgent, target);
}

/**
 * Provides an agent to an application, a route or a component and all below it, where {@link injectAgent} finds it. Takes what
 * {@link agentResource} does.
 *
 * @example
 * bootstrapApplication(App, { providers: [provideAgent({ url: "/agent" })] });
 */
export function provideAgent<State = unknown>(target: AgentTarget<State>): Provider {
  return provideAgentOf(createMountedAgent, target);
}

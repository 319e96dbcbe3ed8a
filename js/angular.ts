import type { Provider } from "@angular/core";
import { agentResourceOf, injectAgentOf, provideAgentOf, type AgentResource, type Target } from "./bindings/angular.js";
import { createAgent } from "./index.js";

export { messageKey } from "./snapshot/message-key.js";
export type { AgentResource, Target } from "./bindings/angular.js";

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
export function agentResource<State = unknown>(target: Target<State>): AgentResource<State> {
  return agentResourceOf(createAgent, target);
}

/**
 * Provides an agent to an application, a route or a component and all below it, where {@link injectAgent} finds it. Takes what
 * {@link agentResource} does.
 *
 * @example
 * bootstrapApplication(App, { providers: [provideAgent({ url: "/agent" })] });
 */
export function provideAgent<State = unknown>(target: Target<State>): Provider {
  return provideAgentOf(createAgent, target);
}

/** The agent that is provided: the same as {@link agentResource} returns. */
export function injectAgent<State = unknown>(): AgentResource<State> {
  return injectAgentOf();
}

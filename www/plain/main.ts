/** The chat without a framework: one conversation at a time, which another protocol replaces. */
import { createAgent, type Agent, type AgentOptions } from "ag-ui-wasm";
import { initial, loadScenarios, OTHER, type Catalogue } from "../shared/endpoint.js";
import { isEmpty } from "../shared/json.js";
import { byId, wide } from "../shared/page.js";
import { protocolOf, scenariosOf, sourceOf, type Protocol } from "../shared/protocols.js";
import { firstThread, remember, storedAgent, storedUrl } from "../shared/stored.js";
import { Conversation, type Settings } from "./conversation.js";
import { sidebar, type Sidebar } from "./sidebar.js";

const settings: Settings = { scenario: initial.scenario, url: initial.url, panel: wide() };
let catalogue: Catalogue = {};
let threadId = firstThread();
let threadList: Sidebar | undefined;
let shown = show(protocolOf(initial.protocol));

catalogue = await loadScenarios();
if (isEmpty(catalogue)) settings.scenario = OTHER;
shown.conversation.offer(scenariosOf(shown.protocol, catalogue));

function show(protocol: Protocol): { protocol: Protocol; conversation: Conversation } {
  const { stored = false } = protocol;
  // The agent asks for its address before every request, so a change of scenario keeps the conversation.
  const agent = stored ? storedAgent(threadId) : agentOf(sourceOf(protocol, () => made.url()));
  const made = new Conversation(agent, protocol, settings, speak, stored ? { url: storedUrl(threadId), next: () => open(crypto.randomUUID()) } : undefined);
  if (stored) {
    remember(threadId);
    threadList ??= sidebar(open);
    threadList.show(threadId);
  } else {
    threadList?.dispose();
    threadList = undefined;
  }
  // The list stays where it is: what has the focus in it keeps it.
  const app = byId("app");
  for (const node of [...app.children]) if (node !== threadList?.node) node.remove();
  if (threadList && !threadList.node.isConnected) app.append(threadList.node);
  app.append(...made.nodes);
  made.start();
  return { protocol, conversation: made };
}

function agentOf(source: AgentOptions | Agent): Agent {
  return "submit" in source ? source : createAgent(source);
}

/** Shows another conversation in place of this one. */
function turn(protocol: Protocol): void {
  shown.conversation.dispose();
  shown = show(protocol);
  shown.conversation.offer(scenariosOf(shown.protocol, catalogue));
}

function open(id: string): void {
  threadId = id;
  turn(shown.protocol);
}

function speak(name: string): void {
  turn(protocolOf(name));
  byId("protocol").focus();
}

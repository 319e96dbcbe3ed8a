/** The chat without a framework: one conversation at a time, which another protocol replaces. */
import { createAgent } from "ag-ui-wasm";
import { initial, loadScenarios, OTHER, type Catalogue } from "../shared/endpoint.js";
import { isEmpty } from "../shared/json.js";
import { byId, wide } from "../shared/page.js";
import { protocolOf, scenariosOf, wayOf, type Protocol } from "../shared/protocols.js";
import { tools } from "../shared/tools.js";
import { conversation, type Conversation, type Settings } from "./conversation.js";

const settings: Settings = { scenario: initial.scenario, url: initial.url, panel: wide() };
let catalogue: Catalogue = {};
let shown = show(protocolOf(initial.protocol));

catalogue = await loadScenarios();
if (isEmpty(catalogue)) settings.scenario = OTHER;
shown.conversation.offer(scenariosOf(shown.protocol, catalogue));

function show(protocol: Protocol): { protocol: Protocol; conversation: Conversation } {
  // The agent asks for its address before every request, so a change of scenario keeps the conversation.
  const agent = createAgent({ ...protocol.options, ...wayOf(protocol, () => made.url()), tools });
  const made = conversation(agent, protocol, settings, speak);
  byId("app").replaceChildren(...made.nodes);
  made.start();
  return { protocol, conversation: made };
}

function speak(name: string): void {
  shown.conversation.dispose();
  shown = show(protocolOf(name));
  shown.conversation.offer(scenariosOf(shown.protocol, catalogue));
  byId("protocol").focus();
}

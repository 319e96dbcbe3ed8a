// A2UI surfaces, and an app of MCP in a sandbox.

import { ComponentContext, MessageProcessor } from "@a2ui/web_core/v0_9";
import { basicCatalog } from "@a2ui/web_core/v0_9/basic_catalog";
import { createAgent } from "ag-ui-wasm";
import { connectSurfaces } from "ag-ui-wasm/a2ui";
import { mcpRequest } from "ag-ui-wasm/mcp-apps";
import "./style.css";

const agent = createAgent({ url: "/agent" });
// Requests of apps are not part of the thread.
const beside = createAgent({ url: "/agent" });
const processor = new MessageProcessor([basicCatalog]);
connectSurfaces(agent, processor);

/** The root of a surface, as an element of the catalog. */
function surfaceElement(id) {
  const surface = processor.model.getSurface(id);
  const root = surface?.componentsModel.get("root");
  if (!root) return document.createTextNode("");
  const { tagName } = surface.catalog.components.get(root.type);
  return Object.assign(document.createElement(tagName), { context: new ComponentContext(surface, "root") });
}

/** The app of an activity. It has an origin of its own, and the page passes on what it asks its server for. */
function appElement(activity) {
  const frame = Object.assign(document.createElement("iframe"), { sandbox: "allow-scripts", title: "App" });
  addEventListener("message", async ({ source, data: { id, method, params } }) => {
    if (source !== frame.contentWindow) return;
    const reply = await mcpRequest(beside, activity, method, params).then((result) => ({ result }), ({ message }) => ({ error: { message } }));
    source.postMessage({ jsonrpc: "2.0", id, ...reply }, "*");
    frame.title = `App, after ${method}`;
  });
  const { resourceUri: uri } = activity.content;
  mcpRequest(beside, activity, "resources/read", { uri }).then(({ contents: [{ text }] }) => (frame.srcdoc = text), console.error);
  return frame;
}

function rowOf(message) {
  const row = Object.assign(document.createElement("li"), { className: message.role });
  if (message.activityType === "a2ui-surface") row.append(surfaceElement(message.content.a2ui_operations[0].createSurface.surfaceId));
  else row.append(message.activityType === "mcp-apps" ? appElement(message) : message.content);
  return row;
}

// A row for each message. A text is replaced as it grows; surfaces look after themselves.
const list = document.querySelector("ol");
agent.subscribe(() => {
  agent.getSnapshot().messages.forEach((message, at) => {
    const row = list.children[at];
    if (!row) list.append(rowOf(message));
    else if (message.role !== "activity") row.textContent = message.content;
  });
});

document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = event.target.querySelector("input");
  void agent.submit(input.value);
  input.value = "";
});

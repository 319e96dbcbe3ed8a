// A scripted agent in place of yours: it shows an A2UI surface and an app of MCP, and answers what they ask.

const catalogId = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";
const surface = (/** @type {string} */ surfaceId) => [
  { version: "v0.9", createSurface: { surfaceId, catalogId } },
  {
    version: "v0.9",
    updateComponents: {
      surfaceId,
      components: [
        { id: "root", component: "Button", child: "label", action: { event: { name: "again", context: { from: surfaceId } } } },
        { id: "label", component: "Text", text: "Again" },
      ],
    },
  },
];

const app = `<button>What time is it?</button> <output></output><script>
  const ask = () => parent.postMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "clock" } }, "*");
  document.querySelector("button").onclick = ask;
  onmessage = ({ data }) => (document.querySelector("output").value = data.result?.content[0].text ?? data.error.message);
  ask();
</script>`;

/** The MCP server. @param {{ method: string, params: { uri?: string } }} request */
const mcp = ({ method, params }) =>
  method === "resources/read"
    ? { contents: [{ uri: params.uri, mimeType: "text/html;profile=mcp-app", text: app }] }
    : { content: [{ type: "text", text: new Date().toLocaleTimeString() }] };

/** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
export async function agent(request, response) {
  const { threadId, runId, messages, forwardedProps } = JSON.parse(String(Buffer.concat(await request.toArray())));
  const send = (/** @type {object} */ event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const say = (/** @type {string} */ delta) => send({ type: "TEXT_MESSAGE_CHUNK", messageId: `${runId} text`, role: "assistant", delta });
  const { __proxiedMCPRequest: proxied, a2uiAction } = forwardedProps ?? {};
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  send({ type: "RUN_STARTED", threadId, runId });
  if (a2uiAction) say(`You pressed ${a2uiAction.userAction.name}.`);
  else if (!proxied) {
    say(`You said: ${messages.at(-1).content}`);
    const show = (activityType, content) => send({ type: "ACTIVITY_SNAPSHOT", messageId: `${runId} ${activityType}`, activityType, content });
    show("a2ui-surface", { a2ui_operations: surface(runId) });
    show("mcp-apps", { resourceUri: "ui://clock", serverHash: "clock", result: {}, toolInput: {} });
  }
  send({ type: "RUN_FINISHED", threadId, runId, ...(proxied && { result: mcp(proxied) }) });
  response.end();
}

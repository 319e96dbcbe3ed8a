// Builds the pages, and serves them with a scripted agent.

import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const ours = "ag-ui-wasm/ag-ui-client";

const alias = { "@agent": ours, "@ag-ui/client": ours };
/** How a page gets the agent: the official class, ours handed in, or ours in place of the module; `next`: with a later core of CopilotKit. */
export const ways = {
  official: { "@agent": "@ag-ui/client" },
  class: { "@agent": ours },
  alias,
  next: { ...alias, "@copilotkit/core": "@copilotkit/core-next" },
};
/** CopilotKit exports again what a later version of the other module does not have. */
const ofCopilotKit = { "@ag-ui/core": "@ag-ui/core-of-copilotkit" };
/** The package is outside of this folder: what it imports is that of the page. */
const ofThisFolder = Object.fromEntries(["@assistant-ui/react", "react", "react-dom"].map((name) => [name, `${here}node_modules/${name}`]));
const own = { copilot: ofCopilotKit, runtime: ofCopilotKit, own: ofThisFolder };

/** The script of a page. @param {string} page @param {keyof typeof ways} way */
export async function bundle(page, way) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: [`${here}${page}.jsx`],
    alias: { ...ways[way], ...("@ag-ui/client" in ways[way] && own[page]) },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: "esm",
    outdir: "out",
    jsx: "automatic",
    loader: { ".woff": "empty", ".woff2": "empty", ".ttf": "empty" },
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  return { script: outputFiles.find(({ path }) => path.endsWith(".js")).contents, metafile };
}

const frame = (event) => `data: ${JSON.stringify(event)}\n\n`;

/** The agent's answer to a question. */
async function* reply({ threadId, runId, messages, tools }, requests) {
  const last = messages.at(-1);
  const asked = typeof last?.content === "string" ? last.content : (last?.content ?? []).map(({ text }) => text).join("");
  const messageId = `m-${requests}`;
  yield { type: "RUN_STARTED", threadId, runId };
  if (asked.includes("fail")) return yield { type: "RUN_ERROR", message: "the agent failed" };
  if (asked.includes("pay")) {
    const toolCallId = `c-${requests}`;
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "pay", parentMessageId: messageId };
    yield { type: "TOOL_CALL_ARGS", toolCallId, delta: '{"amount":5}' };
    yield { type: "TOOL_CALL_END", toolCallId };
    return yield { type: "RUN_FINISHED", threadId, runId };
  }
  if (asked.includes("color") && tools.some(({ name }) => name === "color")) {
    const toolCallId = `c-${requests}`;
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "color", parentMessageId: messageId };
    for (const delta of ['{"col', 'or":"', 'red"}']) yield { type: "TOOL_CALL_ARGS", toolCallId, delta };
    yield { type: "TOOL_CALL_END", toolCallId };
    return yield { type: "RUN_FINISHED", threadId, runId };
  }
  yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
  const count = /burst (\d+)/.exec(asked)?.[1];
  const words = count ? Array.from({ length: Number(count) }, (_, at) => `w${at} `) : ["You ", "said: ", asked, "."];
  for (const delta of words) yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
  if (asked.includes("wait")) yield { hold: true };
  yield { type: "TEXT_MESSAGE_END", messageId };
  yield { type: "RUN_FINISHED", threadId, runId };
}

/** The history that CopilotKit's runtime returns for a known thread: all of its runs, also one that failed. */
const history = [
  { type: "RUN_STARTED", threadId: "old", runId: "one" },
  { type: "TEXT_MESSAGE_START", messageId: "q1", role: "user" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "q1", delta: "an old question" },
  { type: "TEXT_MESSAGE_END", messageId: "q1" },
  { type: "RUN_ERROR", message: "it failed" },
  { type: "RUN_STARTED", threadId: "old", runId: "two" },
  { type: "TEXT_MESSAGE_CHUNK", messageId: "a1", role: "assistant", delta: "an old " },
  { type: "TEXT_MESSAGE_CHUNK", messageId: "a1", delta: "answer" },
  { type: "RUN_FINISHED", threadId: "old", runId: "two" },
];

/** The runtime's answers besides runs; undefined: it is a run. */
function ofRuntime(pathname, { threadId } = {}) {
  if (pathname === "/runtime/info")
    return { type: "application/json", body: JSON.stringify({ version: "1.74.0", mode: "sse", agents: { default: { name: "default", description: "" } } }) };
  if (pathname.endsWith("/connect")) return { type: "text/event-stream", body: threadId === "old" ? history.map(frame).join("") : "" };
  if (pathname.includes("/stop/")) return { type: "application/json", body: "{}" };
  return undefined;
}

/** @param {Record<string, Uint8Array>} scripts  by name */
export async function serve(scripts) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const runtime = pathname.startsWith("/runtime/");
    if (request.method === "POST" || runtime) {
      let body = "";
      for await (const part of request) body += part;
      const input = body ? JSON.parse(body) : undefined;
      const kept = { path: pathname, headers: request.headers, input };
      // Resolves once the page, or the runtime, has ended it.
      kept.closed = new Promise((resolve) => (kept.close = resolve));
      requests.push(kept);
      const given = runtime && ofRuntime(pathname, input);
      // Whoever stops a run at the runtime ends its stream there.
      if (pathname.includes("/stop/")) { for (const other of requests) other.close(); }
      if (given) return response.writeHead(200, { "content-type": given.type }).end(given.body);
      response.on("close", kept.close);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const all = reply(input, requests.length);
      let text = "";
      for await (const event of all) {
        if (event.hold) {
          response.write(text);
          text = "";
          await kept.closed;
          return response.end();
        }
        text += frame(event);
      }
      return response.end(text);
    }
    const script = scripts[pathname.slice(1).replace(".js", "")];
    if (script) return response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    const name = pathname.slice(1);
    if (!scripts[name.replace(".html", "")]) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/html" }).end(
      `<!doctype html><meta charset=utf-8><title>page</title><div id=page></div><script type=module src="/${name.replace(".html", "")}.js"></script>`,
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

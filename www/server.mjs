/**
 * The demo's server: scripted agents of six systems and the built site, on `node:http` and `ws`.
 *
 *     node www/server.mjs --port 8787
 *
 * | request | answer |
 * | --- | --- |
 * | `POST /agent/<scenario>` | AG-UI: the scenario as an event stream |
 * | `POST /agent-os/<scenario>` | agentOS: AG-UI in `ag_ui` envelopes of its ledger |
 * | `POST /ngaf/<scenario>` | ngaf: AG-UI as its documents show it |
 * | `POST /_plugins/_ml/agents/<scenario>/_execute/stream` | OpenSearch |
 * | `POST` or `GET /ag-ui/<scenario>/stream` | Chio: AgUiEvents and their receipts |
 * | `GET /ag-ui/session/session`, `POST /ag-ui/session/submit` | Chio: a session that stays open, and a message of its user |
 * | WebSocket `/ag-ui/session/socket` | Chio: the same session over a socket |
 * | `POST /v1/agents/<scenario>/message:stream` or `…/stream` | Hector 1: its AG-UI form if `Accept` or `format=agui` asks for it, else native A2A |
 * | `POST /agents/<scenario>` | Hector 2: JSON-RPC, `message/stream` |
 * | `POST /v1/agents/<scenario>/message:send` | Hector 1: an answer to what an open stream has asked |
 * | `GET /v1/agents/<scenario>/`, `GET /agents/<scenario>` | Hector's agent cards |
 * | `/threads`, `/threads/<id>` and below | threads that are kept in a file: `server/threads.mjs` |
 * | `POST /files`, `GET /files/<id>` | a picture of the composer, kept in memory: `server/files.mjs` |
 * | `GET /scenarios` | by system, the scenarios: `{ "ag-ui": [{ name, title, about, prompt, path }], … }` |
 * | `GET /control/runs` | what was asked and how it ended: `{ open, runs: [{ runId, system, scenario, waitingAt, events, ended, received }] }` |
 * | `POST /control/release?hold=<name>&steps=1` | lets the run with that `hold` pass so many marks (`steps=all`: every one) |
 * | `GET /…` | a file of the site |
 *
 * Every stream takes `?speed=1&hold=<name>`: `speed=0` is without waits, `hold` stops at every mark.
 */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Files } from "./server/files.mjs";
import { body, json, problem } from "./server/http.mjs";
import { play, wayOf } from "./server/play.mjs";
import { Runs } from "./server/runs.mjs";
import { acceptSockets } from "./server/sockets.mjs";
import { serveFile, sitePolicy } from "./server/site.mjs";
import { catalogue, find } from "./server/systems.mjs";
import { StoredThreads } from "./server/threads.mjs";

/** Where the demo keeps threads. */
export const threadsFile = fileURLToPath(new URL("../.artifacts/demo-threads.json", import.meta.url));

const dist = fileURLToPath(new URL("./dist/", import.meta.url));

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "*",
  "access-control-max-age": "600",
};

/**
 * Answers the requests that are the agents'; the answer is false when it is none of them. Vite's server uses it too.
 *
 * @param {string} [threads] the file that threads are kept in; without one, they end with the server
 */
export function createAgentHandler(threads) {
  const runs = new Runs();
  const stored = new StoredThreads(threads);
  const files = new Files();
  const handler = (request, response) => {
    const [path, query] = request.url.split("?");
    const found = find(path);
    const kept = StoredThreads.has(path) ? stored : Files.has(path) ? files : undefined;
    if (found === undefined && kept === undefined && path !== "/scenarios" && !path.startsWith("/control/")) return false;
    for (const [header, value] of Object.entries(cors)) response.setHeader(header, value);
    const asked = new URLSearchParams(query);
    const done = kept && request.method !== "OPTIONS" ? kept.answer(runs, request, response, path, asked) : answer(runs, request, response, path, asked, found);
    done.catch((error) => {
      if (response.headersSent) response.destroy(error);
      else json(response, error.status ?? 500, { error: error.message });
    });
    return true;
  };
  /** Answers the sockets of a server. */
  handler.attach = (server) => acceptSockets(server, runs);
  return handler;
}

async function answer(runs, request, response, path, query, found) {
  const { method } = request;
  if (method === "OPTIONS") return void response.writeHead(204).end();
  if (found === undefined) return control(runs, response, `${method} ${path}`, query);
  const { system, name, kind } = found;
  const scenario = system.scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw problem(404, `There is no ${path} here.`);
  if (kind === "card" && method === "GET") return json(response, 200, system.card(scenario, `http://${request.headers.host}`));
  if (system.socket === true) throw problem(426, "That is asked with a WebSocket.");
  if (kind === "card" || !(system.methods ?? ["POST"]).includes(method)) throw problem(405, `That is not asked with ${method}.`);

  let input;
  try {
    input = system.read(await body(request), request, query);
  } catch (error) {
    if (system.refuse === undefined || error.status === 413) throw error;
    return system.refuse(error, response);
  }
  if (kind === "unary") return json(response, 200, system.send(input));
  const received = system.received?.(input) ?? input;
  const run = runs.open(system.name, name, input, received, query.get("hold") ?? undefined);
  if (scenario.reply !== undefined) {
    const { status, type, body: content } = scenario.reply;
    run.ended = "refused";
    return response.writeHead(status, { "content-type": type }).end(content);
  }
  const way = wayOf(system, scenario, input, query, request.headers["last-event-id"]);
  return play(scenario.run({ ...input, joins: way.after !== undefined }), way, response, run, runs);
}

function control(runs, response, route, query) {
  if (route === "GET /control/runs") return json(response, 200, runs.report());
  if (route === "GET /scenarios") return json(response, 200, catalogue());
  if (route !== "POST /control/release") throw problem(404, `There is no ${route} here.`);
  const steps = query.get("steps") === "all" ? Infinity : Number(query.get("steps") ?? 1);
  if (!query.has("hold") || !(steps > 0)) throw problem(400, "A release needs a hold, and steps above 0.");
  runs.release(query.get("hold"), steps);
  return json(response, 200, {});
}

/**
 * Starts the server on 127.0.0.1. Port 0 takes any free port.
 *
 * @param {{ port?: number, root?: string, policy?: string, threads?: string }} [options] `policy`: the Content-Security-Policy of
 * the site; `threads`: the file that threads are kept in
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startServer({ port = 0, root = dist, policy = sitePolicy, threads } = {}) {
  const agent = createAgentHandler(threads);
  const server = createServer((request, response) => {
    if (!agent(request, response)) serveFile(root, policy, request, response);
  });
  const closeSockets = agent.attach(server);
  server.keepAliveTimeout = 60_000; // longer than browsers wait, so that no request meets a connection that is closing
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        closeSockets();
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "8787" }, root: { type: "string" }, threads: { type: "string", default: threadsFile } },
  });
  const { url } = await startServer({ port: Number(values.port), root: values.root, threads: values.threads });
  console.log(`Demo at ${url}/, agents at ${url}/agent/<scenario> and beside it`);
}

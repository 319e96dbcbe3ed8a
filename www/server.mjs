/**
 * The demo's server: a scripted AG-UI agent and the built site, on `node:http` alone.
 *
 *     node www/server.mjs --port 8787
 *
 * | request | answer |
 * | --- | --- |
 * | `POST /agent/<scenario>?speed=1&hold=<name>` | the scenario as an event stream; `speed=0`: no waits; `hold`: stop at every mark |
 * | `GET /agent` | the scenarios: `[{ name, title, about, prompt }]` |
 * | `GET /control/runs` | what was asked and how it ended: `{ open, runs: [{ runId, scenario, waitingAt, events, ended, received }] }` |
 * | `POST /control/release?hold=<name>&steps=1` | lets the run with that `hold` pass so many marks (`steps=all`: every one) |
 * | `GET /…` | a file of the site |
 */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { play } from "./server/play.mjs";
import { Runs } from "./server/runs.mjs";
import { scenarios } from "./server/scenarios.mjs";
import { serveFile, sitePolicy } from "./server/site.mjs";

const MAX_BODY = 64 * 1024 * 1024;
const dist = fileURLToPath(new URL("./dist/", import.meta.url));

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*",
  "access-control-max-age": "600",
};

/** Answers the requests that are the agent's; the answer is false when it is none of them. Vite's server uses it too. */
export function createAgentHandler() {
  const runs = new Runs();
  return (request, response) => {
    const [path, query] = request.url.split("?");
    const [area, name, ...rest] = path.slice(1).split("/");
    if ((area !== "agent" && area !== "control") || rest.length > 0) return false;
    for (const [header, value] of Object.entries(cors)) response.setHeader(header, value);
    answer(runs, request, response, area, name, new URLSearchParams(query)).catch((error) => {
      if (response.headersSent) response.destroy(error);
      else json(response, error.status ?? 500, { error: error.message });
    });
    return true;
  };
}

async function answer(runs, request, response, area, name, query) {
  const route = `${request.method} /${area}`;
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  if (route === "GET /control" && name === "runs") return json(response, 200, runs.report());
  if (route === "POST /control" && name === "release") {
    const steps = query.get("steps") === "all" ? Infinity : Number(query.get("steps") ?? 1);
    if (!query.has("hold") || !(steps > 0)) throw problem(400, "A release needs a hold, and steps above 0.");
    runs.release(query.get("hold"), steps);
    return json(response, 200, {});
  }
  if (route === "GET /agent" && name === undefined) {
    return json(response, 200, scenarios.map(({ name, title, about, prompt }) => ({ name, title, about, prompt })));
  }
  const scenario = scenarios.find((scenario) => scenario.name === name);
  if (area !== "agent" || scenario === undefined) throw problem(404, `There is no ${pathOf(area, name)} here.`);
  if (request.method !== "POST") throw problem(405, "An agent is asked with POST.");

  const input = parseInput(await body(request));
  const run = runs.open(name, input, query.get("hold") ?? undefined);
  if (scenario.reply === undefined) return play(scenario, input, response, run, runs, Number(query.get("speed") ?? 1));
  const { status, type, body: content } = scenario.reply;
  run.ended = "refused";
  response.writeHead(status, { "content-type": type }).end(content);
}

const pathOf = (area, name) => `/${area}${name === undefined ? "" : `/${name}`}`;

const problem = (status, message) => Object.assign(new Error(message), { status });

function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(value));
}

async function body(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BODY) throw problem(413, "The request is too large.");
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The `RunAgentInput`, checked as far as the scenarios lean on it. */
function parseInput(text) {
  let input;
  try {
    input = JSON.parse(text);
  } catch {
    throw problem(400, "The request is not JSON.");
  }
  if (typeof input?.threadId !== "string" || typeof input.runId !== "string" || !Array.isArray(input.messages)) {
    throw problem(400, "The request is no RunAgentInput: threadId, runId and messages are required.");
  }
  return input;
}

/**
 * Starts the server on 127.0.0.1. Port 0 takes any free port.
 *
 * @param {{ port?: number, root?: string, policy?: string }} [options] `policy`: the Content-Security-Policy of the site
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startServer({ port = 0, root = dist, policy = sitePolicy } = {}) {
  const agent = createAgentHandler();
  const server = createServer((request, response) => {
    if (!agent(request, response)) serveFile(root, policy, request, response);
  });
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
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "8787" }, root: { type: "string" } } });
  const { url } = await startServer({ port: Number(values.port), root: values.root });
  console.log(`Demo at ${url}/, agent at ${url}/agent/<scenario>`);
}

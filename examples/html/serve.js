// Serves the page, and the agent at /agent. Any web server will do in its place.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { agent } from "./agent.js";

const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript" };

const server = createServer(async (request, response) => {
  if (request.method === "POST") return agent(request, response);
  const { pathname } = new URL(request.url, "http://localhost");
  const path = pathname === "/" ? "/index.html" : pathname;
  try {
    const file = await readFile(new URL(`.${path}`, import.meta.url));
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(file);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(process.env.PORT ?? 3000, () => console.log(`http://localhost:${server.address().port}/`));

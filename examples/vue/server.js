// A server that renders the page with Vue; the browser hydrates it.

import vue from "@vitejs/plugin-vue";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createVite } from "vite";
import { agent } from "./agent.js";

const vite = await createVite({ appType: "custom", server: { middlewareMode: true, hmr: false }, plugins: [vue()] });
const template = readFileSync(new URL("index.html", import.meta.url), "utf8");

async function page(request, response) {
  const html = await vite.transformIndexHtml(request.url, template);
  const { render } = await vite.ssrLoadModule("/src/server.js");
  response.writeHead(200, { "content-type": "text/html" }).end(html.replace("<!--app-->", await render()));
}

const server = createServer((request, response) => {
  // The agent at /agent: one of your own may be anywhere.
  if (request.url === "/agent") return void agent(request, response);
  vite.middlewares(request, response, () => page(request, response).catch((error) => response.writeHead(500).end(String(error))));
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

/** The demo site: a landing page and the same chat three times. `npx vite www` serves it with the scripted agent. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { createAgentHandler, threadsFile } from "./server.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Puts the header into every page, with the page's own link marked. */
const header = () => ({
  name: "header",
  transformIndexHtml: {
    order: "pre",
    handler(html, { filename }) {
      const current = `href="./${basename(filename)}"`;
      const part = readFileSync(here("./parts/header.html"), "utf8").replace(current, `${current} aria-current="page"`);
      return html.replace("<!-- header -->", part.trim().replaceAll("\n", "\n    "));
    },
  },
});

const agent = () => ({
  name: "agent",
  configureServer({ middlewares, httpServer }) {
    const handler = createAgentHandler(threadsFile);
    if (httpServer) handler.attach(httpServer);
    middlewares.use((request, response, next) => handler(request, response) || next());
  },
});

/** On the site the scripted agents run in the page. */
const inPage = Object.fromEntries(["node:events", "node:timers/promises"].map((name) => [name, here("./server/in-page-node.mjs")]));

export default defineConfig(({ mode }) => ({
  root: here("."),
  base: "./",
  resolve: { alias: mode === "site" ? inPage : {} },
  plugins: [react(), svelte(), header(), agent()],
  build: {
    outDir: here("./dist"),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    rollupOptions: { input: ["index", "react", "svelte", "plain"].map((name) => here(`./${name}.html`)) },
  },
}));

// The site's configuration for VitePress; `tools/site.mjs` puts it beside the pages.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pages = fileURLToPath(new URL("../", import.meta.url));
const title = (/** @type {string} */ file) => /^# (.+)$/m.exec(readFileSync(pages + file, "utf8"))?.[1]?.replaceAll("\\", "") ?? file;
const item = (/** @type {string} */ file) => ({ text: title(file), link: `/${file.replace(/\.md$/, "")}` });
const named = (/** @type {string[]} */ ...names) => names.map((name) => item(`${name}.md`));
const folder = (/** @type {string} */ name) => readdirSync(pages + name).filter((file) => file.endsWith(".md") && file !== "index.md").sort().map((file) => item(`${name}/${file}`));

const groups = {
  Guide: ["react", "svelte", "vue", "use-chat", "plain-javascript", "agent", "options", "snapshot", "tools", "errors"],
  Networks: ["network", "saving", "threads", "servers-that-keep-the-thread", "worker", "loading"],
  Interfaces: ["blocks", "announcer", "inspector", "guard", "from-ag-ui-client", "systems"],
  Tests: ["testing", "recordings", "check"],
  Facts: ["rules", "security", "performance", "sizes", "hosts", "versions", "how-it-works", "changelog", "security-policy"],
};
const grouped = new Set(Object.values(groups).flat());
// A page that is new has a place before somebody finds a better one.
const others = readdirSync(pages).filter((file) => /\.md$/.test(file) && !["index.md", "playground.md"].includes(file) && !grouped.has(file.replace(".md", "")));

export default {
  title: "ag-ui-wasm",
  description: "A browser client for agents that speak AG-UI: a Rust core in WebAssembly, one immutable snapshot, bindings for React and Svelte.",
  cleanUrls: false,
  ignoreDeadLinks: [/demo\/index/],
  vite: { resolve: { alias: { "ag-ui-wasm": process.env.AG_UI_WASM } }, build: { target: "es2022", chunkSizeWarningLimit: 2000 } },
  markdown: { attrs: { disable: true }, theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  head: [["link", { rel: "icon", href: "data:," }]],
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Guide", link: "/agent" },
      { text: "API", link: "/api/" },
      { text: "Demo", link: "/demo/index.html", target: "_self" },
      { text: "Playground", link: "/playground" },
    ],
    sidebar: [
      ...Object.entries(groups).map(([text, names]) => ({ text, items: named(...names) })),
      ...(others.length > 0 ? [{ text: "More", items: others.map(item) }] : []),
      { text: "Systems", collapsed: true, items: folder("systems") },
      { text: "Codes", collapsed: true, items: folder("codes") },
      { text: "API", collapsed: true, items: [{ text: "All entries", link: "/api/" }] },
    ],
  },
};

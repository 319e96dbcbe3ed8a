// The site's configuration for VitePress; `tools/site.mjs` puts it beside the pages.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
// @ts-ignore It is installed with the site alone.
import llms from "vitepress-plugin-llms";

const pages = fileURLToPath(new URL("../", import.meta.url));
const { repository: { url } } = JSON.parse(readFileSync(fileURLToPath(new URL("package.json", `file://${process.env.AG_UI_WASM}/`)), "utf8"));
const repository = url.replace(/^git\+|\.git$/g, "");
const title = (/** @type {string} */ file) => /^# (.+)$/m.exec(readFileSync(pages + file, "utf8"))?.[1]?.replaceAll("\\", "") ?? file;
const item = (/** @type {string} */ file) => ({ text: title(file), link: `/${file.replace(/\.md$/, "")}` });
const named = (/** @type {string[]} */ ...names) => names.map((name) => item(`${name}.md`));
const folder = (/** @type {string} */ name) =>
  readdirSync(pages + name).filter((file) => file.endsWith(".md") && file !== "index.md").sort().map((file) => item(`${name}/${file}`));

// Learning, doing, looking up, understanding: https://diataxis.fr.
const groups = {
  Tutorial: ["tutorial"],
  "How-to guides": [
    ...[
      "tool-calls",
      "generative-ui",
      "reasoning",
      "markdown",
      "long-threads",
      "images",
      "shared-state",
      "page-context",
      "conversations",
      "sign-in",
      "proxy",
      "offline",
      "solid-and-preact",
      "from-use-chat",
      "from-copilotkit",
      "troubleshooting",
    ].map((name) => `guides/${name}`),
    ...["testing", "from-ag-ui-client", "use-chat"],
  ],
  Reference: [
    "agent",
    "options",
    "snapshot",
    "tools",
    "errors",
    "network",
    "saving",
    "stored-threads",
    "threads",
    "react",
    "svelte",
    "vue",
    "angular",
    "plain-javascript",
    "assistant-ui",
    "attachments",
    "schemas",
    "surfaces",
    "tracing",
    "blocks",
    "announcer",
    "inspector",
    "guard",
    "systems",
    "worker",
    "recordings",
    "check",
    "rules",
    "hosts",
    "versions",
    "changelog",
    "security-policy",
  ],
  Explanation: ["how-it-works", "comparison", "performance", "sizes", "loading", "servers", "security"],
};
/** The entries of the package, from the list that typedoc has written. */
const entries = [...readFileSync(`${pages}api/index.md`, "utf8").matchAll(/^- \[(.+)\]\((.+)\.md\)$/gm)].map(([, text = "", path]) => ({
  text,
  link: `/api/${path}`,
}));

const grouped = new Set(Object.values(groups).flat());
// A page that is new has a place before somebody finds a better one.
const others = readdirSync(pages).filter((file) =>
  /\.md$/.test(file) && !["index.md", "playground.md"].includes(file) && !grouped.has(file.replace(".md", ""))
);

export default {
  title: "ag-ui-wasm",
  description: "A browser client for agents that speak AG-UI: a Rust core in WebAssembly, one immutable snapshot, bindings for React, Svelte, Vue and Angular.",
  cleanUrls: false,
  ignoreDeadLinks: [/demo\/index/],
  // llms.txt, llms-full.txt, and each page as Markdown beside it: for those that read with a program.
  vite: {
    plugins: [llms({ ignoreFiles: ["api/**", "codes/**", "playground.md"] })],
    resolve: { alias: { "ag-ui-wasm": process.env.AG_UI_WASM } },
    build: { target: "es2022", chunkSizeWarningLimit: 2000 },
  },
  markdown: { attrs: { disable: true }, theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${process.env.SITE_BASE}icon.svg` }]],
  themeConfig: {
    logo: "/icon.svg",
    footer: {
      message:
        `MIT or Apache-2.0 · <a href="${repository}">Source</a> · <a href="./changelog.html">Changelog</a> · <a href="./security-policy.html">Security policy</a> · <a href="./llms.txt">llms.txt</a>`,
      copyright: "ag-ui-wasm",
    },
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository }],
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guides", link: "/guides/tool-calls" },
      { text: "Reference", link: "/agent" },
      { text: "API", link: "/api/" },
      { text: "Demo", link: "/demo/index.html", target: "_self" },
      { text: "Playground", link: "/playground" },
    ],
    sidebar: [
      ...Object.entries(groups).map(([text, names]) => ({ text, items: named(...names) })),
      ...(others.length > 0 ? [{ text: "More", items: others.map(item) }] : []),
      { text: "Servers", collapsed: true, items: folder("servers") },
      { text: "Systems", collapsed: true, items: folder("systems") },
      { text: "Codes", collapsed: true, items: folder("codes") },
      { text: "API", collapsed: true, items: entries },
    ],
  },
};

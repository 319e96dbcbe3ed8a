// Applications of frameworks that render on a server: built from the installed package by the framework's own program, with
// no setting that the package would need, and served by it.

import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { moduleFile, root } from "./consumer.mjs";

const execute = promisify(execFile);

/** @typedef {import("./consumer.mjs").Consumer} Consumer */
/** @typedef {{ url: string, close(): Promise<void> }} Site */

/** An agent of the application itself. */
const answer = (/** @type {string} */ parameter) => `
  export async function POST(${parameter}) {
    const { threadId, runId, messages } = await request.json();
    const messageId = "answer-" + messages.length;
    const events = [
      { type: "RUN_STARTED", threadId, runId },
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Hello " },
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "👋" },
      { type: "TEXT_MESSAGE_END", messageId },
      { type: "RUN_FINISHED", threadId, runId },
    ];
    const body = events.map((event) => "data: " + JSON.stringify(event) + "\\n\\n").join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }`;

/** A server component around a client one; the agents are made in both, and prerendered. */
const next = {
  "next.config.mjs": `export default {
    cacheComponents: true,
    partialPrefetching: true,
    // The modules of the framework are the repository's.
    turbopack: { root: ${JSON.stringify(root)} },
    outputFileTracingRoot: ${JSON.stringify(root)},
  };`,
  "app/layout.jsx": `
    import Link from "next/link";
    import { AgentProvider } from "ag-ui-wasm/react";
    export const metadata = { title: "App" };
    export default function Layout({ children }) {
      return (
        <html lang="en">
          <head><link rel="icon" href="data:," /></head>
          <body>
            <nav><Link id="home" href="/">Home</Link> <Link id="about" href="/about">About</Link></nav>
            <AgentProvider agent={{ url: "/agent" }}>{children}</AgentProvider>
          </body>
        </html>
      );
    }`,
  "app/page.jsx": `
    import { Chat } from "./chat";
    export default function Page() {
      return <main><h1>From the server</h1><Chat /></main>;
    }`,
  "app/about/page.jsx": `
    import { Count } from "./count";
    export default function Page() {
      return <main><h1>About</h1><Count /></main>;
    }`,
  "app/about/count.jsx": `
    "use client";
    import { useAgentSelector } from "ag-ui-wasm/react";
    export const Count = () => <p id="count">{useAgentSelector((snapshot) => snapshot.messages.length)}</p>;`,
  "app/chat.jsx": `
    "use client";
    import { messageKey, useAgent } from "ag-ui-wasm/react";
    export function Chat() {
      const shared = useAgent();
      const own = useAgent({ url: "/agent" });
      return (
        <>
          <button id="ask" onClick={() => shared.submit("hi")}>Ask</button>
          <button id="ask-own" onClick={() => own.submit("hi")}>Ask too</button>
          <ol id="shared">{shared.messages.map((message) => <li key={messageKey(message)}>{message.content}</li>)}</ol>
          <ol id="own">{own.messages.map((message) => <li key={messageKey(message)}>{message.content}</li>)}</ol>
          <p id="thread">{shared.threadId}</p>
          <p id="outcome">{shared.outcome}</p>
        </>
      );
    }`,
  "app/agent/route.js": answer("request"),
};

const kit = {
  "vite.config.js": `
    import { sveltekit } from "@sveltejs/kit/vite";
    export default { plugins: [sveltekit()] };`,
  "svelte.config.js": "export default {};",
  "src/app.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,">%sveltekit.head%</head>
    <body>%sveltekit.body%</body></html>`,
  "src/routes/+layout.svelte": `
    <script>
      import { setAgent } from "ag-ui-wasm/svelte";
      const { children } = $props();
      setAgent({ url: "/agent" });
    </script>
    {@render children()}`,
  "src/routes/+page.svelte": `
    <script>
      import { messageKey, useAgent } from "ag-ui-wasm/svelte";
      const chat = useAgent();
    </script>
    <h1>From the server</h1>
    <button id="ask" onclick={() => chat.submit("hi")}>Ask</button>
    <ol id="shared">{#each chat.messages as message (messageKey(message))}<li>{message.content}</li>{/each}</ol>
    <p id="count">{$chat.messages.length}</p>
    <p id="outcome">{chat.outcome}</p>`,
  "src/routes/agent/+server.js": answer("{ request }"),
};

/** @param {Consumer} consumer @returns {Promise<Site>} */
export function nextSite(consumer) {
  const program = moduleFile("next/dist/bin/next");
  return site(consumer, next, [program, "build"], [program, "start", "--port", "0", "--hostname", "127.0.0.1"]);
}

/** @param {Consumer} consumer @returns {Promise<Site>} */
export function kitSite(consumer) {
  const program = moduleFile("vite/bin/vite.js");
  return site(consumer, kit, [program, "build"], [program, "preview", "--port", "0", "--host", "127.0.0.1"]);
}

/**
 * @param {Consumer} consumer
 * @param {Record<string, string>} sources
 * @param {string[]} build
 * @param {string[]} serve
 * @returns {Promise<Site>}
 */
async function site({ folder, write }, sources, build, serve) {
  for (const [file, text] of Object.entries(sources)) write(file, text.replace(/^\n +/, ""));
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  await execute(process.execPath, build, { cwd: folder, env });
  const server = spawn(process.execPath, serve, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.once("exit", () => resolve(undefined)));
  const close = async () => {
    server.kill();
    await ended;
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (!url) continue;
    // Its later output is ignored, but has to be read.
    server.stdout.resume();
    return { url, close };
  }
  throw new Error(`${serve.join(" ")} ended before it served anything`);
}

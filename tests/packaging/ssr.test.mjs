// The bindings on a server: they render what there is at first, and load nothing.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compile } from "svelte/compiler";
import { install } from "./consumer.mjs";

/** @type {import("./consumer.mjs").Consumer[]} */
const consumers = [];
after(() => consumers.forEach((consumer) => consumer.remove()));

/** @param {Record<string, string>} peers */
async function consumerWith(peers) {
  const consumer = await install(peers);
  consumers.push(consumer);
  return consumer;
}

// Whoever touches WebAssembly on the way fails: there is none.
const withoutWasm = "delete globalThis.WebAssembly;";
const options = `{ url: "/agent", initialMessages: [{ id: "1", role: "user", content: "hello" }] }`;

const reacts = {
  19: { react: "react", "react-dom": "react-dom" },
  18: { react: "react18", "react-dom": "react-dom18" },
};
for (const [version, peers] of Object.entries(reacts)) {
  test(`React ${version} renders on a server`, async () => {
    const consumer = await consumerWith(peers);
    const script = consumer.write("ssr.mjs", `
      ${withoutWasm}
      const { createElement, version } = await import("react");
      const { renderToString } = await import("react-dom/server");
      const { useAgent, useAgentSelector } = await import("ag-ui-wasm/react");
      function Chat() {
        const { messages, status, agent } = useAgent(${options});
        const count = useAgentSelector(agent, (snapshot) => snapshot.messages.length);
        return createElement("p", { className: status }, count, " ", messages.map(({ content }) => content).join());
      }
      console.log(version.split(".")[0] + renderToString(createElement(Chat)).replaceAll("<!-- -->", ""));
    `);
    assert.equal(await consumer.node(script), `${version}<p class="idle">1 hello</p>`);
  });
}

test("Svelte 5 renders on a server", async () => {
  const consumer = await consumerWith({ svelte: "svelte" });
  const source = `
    <script>
      import { useAgent } from "ag-ui-wasm/svelte";
      const chat = useAgent(${options});
    </script>
    <p class={chat.status}>{#each chat.messages as message (message.id)}{message.content}{/each}</p>`;
  consumer.write("chat.js", compile(source, { generate: "server", name: "Chat", filename: "chat.svelte" }).js.code);
  const script = consumer.write("ssr.mjs", `
    ${withoutWasm}
    const { render } = await import("svelte/server");
    const { default: Chat } = await import("./chat.js");
    console.log(render(Chat).body.replaceAll(/<!--.*?-->/g, ""));
  `);
  assert.equal(await consumer.node(script), `<p class="idle">hello</p>`);
});

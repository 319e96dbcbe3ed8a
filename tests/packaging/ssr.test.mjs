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
    const script = consumer.write(
      "ssr.mjs",
      `
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
    `,
    );
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
  const script = consumer.write(
    "ssr.mjs",
    `
    ${withoutWasm}
    const { render } = await import("svelte/server");
    const { default: Chat } = await import("./chat.js");
    console.log(render(Chat).body.replaceAll(/<!--.*?-->/g, ""));
  `,
  );
  assert.equal(await consumer.node(script), `<p class="idle">hello</p>`);
});

test("Angular renders on a server", async () => {
  const names = ["core", "common", "compiler", "platform-browser", "platform-server"].map((name) => `@angular/${name}`);
  const consumer = await consumerWith(Object.fromEntries([...names, "rxjs", "tslib", "xhr2"].map((name) => [name, name])));
  const script = consumer.write(
    "ssr.mjs",
    `
    ${withoutWasm}
    // It greets in development mode.
    console.log = () => {};
    await import("@angular/compiler");
    const { Component, provideZonelessChangeDetection } = await import("@angular/core");
    const { bootstrapApplication } = await import("@angular/platform-browser");
    const { provideServerRendering, renderApplication } = await import("@angular/platform-server");
    const { agentResource } = await import("ag-ui-wasm/angular");
    class Chat {
      chat = agentResource(${options});
    }
    const template = "<p [class]='chat.status()'>@for (message of chat.messages(); track message.id) {{{ message.content }}}</p>";
    Component({ selector: "app-root", template })(Chat);
    const providers = [provideZonelessChangeDetection(), provideServerRendering()];
    const html = await renderApplication((context) => bootstrapApplication(Chat, { providers }, context), { document: "<app-root></app-root>", url: "/" });
    process.stdout.write(/<p[^]*<\\/p>/.exec(html)[0].replaceAll(/<!--.*?-->/g, ""));
  `,
  );
  assert.equal(await consumer.node(script), '<p class="idle">hello</p>');
});

test("Vue 3 renders on a server", async () => {
  const consumer = await consumerWith({ vue: "vue", "@vue/server-renderer": "@vue/server-renderer" });
  const script = consumer.write(
    "ssr.mjs",
    `
    ${withoutWasm}
    const { createSSRApp, h } = await import("vue");
    const { renderToString } = await import("@vue/server-renderer");
    const { injectAgent, provideAgent, useAgentSelector } = await import("ag-ui-wasm/vue");
    const Thread = {
      setup() {
        const { messages } = injectAgent();
        const status = useAgentSelector(({ status }) => status);
        return () => h("p", { class: status.value }, messages.value.map(({ content }) => content).join());
      },
    };
    const Page = { setup: () => (provideAgent(${options}), () => h(Thread)) };
    console.log(await renderToString(createSSRApp(Page)));
  `,
  );
  assert.equal(await consumer.node(script), '<p class="idle">hello</p>');
});

// A thread of assistant-ui over `ag-ui-wasm/assistant-ui`, in Chromium: what the runtime does, the agent does.
//
//   npm ci --ignore-scripts --prefix tests/ag-ui-client/pages && node --test tests/ag-ui-client/pages/own.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { openBrowser } from "../../webdriver/client.mjs";
import { closeDisplay } from "../../webdriver/display.mjs";
import { locate } from "../../webdriver/engines.mjs";
import { bundle, serve } from "./site.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const skip = (!existsSync(here("node_modules")) && "the pages' modules are not installed: npm ci --prefix tests/ag-ui-client/pages") ||
  ((process.env.ENGINE ?? "chromium") !== "chromium" && "the engines differ in nothing here") ||
  (locate("chromium").missing.length > 0 && "chromium is not here");

describe("useAssistantRuntime", { skip }, () => {
  let browser;
  let site;
  before(async () => {
    site = await serve({ own: (await bundle("own", "alias")).script });
    browser = await openBrowser("chromium");
    await browser.goto(`${site.url}/own.html`);
    await browser.waitFor(() => document.querySelector("#say"), { message: "the page" });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
    await closeDisplay();
  });

  const shows = (...texts) =>
    browser.waitFor((texts) => texts.every((text) => document.body.innerText.includes(text)), { args: [texts], message: texts.join(", ") });
  const rests = () => browser.waitFor(() => !agent.getSnapshot().isLoading && !runtime.thread.getState().isRunning, { message: "the end of the run" });
  const rows = () => browser.evaluate(() => [...document.querySelectorAll("[data-role]")].map((row) => `${row.dataset.role}: ${row.innerText.trim()}`));
  const say = async (text) => {
    await browser.fill("#say", text);
    await browser.waitFor(() => !document.querySelector("#send").disabled, { message: "the button" });
    await browser.click("#send");
  };

  test("a question, an edit, and another answer", async () => {
    await say("one");
    await shows("You said: one.");
    await rests();
    await browser.evaluate(() => {
      const { composer } = runtime.thread.getMessageByIndex(0);
      composer.beginEdit();
      composer.setText("two");
      composer.send();
    });
    await shows("You said: two.");
    await rests();
    assert.deepEqual(await rows(), ["user: two", "assistant: You said: two."]);
    const count = site.requests.length;
    await browser.evaluate(() => runtime.thread.getMessageByIndex(1).reload());
    await browser.waitFor(() => agent.getSnapshot().isLoading || agent.getSnapshot().messages[1]?.id !== "m-2", { message: "another answer" });
    await rests();
    assert.equal(site.requests.length, count + 1);
    assert.deepEqual(site.requests.at(-1).input.messages.map(({ content }) => content), ["two"]);
    assert.deepEqual(await rows(), ["user: two", "assistant: You said: two."]);
  });

  test("the result of a call, and an approval", async () => {
    await say("color");
    await shows('color {"color":"red"} requires-action');
    await browser.click("#result");
    await shows('color {"color":"red"} complete {"is":"blue"}', 'You said: {"is":"blue"}.');
    await rests();
    await say("pay");
    await shows('pay {"amount":5} requires-action');
    await browser.click("#approve");
    await shows('pay {"amount":5} complete "paid"', "You said: paid.");
    await rests();
  });

  test("an attachment: its upload is shown, waited for, and sent", async () => {
    await browser.evaluate(() => {
      globalThis.failures = [];
      void runtime.thread.composer.addAttachment(new File(["a"], "a.png", { type: "image/png" }));
    });
    await browser.waitFor(() => runtime.thread.composer.getState().attachments[0]?.status.progress === 0.5, { message: "the progress" });
    await browser.evaluate(() => endUpload());
    await browser.waitFor(() => runtime.thread.composer.getState().attachments[0]?.status.type === "requires-action", { message: "the end of the upload" });
    await browser.evaluate(() => {
      runtime.thread.composer.setText("look");
      void runtime.thread.composer.send();
    });
    await shows("You said: look");
    const { content } = site.requests.at(-1).input.messages.at(-1);
    assert.deepEqual(content.map(({ type, source, metadata }) => [type, source?.mimeType, source?.value, metadata?.filename]), [
      ["text", undefined, undefined, undefined],
      ["image", "image/png", "https://files.test/a.png", "a.png"],
    ]);
    await rests();
    const shown = await browser.evaluate(() =>
      runtime.thread.getState().messages.at(-2).attachments.map(({ type, name, content }) => [type, name, content[0].image])
    );
    assert.deepEqual(shown, [["image", "a.png", "https://files.test/a.png"]]);
    await browser.evaluate(() => void runtime.thread.composer.addAttachment(new File(["b"], "bad.png", { type: "image/png" })));
    await browser.waitFor(() => runtime.thread.composer.getState().attachments[0]?.status.message === "no space", { message: "the failure" });
    await browser.evaluate(() => runtime.thread.composer.getAttachmentByIndex(0).remove());
    await browser.waitFor(() => runtime.thread.composer.getState().attachments.length === 0, { message: "no attachment" });
  });

  test("a stop, and an error", async () => {
    await say("wait");
    await shows("You said: wait.");
    await browser.click("#stop");
    await rests();
    assert.equal(await browser.evaluate(() => runtime.thread.getState().messages.at(-1).status.reason), "cancelled");
    await say("fail");
    await browser.waitFor(() => runtime.thread.getState().messages.at(-1).status?.reason === "error", { message: "the error" });
    assert.equal(await browser.evaluate(() => agent.getSnapshot().error.message), "the agent failed");
  });

  test("what has not changed is the same message", async () => {
    const kept = await browser.evaluate(async () => {
      const before = runtime.thread.getState().messages;
      runtime.thread.append({ role: "user", content: [{ type: "text", text: "once more" }] });
      await new Promise((done) => {
        const off = agent.on("finish", () => (off(), done()));
      });
      await new Promise((done) => setTimeout(done));
      const now = runtime.thread.getState().messages;
      return before.slice(0, -1).every((message, at) => message === now[at]) && now.length > before.length;
    });
    assert.ok(kept);
    await rests();
  });

  test("the list of threads", async () => {
    const titles = () => browser.evaluate(() => [...document.querySelectorAll(".thread")].map((row) => row.innerText));
    assert.deepEqual(await titles(), ["First", "Second"]);
    await browser.evaluate(() => document.querySelectorAll(".thread")[1].click());
    await browser.waitFor(() => agent.getSnapshot().threadId === "two" && !document.querySelector("[data-role]"), { message: "the other thread" });
    await say("hello");
    await shows("You said: hello.");
    await rests();
    assert.equal(site.requests.at(-1).input.threadId, "two");
    await browser.evaluate(() => runtime.threads.getItemById("two").rename("Renamed"));
    await browser.waitFor(() => said.includes("rename two Renamed") && document.body.innerText.includes("Renamed"), { message: "the name" });
    await browser.evaluate(() => document.querySelectorAll(".thread")[0].click());
    await shows("You said: two.");
    await browser.evaluate(() => runtime.threads.getItemById("two").archive());
    await browser.waitFor(() => said.includes("archive two true"), { message: "the archive" });
    await browser.evaluate(() => runtime.threads.getItemById("two").delete());
    await browser.waitFor(() => said.includes("delete two"), { message: "the end of a thread" });
    await browser.click("#new");
    await browser.waitFor(() => said.includes("create true") && !["one", "two"].includes(agent.getSnapshot().threadId), { message: "a new thread" });
    assert.deepEqual(await rows(), []);
  });

  test("another version of the library is named in the error", async () => {
    const old = {
      name: "old",
      setup: (
        { onResolve, onLoad },
      ) => (onResolve({ filter: /^@assistant-ui\/react$/ }, () => ({ path: "old", namespace: "old" })),
        onLoad({ filter: /./, namespace: "old" }, () => ({ contents: "export const other = 1" }))),
    };
    const { outputFiles } = await build({
      entryPoints: [here("../../../pkg/assistant-ui/index.js")],
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      logLevel: "silent",
      alias: { react: here("node_modules/react") },
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');" },
      plugins: [old],
    });
    const { useAssistantRuntime } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
    assert.throws(() => useAssistantRuntime({ getSnapshot() {} }), { name: "AgentError", code: "peer", message: /version 0\.15 of @assistant-ui\/react/ });
    assert.throws(() => useAssistantRuntime({ url: "/agent" }), { name: "AgentError", code: "input", message: /expects an agent, got object/ });
  });

  test("its types are those of the library", () => {
    const file = here(".types.tsx");
    writeFileSync(
      file,
      `import { useExternalStoreRuntime, type AssistantRuntime, type ExternalStoreAdapter, type ThreadMessageLike } from "@assistant-ui/react";
      import type { createCalls } from "../../../pkg/assistant-ui/adapter.js";
      type Calls = ReturnType<typeof createCalls>;
      export const calls: (calls: Calls) => Pick<ExternalStoreAdapter, "onNew" | "onEdit" | "onReload" | "onCancel" | "onAddToolResult" | "onRespondToToolApproval"> = (calls) => calls;
      export const hook: (adapter: ExternalStoreAdapter<ThreadMessageLike>) => AssistantRuntime = useExternalStoreRuntime;`,
    );
    try {
      execFileSync(process.execPath, [
        here("../../../node_modules/typescript/bin/tsc"),
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--jsx",
        "react-jsx",
        "--target",
        "es2022",
        "--module",
        "es2022",
        "--moduleResolution",
        "bundler",
        "--lib",
        "es2023,dom,dom.iterable,esnext.disposable",
        "--ignoreConfig",
        file,
      ], { encoding: "utf8" });
    } catch (error) {
      assert.fail(error.stdout);
    } finally {
      rmSync(file, { force: true });
    }
  });
});

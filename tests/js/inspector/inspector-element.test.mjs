// The inspector in a page: the element, its keys, what it gives back, and that nobody bundles it by accident.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { after, afterEach, describe, it } from "node:test";
import { build } from "esbuild";
import { folder, load, real, until } from "../lib.mjs";
import { openPage } from "../page.mjs";

const closePage = openPage();
for (const name of ["ShadowRoot", "customElements", "KeyboardEvent", "MouseEvent", "Document"]) globalThis[name] = window[name];
// Frames are what jsdom has only with a page that is seen.
window.requestAnimationFrame = (frame) => setTimeout(frame, 0);
window.cancelAnimationFrame = clearTimeout;
after(closePage);

const { createAgent } = await load("index");
const { fakeAgent, scriptedAgent, text } = await load("testing");
const { define, inspect } = await load("inspector/index");
const skip = !real && "the core is a stand-in";

const opened = [];
afterEach(() => opened.splice(0).forEach((handle) => handle.close()));

/** An inspector of an agent, and what is in it. */
function open(agent, options) {
  const handle = inspect(agent, options);
  opened.push(handle);
  const root = handle.element.shadowRoot;
  const all = (css) => [...root.querySelectorAll(css)];
  const rows = () => all(".row").map((row) => row.querySelector(".type").textContent);
  const press = (key, target = root.activeElement) =>
    target.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
  const type = (words) => {
    const field = root.querySelector('input[type="search"]');
    field.value = words;
    field.dispatchEvent(new window.Event("input"));
  };
  return { handle, root, all, rows, press, type };
}
const event = (agent, event) => agent.emit("event", event);

describe("the inspector's element", () => {
  it("is registered by a call, and twice is no more than once", async () => {
    assert.equal(customElements.get("ag-ui-inspector"), undefined, "importing does nothing");
    define();
    define();
    assert.ok(customElements.get("ag-ui-inspector"));
  });

  it("shows events as they come, as text", async () => {
    const agent = fakeAgent();
    const { rows, all, root } = open(agent);
    event(agent, { type: "RUN_STARTED", threadId: "t", runId: "r" });
    for (const delta of ["<img src=x onerror=alert(1)>", "<b>bold</b>"]) event(agent, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
    await until(() => rows().length === 2);
    assert.deepEqual(rows(), ["RUN_STARTED", "TEXT_MESSAGE_CONTENT"]);
    const [, row] = all(".row");
    assert.equal(row.querySelector(".sum").textContent, "<img src=x onerror=alert(1)><b>bold</b>");
    assert.equal(row.querySelector(".count").textContent, "×2");
    row.click();
    assert.match(root.querySelector(".side").textContent, /<img src=x/);
    assert.equal(root.querySelector("img, b.bold, .side b"), null);
  });

  it("has few rows in the document, however many there are", async () => {
    const agent = fakeAgent();
    const { all, root } = open(agent);
    for (let i = 0; i < 20_000; i++) event(agent, { type: "CUSTOM", name: `n${i}`, value: i });
    await until(() => root.querySelector(".found").textContent === "20,000 events");
    assert.ok(all(".row").length < 100, String(all(".row").length));
  });

  it("listens while it is open, and gives back everything when it is closed", async () => {
    const agent = fakeAgent();
    let listening = 0;
    const on = agent.on;
    const subscribe = agent.subscribe;
    const counted = (off) => (listening++, () => (listening--, off()));
    agent.on = (...args) => counted(on(...args));
    agent.subscribe = (...args) => counted(subscribe(...args));
    let closed = 0;
    const button = document.createElement("button");
    document.body.append(button);
    button.focus();
    const { handle } = open(agent, { onClose: () => closed++ });
    assert.ok(listening > 0);
    handle.close();
    handle.close();
    assert.deepEqual([listening, closed, handle.element.isConnected], [0, 1, false]);
    assert.equal(document.activeElement, button, "the focus is where it was");

    define();
    const element = document.createElement("ag-ui-inspector");
    element.agent = agent;
    assert.equal(listening, 0, "not before it is in the page");
    document.body.append(element);
    assert.ok(listening > 0);
    element.remove();
    assert.equal(listening, 0);
    assert.equal(element.export(), "");
  });

  it("takes an agent that was set before it was registered, and another one later", async () => {
    const [first, second] = [fakeAgent(), fakeAgent()];
    const { handle, rows } = open(first);
    handle.element.agent = second;
    event(first, { type: "RUN_STARTED" });
    event(second, { type: "RUN_ERROR", message: "no" });
    await until(() => rows().length === 1);
    assert.deepEqual(rows(), ["RUN_ERROR"]);
  });

  it("is used by keyboard alone", async () => {
    const agent = fakeAgent();
    const { handle, root, rows, press, all } = open(agent);
    for (const stepName of ["one", "two", "three"]) event(agent, { type: "STEP_STARTED", stepName });
    await until(() => rows().length === 3);
    const selected = () => root.querySelector('.row[aria-selected="true"] .sum')?.textContent;
    press("ArrowDown", root.querySelector(".rows"));
    assert.equal(selected(), "one");
    press("End");
    assert.equal(selected(), "three");
    press("ArrowUp");
    assert.equal(selected(), "two");
    assert.equal(root.activeElement.querySelector(".sum").textContent, "two", "the focus moves with it");
    assert.equal(all('.row[tabindex="0"]').length, 1);
    press("Enter");
    assert.equal(root.activeElement.className, "side");
    press("ArrowLeft");
    assert.equal(root.activeElement.getAttribute("role"), "option");
    press("/");
    assert.equal(root.activeElement.type, "search");
    root.activeElement.value = "three";
    root.activeElement.dispatchEvent(new window.Event("input"));
    await until(() => rows().length === 1);
    press("Escape");
    await until(() => rows().length === 3);
    root.querySelector('[role="tab"]').focus();
    press("ArrowRight");
    assert.equal(root.querySelector('[role="tab"][aria-selected="true"]').textContent, "Network");
    press("Escape");
    assert.equal(handle.element.isConnected, false);
  });

  it("leaves Escape to the page where it does nothing with it", async () => {
    define();
    const element = document.createElement("ag-ui-inspector");
    document.body.append(element);
    let heard = 0;
    const hear = () => heard++;
    document.addEventListener("keydown", hear);
    const press = (key, css) =>
      element.shadowRoot.querySelector(css).dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
    press("Escape", ".rows");
    assert.deepEqual([heard, element.isConnected], [1, true]);
    press("a", 'input[type="search"]');
    assert.equal(heard, 1, "what is typed into the search is nobody else's");
    document.removeEventListener("keydown", hear);
    element.remove();
  });

  it("filters by kind", async () => {
    const agent = fakeAgent();
    const { rows, all } = open(agent);
    event(agent, { type: "STEP_STARTED", stepName: "s" });
    event(agent, { type: "CUSTOM", name: "c", value: 1 });
    await until(() => rows().length === 2);
    const chip = all(".chip").find(({ textContent }) => textContent === "custom");
    chip.click();
    assert.equal(chip.getAttribute("aria-pressed"), "false");
    await until(() => rows().length === 1);
  });

  it("shows a warning with the text of its rule", async () => {
    const agent = fakeAgent();
    const { rows, all, root } = open(agent);
    agent.emit("warning", { code: "not-open", rule: "V11", message: "No message m is open", eventType: "TEXT_MESSAGE_CONTENT" });
    await until(() => rows().length === 1);
    all(".row")[0].click();
    assert.match(root.querySelector(".side .rule").textContent, /V11 · not-open.*text content comes for an open message.*the message is opened first/s);
    root.querySelector("#tab-4").click();
    await until(() => root.querySelector(".warnings article"));
    assert.match(root.querySelector(".warnings").textContent, /text content comes for an open message/);
  });

  it("says little: of what comes at once, the last", async () => {
    const agent = fakeAgent();
    const { root } = open(agent);
    const said = [];
    new window.MutationObserver(() => said.push(root.querySelector('[role="status"]').textContent)).observe(root.querySelector('[role="status"]'), {
      childList: true,
    });
    for (let i = 0; i < 100; i++) agent.emit("finish", { runId: "r", outcome: i === 99 ? "error" : "success" });
    for (let i = 0; i < 100; i++) event(agent, { type: "CUSTOM", name: "n", value: i });
    await until(() => said.length === 2);
    assert.deepEqual(said, ["Run ended: success", "Run ended: error"]);
  });

  it("refuses a file that is no recording, and keeps what it shows", async () => {
    const agent = fakeAgent();
    const { handle, rows } = open(agent);
    event(agent, { type: "RUN_STARTED" });
    await until(() => rows().length === 1);
    assert.throws(() => handle.element.import("no recording"), SyntaxError);
    event(agent, { type: "RUN_FINISHED" });
    await until(() => rows().length === 2);
  });
});

describe("the inspector of a real agent", { skip }, () => {
  it("looks at checkpoints, and goes back to one", async () => {
    const server = scriptedAgent();
    const agent = createAgent({ url: "/agent", fetch: server.fetch, notify: "sync", limits: { history: 10 } });
    const { root } = open(agent);
    server.reply({ type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, text("one"));
    await agent.submit("hi");
    server.reply({ type: "STATE_SNAPSHOT", snapshot: { n: 2 } });
    await agent.submit("again");
    root.querySelector("#tab-3").click();
    await until(() => root.querySelector(".scrubber:not([hidden])"));
    const state = () => [...root.querySelectorAll(".snapshot section")].find((section) => section.textContent.startsWith("State")).textContent;
    assert.match(state(), /n: 2/);
    const range = root.querySelector('input[type="range"]');
    assert.equal(range.max, "4");
    range.value = "1";
    range.dispatchEvent(new window.Event("input"));
    assert.match(state(), /n: 1/);
    assert.match(range.getAttribute("aria-valuetext"), /run-finished/);
    [...root.querySelectorAll(".scrubber button")].find(({ textContent }) => textContent === "Go back here").click();
    assert.deepEqual(agent.getSnapshot().state, { n: 1 });
    agent.dispose();
  });

  it("exports what another imports and shows", async () => {
    const server = scriptedAgent();
    const agent = createAgent({ url: "/agent", fetch: server.fetch, notify: "sync" });
    const one = open(agent);
    server.reply(text("Hel", "lo"));
    await agent.submit("hi");
    await until(() => one.rows().includes("run ended"));
    const recording = one.handle.export();
    const two = open(fakeAgent());
    two.handle.element.import(recording);
    await until(() => two.rows().length === one.rows().length);
    const looks = ({ all }) => all(".row").map(({ textContent }) => textContent);
    assert.deepEqual(looks(two), looks(one));
    agent.dispose();
  });
});

describe("the inspector's place in the package", () => {
  const exports = JSON.parse(readFileSync(new URL("package.json", folder), "utf8")).exports ?? {};
  const entries = Object.entries(exports).flatMap(([name, target]) => (target.default && name !== "./inspector" ? [target.default] : []));

  it("is in no bundle of another entry", { skip }, async () => {
    assert.ok(entries.length > 10);
    const { metafile } = await build({
      entryPoints: entries.map((entry) => fileURLToPath(new URL(entry, folder))),
      ...{ bundle: true, format: "esm", splitting: true, write: false, metafile: true, outdir: "out", logLevel: "error" },
      external: ["react", "react-dom", "svelte", "svelte/*", "rxjs", "@ag-ui/core", "@assistant-ui/react"],
    });
    assert.deepEqual(Object.keys(metafile.inputs).filter((input) => /\/(inspector\/|glue\/rules)/.test(input)), []);
  });

  it("brings no core with it", async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL("inspector/index.js", folder))],
      ...{ bundle: true, format: "esm", write: false, metafile: true, logLevel: "error" },
    });
    assert.deepEqual(Object.keys(metafile.inputs).filter((input) => /\/(core|agent|glue\/(core|full|bytes))/.test(input)), []);
  });

  it("is left out where nothing of it is used", async () => {
    const stdin = { contents: `import ${JSON.stringify(fileURLToPath(new URL("inspector/index.js", folder)))};`, resolveDir: "/" };
    const { outputFiles } = await build({ stdin, bundle: true, format: "esm", write: false, logLevel: "silent" });
    assert.ok(outputFiles[0].text.length < 100, "importing has no effect");
  });
});

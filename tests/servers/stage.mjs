// The stage of a scenario: agents of the page that a server's document shows, over a real server or over a recording of one.

import { transform } from "esbuild";
import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { at, toolsFolder } from "../../tools/paths.mjs";

/** @typedef {import("ag-ui-wasm").Agent} Agent */
/** @typedef {import("ag-ui-wasm").AgentSnapshot} Snapshot */
/** @typedef {import("ag-ui-wasm/threads").Threads} Threads */
/** @typedef {import("./line.mjs").Line} Line */
/** @typedef {import("./model.mjs").Asked} Asked */

/** The address that the documents show. */
export const shownBase = "http://localhost:8000";

/**
 * @typedef {object} Model  what a scenario knows of the model
 * @property {() => readonly Asked[]} asked
 * @property {(steps?: number) => void} release
 * @property {(requests: number) => Promise<void>} abandoned  waits until the server has left so many requests
 */

/**
 * @typedef {{ open: (threadId: string) => Agent, threads?: Threads }} Page  a document's page
 */

/**
 * @typedef {object} Stage
 * @property {(threadId: string) => Agent} open  an agent as the document's page makes it
 * @property {Threads | undefined} threads  its list of threads
 * @property {Line} line
 * @property {Model} model
 */

/** The blocks of a server's document. @param {string} name */
export function blocksOf(name) {
  const text = readFileSync(at(`docs/servers/${name}.md`), "utf8");
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = "", code = ""]) => ({ language, code }));
  const of = (/** @type {string[]} */ ...languages) => blocks.find(({ language }) => languages.includes(language))?.code ?? "";
  return { server: of("python", "js"), page: of("ts") };
}

/** The page of a server's document, as a module. @param {string} name @returns {Promise<Page>} */
export async function pageOf(name) {
  const { code } = await transform(blocksOf(name).page, { loader: "ts", format: "esm" });
  const folder = join(toolsFolder, "server-pages");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return import(pathToFileURL(file).href);
}

/**
 * Runs a scenario with the line as the network of the page, and with ids that are the same in every run.
 *
 * @template Value
 * @param {string} seed
 * @param {Line} line
 * @param {() => Promise<Value>} action
 */
export async function onStage(seed, line, action) {
  const { fetch, crypto } = globalThis;
  let count = 0;
  const id = () => /** @type {`${string}-${string}-${string}-${string}-${string}`} */ (`${seed}-${(count += 1)}`);
  Object.defineProperty(crypto, "randomUUID", { value: id, configurable: true });
  globalThis.fetch = line.fetch;
  try {
    return await action();
  } finally {
    globalThis.fetch = fetch;
    Reflect.deleteProperty(crypto, "randomUUID");
  }
}

/** The page as text, a line a message. @param {Agent} agent */
export function shown(agent) {
  return agent.getSnapshot().messages.map((message) => {
    const { role, content } = message;
    const calls = "toolCalls" in message
      ? (message.toolCalls ?? []).map(({ function: { name, arguments: args } }) => `${name}(${args.replaceAll(" ", "")})`)
      : [];
    return [`${role}:`, text(content), ...calls].filter(Boolean).join(" ");
  });
}

const text = (
  /** @type {unknown} */ content,
) => (typeof content === "string" ? content : content === undefined || content === null ? "" : JSON.stringify(content));

/** @param {Agent} agent @param {(snapshot: Snapshot) => boolean} condition @returns {Promise<void>} */
export function until(agent, condition) {
  return new Promise((resolve, reject) => {
    const check = () => {
      if (!condition(agent.getSnapshot())) return;
      clearTimeout(timer);
      off();
      resolve();
    };
    const off = agent.subscribe(check);
    const timer = setTimeout(() => reject(new Error(`Never: ${condition}, with ${JSON.stringify(shown(agent))} and ${agent.getSnapshot().error}`)), 20_000);
    check();
  });
}

/** The last question of the model. @param {Stage} stage */
export const saw = (stage) => stage.model.asked().at(-1)?.saw;

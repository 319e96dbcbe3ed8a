// A scripted model in the form of OpenAI's chat completions: the first word of the last user message says what it answers.
//
// | first word | answer |
// | --- | --- |
// | `count` | the user messages that the model was shown |
// | `page` | a call of the page's tool `page_title`, then what it returned |
// | `delete` | a call of the server's tool `delete_file`, then what it returned |
// | `slow` | three words, each once the test lets it go |
// | any other | the word, in two pieces |

import { createServer } from "node:http";

/**
 * A server's request to the model: its messages, as `role: text` with calls and results. Instructions of the framework are left out.
 *
 * @typedef {{ saw: string[], tools: string[] }} Asked
 */

/** Starts the model. @param {number} [port]  default: any @returns {Promise<Model>} */
export async function startModel(port = 0) {
  const model = new Model();
  await model.listen(port);
  return model;
}

export class Model {
  /** Every request, oldest first. @type {Asked[]} */
  asked = [];
  /** How many requests were left before their answer had ended. */
  abandoned = 0;
  #steps = 0;
  #answers = 0;
  /** @type {(() => void)[]} */
  #waiting = [];
  #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => response.destroy(error));
  });

  /** @param {number} port */
  async listen(port) {
    await new Promise((resolve) => this.#server.listen(port, "127.0.0.1", () => resolve(undefined)));
  }

  /** The base address, as OpenAI's clients take it. */
  get url() {
    const address = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${address.port}/v1`;
  }

  /** Lets slow answers pass so many words. */
  release(steps = 1) {
    this.#steps += steps;
    while (this.#steps > 0 && this.#waiting.length > 0) {
      this.#steps -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Forgets what was asked. */
  clear() {
    this.asked.length = 0;
    this.abandoned = 0;
    this.#steps = 0;
    for (const go of this.#waiting.splice(0)) go();
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  async #answer(request, response) {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (!request.url?.endsWith("/chat/completions")) return void response.writeHead(404).end(`{"error":{"message":"no ${request.url}"}}`);
    const { messages, tools = [], stream } = JSON.parse(text);
    const names = tools.map((/** @type {any} */ { function: { name } }) => name);
    this.asked.push({ saw: messages.flatMap(line), tools: names });
    const script = this.#script(messages, names);
    const head = { id: `answer-${(this.#answers += 1)}`, created: 1, model: "scripted" };
    if (!stream) {
      const message = { role: "assistant", content: script.words?.join("") ?? null, ...(script.calls && { tool_calls: script.calls }) };
      const choices = [{ index: 0, message, finish_reason: script.calls ? "tool_calls" : "stop" }];
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const write = (/** @type {object} */ delta, /** @type {string | null} */ finish = null) =>
      response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    let gone = false;
    response.on("close", () => {
      gone = true;
      if (!response.writableFinished) this.abandoned += 1;
    });
    write({ role: "assistant", content: "" });
    for (const [index, call] of (script.calls ?? []).entries()) write({ tool_calls: [{ index, ...call }] });
    for (const word of script.words ?? []) {
      if (script.slow) await this.#turn(response);
      if (gone) return;
      write({ content: word });
    }
    write({}, script.calls ? "tool_calls" : "stop");
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  }

  /**
   * @param {any[]} messages @param {string[]} tools
   * @returns {{ words?: string[], calls?: object[], slow?: boolean }}
   */
  #script(messages, tools) {
    const last = messages.findLastIndex(({ role }) => role === "user");
    const [word = ""] = textOf(messages[last]?.content).trim().split(/\s+/);
    const result = messages.slice(last + 1).findLast(({ role }) => role === "tool");
    if (result) return { words: ["It said: ", textOf(result.content)] };
    if (word === "page" && tools.includes("page_title")) return { calls: [call("page_title", {}, last)] };
    if (word === "delete" && tools.includes("delete_file")) return { calls: [call("delete_file", { path: "/tmp/a" }, last)] };
    if (word === "count") return { words: ["You said: ", messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content)).join(" | ")] };
    if (word === "slow") return { words: ["one ", "two ", "three"], slow: true };
    return { words: ["answer to ", word] };
  }

  /** @param {import("node:http").ServerResponse} response */
  async #turn(response) {
    if (this.#steps > 0) return void (this.#steps -= 1);
    await new Promise((resolve) => {
      this.#waiting.push(() => resolve(undefined));
      response.once("close", () => resolve(undefined));
    });
  }
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** @param {string} name @param {object} args @param {number} turn */
const call = (name, args, turn) => ({ id: `call-${name}-${turn}`, type: "function", function: { name, arguments: JSON.stringify(args) } });

/** @param {unknown} content @returns {string} */
function textOf(content) {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((/** @type {any} */ part) => part.text ?? `[${part.type}]`).join("");
  return "";
}

/** @param {any} message @returns {string[]} */
function line({ role, content, tool_calls: calls = [] }) {
  if (role === "system" || role === "developer") return [];
  const called = (calls ?? []).map((/** @type {any} */ call) => `${call.function.name}(${call.function.arguments})`).join(" ");
  return [`${role}: ${[textOf(content), called].filter(Boolean).join(" ")}`];
}

// Builds the pages, and serves them with an agent that does what the question says.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { compile, compileModule } from "svelte/compiler";

const here = fileURLToPath(new URL(".", import.meta.url));
export const pages = { react: "react.jsx", vue: "vue.js", svelte: "svelte.js" };

const svelte = {
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => ({ contents: compile(await readFile(path, "utf8"), { filename: path }).js.code }));
    onLoad({ filter: /\.svelte\.js$/ }, async ({ path }) => ({ contents: compileModule(await readFile(path, "utf8"), { filename: path }).js.code }));
  },
};

/** The script of a page. */
async function bundle(page) {
  const { outputFiles } = await build({
    entryPoints: [`${here}${pages[page]}`],
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    minify: true,
    conditions: ["svelte", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
    plugins: [svelte],
  });
  return outputFiles[0].contents;
}

const text = (messageId, delta) => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
  { type: "TEXT_MESSAGE_END", messageId },
];
const call = (toolCallId, toolCallName, args, parentMessageId) => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId },
  { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
  { type: "TOOL_CALL_END", toolCallId },
];
const hold = { hold: true };

/** The agent's answers, by a word of the question. `n` makes ids. */
const answers = {
  everything: (n) => [
    { type: "REASONING_MESSAGE_START", messageId: `r${n}`, role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: `r${n}`, delta: "hm" },
    { type: "REASONING_MESSAGE_END", messageId: `r${n}` },
    { type: "TOOL_CALL_START", toolCallId: `c${n}`, toolCallName: "weather", parentMessageId: `a${n}` },
    { type: "TOOL_CALL_ARGS", toolCallId: `c${n}`, delta: '{"city":"Ro' },
    hold,
    { type: "TOOL_CALL_ARGS", toolCallId: `c${n}`, delta: 'me"}' },
    { type: "TOOL_CALL_END", toolCallId: `c${n}` },
    { type: "TOOL_CALL_RESULT", messageId: `t${n}`, toolCallId: `c${n}`, content: '{"degrees":20}' },
    { type: "ACTIVITY_SNAPSHOT", messageId: `p${n}`, activityType: "PLAN", content: { steps: 1 } },
    { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
    { type: "CUSTOM", name: "progress", value: 0.5 },
    ...text(`b${n}`, "It is **warm**."),
  ],
  color: (n) => call(`c${n}`, "color", { of: "sky" }, `a${n}`),
  pay: (n) => call(`c${n}`, "pay", { amount: 5 }, `a${n}`),
  ask: () => [...text("q", "Sure?"), { interrupts: [{ id: "i", reason: "confirmation" }] }],
  fail: (n) => [...text(`a${n}`, "Half"), { type: "RUN_ERROR", message: "out of memory" }],
  wait: (n) => [...text(`a${n}`, "one, "), hold, ...text(`b${n}`, "two.")],
  anew: (
    n,
    messages,
  ) => [
    ...text(`a${n}`, "old"),
    hold,
    { type: "MESSAGES_SNAPSHOT", messages: [...messages, { id: `s${n}`, role: "assistant", content: "new" }] },
    ...text(`b${n}`, "!"),
  ],
};

function eventsOf({ messages, resume }, n) {
  if (resume?.length) return text(`a${n}`, ` You said ${resume[0].payload}.`);
  const { content, role } = messages.at(-1);
  if (role === "tool") return text(`a${n}`, `Result: ${content}`);
  const words = typeof content === "string" ? content : content.map(({ text, type }) => text ?? type).join(" ");
  const [first] = words.split(" ");
  return answers[first]?.(n, messages) ?? text(`a${n}`, `${words}?`);
}

export async function serve() {
  const scripts = Object.fromEntries(await Promise.all(Object.keys(pages).map(async (page) => [page, await bundle(page)])));
  const requests = [];
  const runs = new Map();
  const joined = [];
  let release = () => {};
  const write = (response, run) => {
    for (; run.sent < run.events.length && run.events[run.sent] !== hold; run.sent++)
      response.write(`id: ${run.sent + 1}\ndata: ${JSON.stringify(run.events[run.sent])}\n\n`);
    if (run.sent === run.events.length) return response.end();
    release = () => {
      run.sent++;
      write(response, run);
    };
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const run = /^\/runs\/(.*)$/.exec(pathname)?.[1];
    if (run) {
      joined.push(run);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      return write(response, { ...runs.get(run), sent: Number(request.headers["last-event-id"]) });
    }
    if (pathname === "/agent") {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const input = JSON.parse(Buffer.concat(chunks).toString());
      requests.push(input);
      const { threadId, runId } = input;
      const said = eventsOf(input, requests.length);
      const interrupts = said.find(({ interrupts }) => interrupts)?.interrupts;
      const end = { type: "RUN_FINISHED", threadId, runId, ...(interrupts && { outcome: { type: "interrupt", interrupts } }) };
      const failed = said.at(-1).type === "RUN_ERROR";
      const events = [{ type: "RUN_STARTED", threadId, runId }, ...said.filter(({ interrupts }) => !interrupts), ...(failed ? [] : [end])];
      runs.set(runId, { events, sent: 0 });
      response.writeHead(200, { "content-type": "text/event-stream" });
      return write(response, { events, sent: 0 });
    }
    const [, name, ending] = /^\/(\w+)\.(js|html)$/.exec(pathname) ?? [];
    if (!scripts[name]) return response.writeHead(404).end();
    if (ending === "js") return response.writeHead(200, { "content-type": "text/javascript" }).end(scripts[name]);
    response.writeHead(200, { "content-type": "text/html" }).end(
      `<!doctype html><meta charset=utf-8><title>${name}</title><link rel=icon href="data:,"><div id=page></div><script type=module src="/${name}.js"></script>`,
    );
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    joined,
    release: () => release(),
    close: () => (server.closeAllConnections(), server.close()),
  };
}

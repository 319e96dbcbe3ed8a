// A thread of memoised rows in React 19, fed by each client as its documentation says. `bench.run(name, options)` renders
// one, sends one message and gives what was shown, how often React committed, and how often at most in one frame.

import { HttpAgent } from "@ag-ui/client";
import { useChat as useAiChat } from "@ai-sdk/react";
import { BatchStrategy, fetchServerSentEvents, useChat as useTanStackChat } from "@tanstack/ai-react";
import { DefaultChatTransport } from "ai";
import { useAgent } from "ag-ui-wasm/react";
import { createAgent } from "ag-ui-wasm";
import { createAgent as createWorkerAgent } from "ag-ui-wasm/worker";
import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { floor } from "../../clients.js";
import { history } from "../../workload.mjs";

/** What one run needs, and what it has come to. @type {any} */
let current;

const Row = memo(function Row({ role, text }) {
  return <article className={role}>{text}</article>;
});

/** @param {{ rows: readonly any[], text: (message: any) => string, done?: boolean }} props */
function Thread({ rows, text, done }) {
  useLayoutEffect(() => {
    if (done) return; // The end of a run is shown at once.
    const now = document.timeline.currentTime;
    current.commits++;
    current.inFrame = current.frame === now ? current.inFrame + 1 : 1;
    current.frame = now;
    current.most = Math.max(current.most, current.inFrame);
  });
  return rows.map((message) => <Row key={message.id} role={message.role} text={text(message)} />);
}

/** Sends once what it renders is there. @param {() => Promise<unknown>} send */
function useSend(send) {
  const sent = useRef(false);
  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    current.send = send;
    current.ready();
  });
}

/** An agent that works in the page after all would be measured as one that does not. */
const fail = (/** @type {{ message: string }} */ { message }) => {
  throw new Error(message);
};

const content = (/** @type {any} */ message) => message.content;
const firstPart = (/** @type {any} */ message) => message.parts.find((/** @type {any} */ { type }) => type === "text")?.[current.text] ?? "";

function Ours({ options, create = createAgent }) {
  const [agent] = useState(() => create(options));
  const { messages, isLoading } = useAgent(agent);
  useSend(async () => {
    const { outcome } = await agent.submit("go");
    if (outcome !== "success") throw new Error(outcome);
  });
  return <Thread rows={messages} text={content} done={!isLoading} />;
}

const apps = {
  /** The least: text is appended, and rendered once a frame. */
  floor({ url, messages }) {
    const [chat] = useState(() => floor({ url }));
    const [rows, setRows] = useState(messages);
    useSend(async () => {
      let on = true;
      const show = () => {
        setRows([...messages, { id: "answer", role: "assistant", content: chat.text() }]);
        if (on) requestAnimationFrame(show);
      };
      requestAnimationFrame(show);
      await chat.send();
      on = false;
      show();
    });
    return <Thread rows={rows} text={content} />;
  },

  "ag-ui-wasm": ({ url, messages }) => <Ours options={{ url, initialMessages: messages }} />,

  "ag-ui-wasm, worker": ({ url, messages }) => (
    <Ours create={createWorkerAgent} options={{ url, initialMessages: messages, worker: () => new Worker("/worker-main.js", { type: "module" }), onWarning: fail }} />
  ),

  "ag-ui-wasm, throttled": ({ url, messages }) => <Ours options={{ url, initialMessages: messages, notify: { throttleMs: 50 } }} />,

  /** It has no binding and no throttle: the application shows once a frame what has come. */
  "@ag-ui/client"({ url, messages }) {
    const [agent] = useState(() => new HttpAgent({ url, initialMessages: [...messages] }));
    const [rows, setRows] = useState(messages);
    useSend(async () => {
      let waits = false;
      const onMessagesChanged = () => {
        if (waits) return;
        waits = true;
        requestAnimationFrame(() => {
          waits = false;
          setRows([...agent.messages]);
        });
      };
      agent.addMessage({ id: "go", role: "user", content: "go" });
      await agent.runAgent({}, { onMessagesChanged });
    });
    return <Thread rows={rows} text={content} />;
  },

  "AI SDK"({ url, messages }) {
    const [transport] = useState(() => new DefaultChatTransport({ api: url }));
    const { messages: rows, sendMessage } = useAiChat({ transport, messages: messages.map(asParts), throttle: 50 });
    useSend(() => sendMessage({ text: "go" }));
    return <Thread rows={rows} text={firstPart} />;
  },

  TanStack({ url, messages }) {
    const [options] = useState(() => ({
      connection: fetchServerSentEvents(url),
      initialMessages: messages.map(asParts),
      streamProcessor: { chunkStrategy: new BatchStrategy(100) },
    }));
    const { messages: rows, sendMessage } = useTanStackChat(options);
    useSend(() => sendMessage("go"));
    return <Thread rows={rows} text={firstPart} />;
  },
};

const asParts = ({ id, role, content: words }) => ({ id, role, parts: [{ type: "text", text: words, content: words }] });

globalThis.bench = {
  /** Renders the thread, and comes back when it is there. */
  async prepare(name, { messages, hidden, ...options }) {
    const App = apps[name];
    // Nothing is laid out or painted: what is left is the client and React.
    document.getElementById("root").hidden = hidden;
    current = { commits: 0, most: 0, inFrame: 0, frame: null, text: name === "TanStack" ? "content" : "text" };
    const ready = new Promise((resolve) => (current.ready = resolve));
    createRoot(document.getElementById("root")).render(<App {...options} messages={history(messages)} />);
    await ready;
    const root = document.getElementById("root");
    // The end of the thread is what is seen.
    root.scrollTop = root.scrollHeight;
    await new Promise((resolve) => setTimeout(resolve, 300));
    Object.assign(current, { commits: 0, most: 0, inFrame: 0 });
  },
  /** Sends, and comes back when all of it is shown. */
  async run(length) {
    const start = performance.now();
    await current.send();
    const shown = () => document.querySelector("article:last-of-type")?.textContent ?? "";
    for (const end = performance.now() + 5_000; shown().length < length && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { commits, most } = current;
    return { took: performance.now() - start, shown: shown(), commits, most };
  },
};

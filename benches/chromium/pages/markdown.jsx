// An answer in Markdown at the end of a thread of memoised rows, in React 19. Each client shows it with the renderer that its
// documentation names. What is drawn is alike: no highlighting of code, and rows that are not seen are not laid out.

import { useChat as useAiChat } from "@ai-sdk/react";
import { BatchStrategy, fetchServerSentEvents, useChat as useTanStackChat } from "@tanstack/ai-react";
import { TextPart } from "@tanstack/ai-react/ui";
import { DefaultChatTransport } from "ai";
import { useBlockGroups } from "ag-ui-wasm/blocks/react";
import { useAgent } from "ag-ui-wasm/react";
import DOMPurify from "dompurify";
import { marked } from "marked";
import { memo, useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import remend from "remend";
import { Streamdown } from "streamdown";
import { history } from "../../workload.mjs";

/** What one run needs. @type {any} */
let current;

const toHtml = (/** @type {string} */ markdown) => ({ __html: DOMPurify.sanitize(marked.parse(markdown, { async: false })) });

// As docs/blocks.md shows it.
const MarkdownBlock = memo(function MarkdownBlock({ block }) {
  const markdown = block.definitions + (block.settled ? block.text : remend(block.text));
  return <div dangerouslySetInnerHTML={toHtml(markdown)} />;
});

const Group = memo(function Group({ group }) {
  return <div className="group">{group.blocks.map((block) => <MarkdownBlock key={block.id} block={block} />)}</div>;
});

const rows = {
  blocks: memo(function BlocksRow({ message }) {
    return <article className="markdown">{useBlockGroups(message).map((group) => <Group key={group.id} group={group} />)}</article>;
  }),
  /** Parses, sanitizes and lays out all of it each time. */
  whole: memo(function WholeRow({ message }) {
    return <article className="markdown" dangerouslySetInnerHTML={toHtml(remend(message.content))} />;
  }),
  // As AI Elements' MessageResponse memoises it.
  streamdown: memo(function StreamdownRow({ text, isAnimating }) {
    return <article className="markdown"><Streamdown isAnimating={isAnimating}>{text}</Streamdown></article>;
  }),
  tanStack: memo(function TanStackRow({ text, role }) {
    return <article className="markdown"><TextPart content={text} role={role} /></article>;
  }),
};

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

function Ours({ url, messages: initialMessages, row: Row, notify }) {
  const { messages, submit } = useAgent({ url, initialMessages, notify });
  useSend(async () => {
    const { outcome } = await submit("go");
    if (outcome !== "success") throw new Error(outcome);
  });
  return messages.map((message) => <Row key={message.id} message={message} />);
}

const textOf = (/** @type {any} */ { parts }, /** @type {string} */ member) => parts.find((/** @type {any} */ { type }) => type === "text")?.[member] ?? "";

const apps = {
  "ag-ui-wasm": (given) => <Ours {...given} row={rows.blocks} />,
  "ag-ui-wasm, throttled": (given) => <Ours {...given} row={rows.blocks} notify={{ throttleMs: 50 }} />,
  "ag-ui-wasm, whole text": (given) => <Ours {...given} row={rows.whole} />,

  "AI SDK"({ url, messages }) {
    const [transport] = useState(() => new DefaultChatTransport({ api: url }));
    const { messages: all, sendMessage, status } = useAiChat({ transport, messages: messages.map(asParts), throttle: 50 });
    useSend(() => sendMessage({ text: "go" }));
    const Row = rows.streamdown;
    return all.map((message, at) => <Row key={message.id} text={textOf(message, "text")} isAnimating={status === "streaming" && at === all.length - 1} />);
  },

  TanStack({ url, messages }) {
    const [options] = useState(() => ({
      connection: fetchServerSentEvents(url),
      initialMessages: messages.map(asParts),
      streamProcessor: { chunkStrategy: new BatchStrategy(100) },
    }));
    const { messages: all, sendMessage } = useTanStackChat(options);
    useSend(() => sendMessage("go"));
    const Row = rows.tanStack;
    return all.map((message) => <Row key={message.id} text={textOf(message, "content")} role={message.role} />);
  },
};

const asParts = ({ id, role, content }) => ({ id, role, parts: [{ type: "text", text: content, content }] });

/** Keeps the end of the thread in view, as chats do, once for each frame that brings something. */
function follow() {
  const root = document.getElementById("root");
  let waits = false;
  const observer = new MutationObserver(() => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      current.updates++;
      root.scrollTop = root.scrollHeight;
    });
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  return () => observer.disconnect();
}

/** The longest frame, of which the browser reports those of more than 50 ms, until it is asked. */
function frames() {
  let longest = 0;
  const take = (entries) => entries.forEach(({ duration }) => (longest = Math.max(longest, duration)));
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ type: "long-animation-frame" });
  return () => (take(observer.takeRecords()), observer.disconnect(), longest);
}

globalThis.bench = {
  /** Renders the thread, and comes back when it is there. */
  async prepare(name, { messages, ...options }) {
    const App = apps[name];
    const root = document.getElementById("root");
    current = {};
    const ready = new Promise((resolve) => (current.ready = resolve));
    createRoot(root).render(<App {...options} messages={history(messages)} />);
    await ready;
    // The end of the thread is what is seen.
    root.scrollTop = root.scrollHeight;
    await new Promise((resolve) => setTimeout(resolve, 300));
  },
  /** Sends, and comes back when all sections of the answer are shown. */
  async run(sections) {
    const start = performance.now();
    current.updates = 0;
    const [longest, stop] = [frames(), follow()];
    await current.send();
    const shown = () => document.querySelectorAll("article:last-of-type h2").length;
    for (const end = performance.now() + 10_000; shown() < sections && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stop();
    return { took: performance.now() - start, shown: shown(), text: document.querySelector("article:last-of-type")?.textContent.length, updates: current.updates, longestFrame: longest() };
  },
};

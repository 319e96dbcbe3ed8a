// An answer in Markdown at the end of a thread of memoised rows, in React 19. Each client shows it with the renderer that its
// documentation names. The page around it is the same for all, and as cheap as it gets: no highlighting of code, rows in memoised groups,
// of which those that are not seen are not laid out, and a scroller that stays at its end without a script.

import { useChat as useAiChat } from "@ai-sdk/react";
import { BatchStrategy, fetchServerSentEvents, useChat as useTanStackChat } from "@tanstack/ai-react";
import { TextPart } from "@tanstack/ai-react/ui";
import { DefaultChatTransport } from "ai";
import { useBlockGroups } from "ag-ui-wasm/blocks/react";
import { useAgent } from "ag-ui-wasm/react";
import { createAgent as createWorkerAgent } from "ag-ui-wasm/worker";
import DOMPurify from "dompurify";
import { marked } from "marked";
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import remend from "remend";
import { Streamdown } from "streamdown";
import { history } from "../../workload.mjs";

/** What one run needs. @type {any} */
let current;

const toHtml = (/** @type {string} */ markdown) => ({ __html: DOMPurify.sanitize(marked.parse(markdown, { async: false })) });
const markdownOf = (block) => block.definitions + (block.settled ? block.text : remend(block.text));

// The two ways of docs/blocks.md: sanitized by DOMPurify, and by the browser.
const PurifiedBlock = memo(function PurifiedBlock({ block }) {
  return <div dangerouslySetInnerHTML={toHtml(markdownOf(block))} />;
});

/** Made once: without one, `setHTML` makes its own for each call. */
const sanitizer = new Sanitizer({
  elements: "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr input li ol p pre strong table tbody td th thead tr ul".split(" "),
  attributes: "align checked class disabled href start title type".split(" "),
});

const NativeBlock = memo(function NativeBlock({ block }) {
  const element = useRef(null);
  useLayoutEffect(() => element.current.setHTML(marked.parse(markdownOf(block), { async: false }), { sanitizer }), [block]);
  return <div ref={element} />;
});

/** A row of blocks in groups. */
function blocksRow(/** @type {any} */ Block) {
  const Group = memo(function Group({ group }) {
    return <div className="group">{group.blocks.map((block) => <Block key={block.id} block={block} />)}</div>;
  });
  return memo(function BlocksRow({ message }) {
    return <article className="markdown">{useBlockGroups(message).map((group) => <Group key={group.id} group={group} />)}</article>;
  });
}

const rows = {
  purified: blocksRow(PurifiedBlock),
  native: blocksRow(NativeBlock),
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

const RowGroup = memo(function RowGroup({ items, row }) {
  return <section className="rows">{items.map(row)}</section>;
});

/** The rows in groups, which render again when one of their messages has changed. @param {{ items: readonly any[], row: (item: any) => any }} props */
function Thread({ items, row }) {
  const shown = useRef([]);
  const groups = Array.from({ length: Math.ceil(items.length / 32) }, (_, at) => {
    const [own, old] = [items.slice(at * 32, (at + 1) * 32), shown.current[at]];
    return old?.length === own.length && own.every((item, index) => item === old[index]) ? old : own;
  });
  shown.current = groups;
  return <div>{groups.map((own, at) => <RowGroup key={at} items={own} row={row} />)}</div>;
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

function Ours({ url, messages: initialMessages, row: Row, notify, worker = false }) {
  const [options] = useState(() => ({ url, initialMessages, notify }));
  const [target] = useState(() => (worker ? createWorkerAgent({ ...options, worker: () => new Worker("/worker-main.js", { type: "module" }), onWarning: fail }) : options));
  const { messages, submit } = useAgent(target);
  useSend(async () => {
    const { outcome } = await submit("go");
    if (outcome !== "success") throw new Error(outcome);
  });
  const row = useCallback((message) => <Row key={message.id} message={message} />, [Row]);
  return <Thread items={messages} row={row} />;
}

function fail({ message }) {
  throw new Error(message);
}

const textOf = (/** @type {any} */ { parts }, /** @type {string} */ member) => parts.find((/** @type {any} */ { type }) => type === "text")?.[member] ?? "";

const apps = {
  // What docs/blocks.md recommends for long answers.
  "ag-ui-wasm": (given) => <Ours {...given} row={rows.native} notify={{ throttleMs: 66 }} worker />,
  "ag-ui-wasm, 50 ms": (given) => <Ours {...given} row={rows.native} notify={{ throttleMs: 50 }} worker />,
  "ag-ui-wasm, no worker": (given) => <Ours {...given} row={rows.native} notify={{ throttleMs: 66 }} />,
  "ag-ui-wasm, defaults": (given) => <Ours {...given} row={rows.purified} />,
  "ag-ui-wasm, whole text": (given) => <Ours {...given} row={rows.whole} />,

  "AI SDK"({ url, messages }) {
    const [transport] = useState(() => new DefaultChatTransport({ api: url }));
    const { messages: all, sendMessage, status } = useAiChat({ transport, messages: messages.map(asParts), throttle: 50 });
    useSend(() => sendMessage({ text: "go" }));
    const Row = rows.streamdown;
    const streaming = status === "streaming" ? all.at(-1)?.id : undefined;
    const row = useCallback((message) => <Row key={message.id} text={textOf(message, "text")} isAnimating={message.id === streaming} />, [streaming]);
    return <Thread items={all} row={row} />;
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
    const row = useCallback((message) => <Row key={message.id} text={textOf(message, "content")} role={message.role} />, []);
    return <Thread items={all} row={row} />;
  },
};

const asParts = ({ id, role, content }) => ({ id, role, parts: [{ type: "text", text: content, content }] });

/** Counts the frames that bring something. */
function count() {
  let last;
  const observer = new MutationObserver(() => {
    const { currentTime } = document.timeline;
    if (currentTime !== last) current.updates++;
    last = currentTime;
  });
  observer.observe(document.getElementById("root"), { childList: true, characterData: true, subtree: true });
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
    await new Promise((resolve) => setTimeout(resolve, 300));
  },
  /** Sends, and comes back when all sections of the answer are shown. */
  async run(sections) {
    const start = performance.now();
    current.updates = 0;
    const [longest, stop] = [frames(), count()];
    await current.send();
    const shown = () => document.querySelectorAll("article:last-of-type h2").length;
    for (const end = performance.now() + 10_000; shown() < sections && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stop();
    return { took: performance.now() - start, shown: shown(), updates: current.updates, longestFrame: longest() };
  },
};

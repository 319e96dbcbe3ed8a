import { useVirtualizer } from "@tanstack/react-virtual";
import { createAgent, messageKey } from "ag-ui-wasm";
import { useAgentSelector } from "ag-ui-wasm/react";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import "./style.css";

const contentOf = (at) => `Message ${at + 1}. ${"A sentence of it. ".repeat(at % 7)}`;
const initialMessages = Array.from({ length: 10_000 }, (_, at) => ({ id: `m${at}`, role: at % 2 ? "assistant" : "user", content: contentOf(at) }));
const agent = createAgent({ url: "/agent", initialMessages });

// A row renders again when its own message changes. It says which of how many it is: most of the others are not in the page.
const Row = memo(function Row({ index, count, found, measure }) {
  const message = useAgentSelector(agent, ({ messages }) => messages[index]);
  return message && (
    <article ref={measure} data-index={index} tabIndex={0} className={message.role} aria-label={message.role} aria-posinset={index + 1} aria-setsize={count} aria-current={found}>
      <p>{message.content}</p>
    </article>
  );
});

function Thread({ list, found }) {
  const count = useAgentSelector(agent, ({ messages }) => messages.length);
  const busy = useAgentSelector(agent, ({ isLoading }) => isLoading);
  const scroller = useRef(null);
  const virtualizer = useVirtualizer({
    count, overscan: 6, estimateSize: () => 96, getScrollElement: () => scroller.current,
    getItemKey: (index) => messageKey(agent.getSnapshot().messages[index]),
    // The end stays in view while the answer grows. For a reader who has scrolled up nothing moves.
    anchorTo: "end", followOnAppend: true, scrollEndThreshold: 80,
  });
  useLayoutEffect(() => void (list.current = virtualizer).scrollToEnd(), [list, virtualizer]);
  // The keys of a feed: https://www.w3.org/WAI/ARIA/apg/patterns/feed/
  const step = (event) => {
    const index = Number(event.target.dataset.index) + { PageDown: 1, PageUp: -1 }[event.key];
    if (!(index >= 0 && index < count)) return;
    event.preventDefault();
    virtualizer.scrollToIndex(index);
    scroller.current.querySelector(`[data-index="${index}"]`)?.focus();
  };
  const items = virtualizer.getVirtualItems();
  return (
    <section ref={scroller} role="feed" aria-label="Thread" aria-busy={busy} onKeyDown={step}>
      <div style={{ height: virtualizer.getTotalSize() }}>
        <div style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ index, key }) => <Row key={key} index={index} count={count} found={index === found} measure={virtualizer.measureElement} />)}
        </div>
      </div>
    </section>
  );
}

// The browser's own search finds what is in the page, this one all messages. Ctrl+F goes here first, and then to the browser's.
addEventListener("keydown", (event) => {
  const field = document.querySelector("#find");
  if (event.key !== "f" || !(event.ctrlKey || event.metaKey) || document.activeElement === field) return;
  event.preventDefault();
  field.focus();
});

function Chat() {
  const list = useRef(null);
  const [found, setFound] = useState(-1);
  // A screen reader hears an answer once, when it is complete.
  const answer = useAgentSelector(agent, ({ messages, isLoading, runId }) => (runId && !isLoading ? messages.at(-1).content : ""));
  const find = (event) => {
    event.preventDefault();
    const [{ messages }, wanted] = [agent.getSnapshot(), event.target[0].value.toLowerCase()];
    const index = messages.findIndex(({ content }, at) => at > found && content.toLowerCase().includes(wanted));
    setFound(index);
    if (index >= 0) list.current.scrollToIndex(index, { align: "center" });
  };
  return (
    <main>
      <search><form onSubmit={find}><input id="find" type="search" aria-label="Find in thread" placeholder="Find in thread" /><output>{found >= 0 && `message ${found + 1}`}</output></form></search>
      <Thread list={list} found={found} />
      <p role="status">{answer}</p>
      <form id="send" action={(form) => void agent.submit(form.get("message"))}><input name="message" aria-label="Message" placeholder="Message" required /><button>Send</button></form>
    </main>
  );
}

createRoot(document.querySelector("#root")).render(<Chat />);

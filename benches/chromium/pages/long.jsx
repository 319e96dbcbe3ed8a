// A thread of thousands of messages in React 19: the rows that are seen, as in examples/long-thread, beside all of them with
// `content-visibility: auto`.

import { useVirtualizer } from "@tanstack/react-virtual";
import { createAgent, messageKey } from "ag-ui-wasm";
import { useAgentSelector } from "ag-ui-wasm/react";
import { memo, useLayoutEffect, useRef } from "react";
import { createRoot } from "react-dom/client";
import { history } from "../../workload.mjs";

/** @type {import("ag-ui-wasm").Agent} */
let agent;

const Row = memo(function Row({ index, measure }) {
  const message = useAgentSelector(agent, ({ messages }) => messages[index]);
  return message && <article ref={measure} data-index={index}>{message.content}</article>;
});

const useCount = () => useAgentSelector(agent, ({ messages }) => messages.length);

const lists = {
  virtualized() {
    const count = useCount();
    const scroller = useRef(null);
    const virtualizer = useVirtualizer({
      count, overscan: 6, estimateSize: () => 100, getScrollElement: () => scroller.current,
      getItemKey: (index) => messageKey(agent.getSnapshot().messages[index]),
      anchorTo: "end", followOnAppend: true, scrollEndThreshold: 80,
    });
    useLayoutEffect(() => void virtualizer.scrollToEnd(), [virtualizer]);
    const items = virtualizer.getVirtualItems();
    return (
      <section ref={scroller} style={{ height: "100%", overflow: "auto", overflowAnchor: "none", contain: "strict" }}>
        <div style={{ height: virtualizer.getTotalSize() }}>
          <div style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => <Row key={key} index={index} measure={virtualizer.measureElement} />)}
          </div>
        </div>
      </section>
    );
  },
  "all rows"() {
    const count = useCount();
    const scroller = useRef(null);
    useLayoutEffect(() => {
      scroller.current.scrollTop = scroller.current.scrollHeight;
    }, [count]);
    return <section ref={scroller} style={{ height: "100%", overflow: "auto" }}>{Array.from({ length: count }, (_, index) => <Row key={index} index={index} />)}</section>;
  },
};

const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

globalThis.bench = {
  /** Milliseconds until the end of the thread is painted. */
  async open(name, { url, messages }) {
    agent = createAgent({ url, initialMessages: history(messages, 300) });
    const List = lists[name];
    const start = performance.now();
    createRoot(document.getElementById("root")).render(<List />);
    await painted();
    return performance.now() - start;
  },
  rows: () => document.querySelectorAll("article").length,
  /** The characters of the answer that are shown. */
  async run() {
    const { outcome } = await agent.submit("go");
    if (outcome !== "success") throw new Error(outcome);
    await painted();
    return [...document.querySelectorAll("article")].at(-1)?.textContent.length ?? 0;
  },
};

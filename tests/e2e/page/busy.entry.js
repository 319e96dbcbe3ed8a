// A chat whose answer streams, 300 deltas a second, and a page of 200 rows that take a millisecond each, to which a transition
// leads. `?whole` shows the chat with useAgent, `?part` with useAgentSelector; `?store` with React's useSyncExternalStore, to
// compare with. Without any, agents are made and dropped. The test bundles it.
import { createAgent } from "ag-ui-wasm";
import { useAgent, useAgentSelector } from "ag-ui-wasm/react";
import { createElement as h, Fragment, memo, startTransition, useEffect, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

const encoder = new TextEncoder();
const event = (event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
const delta = event({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "word " });
const stream = (start) => new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
const begin = (controller) => {
  controller.enqueue(event({ type: "RUN_STARTED", threadId: "t", runId: "r" }));
  controller.enqueue(event({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }));
};
const end = (controller) => {
  controller.enqueue(event({ type: "TEXT_MESSAGE_END", messageId: "a" }));
  controller.enqueue(event({ type: "RUN_FINISHED", threadId: "t", runId: "r" }));
  controller.close();
};

const busy = (window.busy = { rows: 0, renders: 0, seen: undefined, words: () => text()?.length / 5 });
const text = () => agent.getSnapshot().messages[1]?.content;

const agent = (busy.agent = createAgent({
  url: "/agent",
  fetch: async () =>
    stream((controller) => {
      begin(controller);
      const timer = setInterval(() => [delta, delta, delta].forEach((bytes) => controller.enqueue(bytes)), 10);
      busy.end = () => {
        clearInterval(timer);
        end(controller);
      };
    }),
}));

const Shown = ({ content }) => {
  busy.renders += 1;
  return h("p", { id: "said" }, content);
};
const kinds = {
  whole: () => h(Shown, { content: useAgent(agent).messages[1]?.content }),
  part: () => h(Shown, { content: useAgentSelector(agent, ({ messages }) => messages[1]?.content) }),
  store: () => h(Shown, { content: useSyncExternalStore(agent.subscribe, agent.getSnapshot).messages[1]?.content }),
};

function Row({ index }) {
  busy.rows += 1;
  for (const end = performance.now() + 1; performance.now() < end;);
  return h("li", null, index);
}

const Rows = memo(() => {
  useEffect(() => {
    busy.seen = { rows: busy.rows, ms: performance.now() - busy.clicked, running: agent.getSnapshot().isLoading };
  }, []);
  return h("ol", { id: "rows" }, Array.from({ length: 200 }, (_, index) => h(Row, { key: index, index })));
});

function App({ chat }) {
  const [page, setPage] = useState("chat");
  const go = () => {
    busy.clicked = performance.now();
    startTransition(() => setPage("rows"));
  };
  return h(Fragment, null, h("button", { id: "go", onClick: go }, "Go"), h(chat), page === "rows" && h(Rows));
}

/** Makes so many agents, runs each, and drops them. Gives how many have been collected since. */
busy.drop = async (count) => {
  let gone = 0;
  const registry = new FinalizationRegistry(() => (gone += 1));
  const letters = event({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "0123456789".repeat(10_000) });
  const answer = async () => stream((controller) => (begin(controller), controller.enqueue(letters), end(controller)));
  const run = async () => {
    const made = createAgent({ url: "/agent", fetch: answer });
    registry.register(made);
    return (await made.submit("hi")).outcome;
  };
  busy.gone = () => gone;
  return Promise.all(Array.from({ length: count }, run));
};

const kind = kinds[location.search.slice(1)];
if (kind) createRoot(document.getElementById("root")).render(h(App, { chat: kind }));

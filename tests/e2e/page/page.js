// A page that shows an agent and keeps what it was told. A test makes the agent, with `life.start(options)`: those of the
// package, but `persist` is a key of localStorage, or of IndexedDB with `database`, `tokens` are what a function for the
// headers gives one by one, `worker` puts the core into one, `counts` gives it a tool that notes its calls, and runs are joined in the ways that need an address at one of the proxy's.
import * as inPage from "/pkg/index.js";
import * as inWorker from "/pkg/worker.js";

const { indexedDbStore, localStorageStore } = inPage;

const byId = (id) => document.getElementById(id);

window.life = {
  results: [],
  errors: [],
  warnings: [],
  /** When how much of the last answer was shown. */
  shown: [],
  start({ persist, database, tokens, resume, worker, counts, ...options }) {
    Object.assign(life, { results: [], errors: [], warnings: [], shown: [] });
    const { createAgent } = worker ? inWorker : inPage;
    const count = {
      ...{ name: "count", description: "Counts" },
      execute: (_, { toolCallId }) => localStorage.setItem("counted", `${localStorage.getItem("counted")}${toolCallId} `),
    };
    const store = database ? indexedDbStore(database, persist) : localStorageStore(persist);
    life.store = store;
    const joins = ["replay", "snapshot", "prelude"].includes(resume?.by);
    const agent = createAgent({
      ...options,
      ...(resume && { resume: joins ? { ...resume, url: (runId) => `/agent/join/${resume.by}/${runId}` } : resume }),
      ...(persist && { persist: store }),
      ...(counts && { tools: [count] }),
      ...(tokens && { headers: async () => ({ authorization: `Bearer ${tokens.shift()}` }) }),
      onFinish: ({ outcome, error }) => life.results.push({ outcome, error: error?.kind }),
      onError: ({ kind }) => life.errors.push(kind),
      onWarning: ({ code }) => life.warnings.push(code),
    });
    life.agent = agent;
    const show = () => {
      const { status, connection, messages } = agent.getSnapshot();
      byId("status").value = status;
      byId("connection").value = connection.phase;
      const last = messages.at(-1);
      life.shown.push([performance.now(), (last?.role === "assistant" && last.content) || ""]);
      byId("messages").replaceChildren(
        ...messages.map(({ role, content, delivery }) => {
          const row = document.createElement("li");
          row.textContent = content ?? "";
          Object.assign(row.dataset, { role, delivery });
          return row;
        }),
      );
    };
    agent.subscribe(show);
    byId("send").onclick = () => void agent.submit(byId("input").value);
    byId("stop").onclick = () => void agent.stop();
    byId("retry").onclick = () => void agent.retry();
  },
};

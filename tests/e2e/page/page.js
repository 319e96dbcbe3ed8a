// A page that shows an agent and keeps what it was told. A test makes the agent, with `life.start(options)`: those of the
// package, but `persist` is a key of localStorage, or of IndexedDB with `database`, `tokens` are what a function for the
// headers gives one by one, and runs are joined in the ways that need an address at one of the proxy's.
import { createAgent, indexedDbStore, localStorageStore } from "/pkg/index.js";

const byId = (id) => document.getElementById(id);

window.life = {
  results: [],
  errors: [],
  start({ persist, database, tokens, resume, ...options }) {
    Object.assign(life, { results: [], errors: [] });
    const store = database ? indexedDbStore(database, persist) : localStorageStore(persist);
    life.store = store;
    const joins = ["replay", "snapshot", "prelude"].includes(resume?.by);
    const agent = createAgent({
      ...options,
      ...(resume && { resume: joins ? { ...resume, url: (runId) => `/agent/join/${resume.by}/${runId}` } : resume }),
      ...(persist && { persist: store }),
      ...(tokens && { headers: async () => ({ authorization: `Bearer ${tokens.shift()}` }) }),
      onFinish: ({ outcome, error }) => life.results.push({ outcome, error: error?.kind }),
      onError: ({ kind }) => life.errors.push(kind),
    });
    life.agent = agent;
    const show = () => {
      const { status, connection, messages } = agent.getSnapshot();
      byId("status").value = status;
      byId("connection").value = connection.phase;
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

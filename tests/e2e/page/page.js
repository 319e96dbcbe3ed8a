// A page that shows an agent and keeps what it was told. A test makes the agent, with `life.start(options)`: those of the
// package, but `persist` is a key of localStorage, and `tokens` are what a function for the headers gives one by one.
import { createAgent, localStorageStore } from "/pkg/index.js";

const byId = (id) => document.getElementById(id);

window.life = {
  results: [],
  errors: [],
  start({ persist, tokens, ...options }) {
    Object.assign(life, { results: [], errors: [] });
    const agent = createAgent({
      ...options,
      ...(persist && { persist: localStorageStore(persist) }),
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

// An agent whose server answers each run with the events of the test, in the order of the runs.

import { load, real } from "../lib.mjs";

export const { createAgent } = await load("index");
export const skip = !real && "without the core";

export function create(...answers) {
  const requests = [];
  const fetch = async (_url, { body }) => {
    const input = JSON.parse(body);
    const { threadId, runId } = input;
    const events = answers[requests.push(input) - 1] ?? [];
    const ids = { threadId, runId };
    const last = events.at(-1)?.type ?? "";
    const all = [{ type: "RUN_STARTED", ...ids }, ...events, ...(/^RUN_(FINISHED|ERROR)$/.test(last) ? [] : [{ type: "RUN_FINISHED" }])];
    return new Response(all.map((event) => `data: ${JSON.stringify(event.type === "RUN_FINISHED" ? { ...ids, ...event } : event)}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  return { agent: createAgent({ url: "https://agent.test/", fetch, notify: "microtask" }), requests };
}

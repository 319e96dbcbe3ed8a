// The output of `debug`, and the small functions.

import { finished, server, settled, started, text, user } from "../client.mjs";

const url = "https://x.test/agent";
const plain = [started(), ...text("m", "x"), finished()];

async function written(work) {
  const lines = [];
  const debug = console.debug;
  console.debug = (...parts) => void lines.push(parts);
  try {
    await work();
  } finally {
    console.debug = debug;
  }
  return lines;
}

export async function whatIsWritten({ HttpAgent }) {
  const seen = {};
  for (const [name, config] of Object.entries({
    off: false,
    on: true,
    lifecycle: { events: false },
    events: { lifecycle: false },
    verbose: { verbose: true, lifecycle: false },
    neither: { events: false, lifecycle: false },
  })) {
    const agent = new HttpAgent({ url, agentId: "id", threadId: "t", fetch: server(plain).fetch, debug: config });
    const lines = await written(() => agent.runAgent());
    // The output of each inner stage is the client's own.
    seen[name] = lines.filter(([label]) => /LIFECYCLE|APPLY/.test(label)).map(([label, data]) => [label, data?.type ?? data]);
  }
  return seen;
}

export async function failuresAreWritten({ HttpAgent }) {
  const agent = new HttpAgent({ url, agentId: "id", threadId: "t", fetch: async () => new Response("no", { status: 500 }), debug: { events: false } });
  return written(() => settled(agent.runAgent())).then((lines) => lines.map(([label, data]) => [label, data]));
}

export function settings({ HttpAgent, resolveAgentDebugConfig, createDebugLogger, resolveDebugLogger, DebugLogger }) {
  const agent = new HttpAgent({ url });
  const seen = [agent.debug, agent.debugLogger];
  agent.debug = true;
  seen.push(agent.debug, agent.debugLogger instanceof DebugLogger, agent.clone().debug, agent.clone().debugLogger === agent.debugLogger);
  agent.debugLogger = false;
  seen.push(agent.debugLogger, agent.debug);
  agent.debugLogger = true;
  seen.push(agent.debugLogger.enabled, agent.debugLogger.eventsEnabled, agent.debugLogger.lifecycleEnabled);
  for (const given of [undefined, null, false, true, {}, { events: false }, { verbose: true }])
    seen.push(resolveAgentDebugConfig(given), !!createDebugLogger(resolveAgentDebugConfig(given)));
  for (const given of [undefined, null, false, true, new DebugLogger(resolveAgentDebugConfig(true))]) seen.push(resolveDebugLogger(given)?.enabled);
  return seen;
}

export function smallFunctions({ getRunOutcome, structuredClone_, randomUUID, isRecognizedEvent, withAuthoritativeActivityTypes, authoritativeActivityTypes }) {
  const deep = { a: [{ b: 1 }] };
  const list = { type: "MESSAGES_SNAPSHOT", messages: [user("u", "x")] };
  const said = withAuthoritativeActivityTypes(list, ["a", "b", "a"]);
  return [
    getRunOutcome(finished()),
    getRunOutcome(finished({ outcome: { type: "cancelled" } })),
    structuredClone_(deep),
    structuredClone_(deep).a === deep.a,
    /^[0-9a-f-]{36}$/.test(randomUUID()),
    isRecognizedEvent({ type: "CUSTOM" }),
    isRecognizedEvent({ type: "LATER" }),
    said,
    authoritativeActivityTypes(said),
    authoritativeActivityTypes(list),
    withAuthoritativeActivityTypes(said, ["c"]),
    list,
  ];
}

const activity = { id: "a", role: "activity", activityType: "plan", content: {} };

export async function activitiesThatAListIsAllOf({ HttpAgent, withAuthoritativeActivityTypes }) {
  const seen = [];
  for (const types of [["plan"], ["other"], []]) {
    const list = withAuthoritativeActivityTypes({ type: "MESSAGES_SNAPSHOT", messages: [user("u", "x")] }, types);
    const agent = new HttpAgent({ url, threadId: "t", fetch: server([started(), list, finished()]).fetch, initialMessages: [user("u", "x"), activity] });
    await agent.runAgent();
    seen.push(agent.messages);
  }
  return seen;
}

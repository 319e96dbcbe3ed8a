// Requests: headers, options, changes by hooks and middlewares, and members that old servers are not sent.

import { map } from "rxjs";
import { finished, left, recorder, server, settled, started, text, user } from "../client.mjs";

const url = "https://x.test/agent";
const plain = [started(), ...text("m", "x"), finished()];

export async function headersAreChangedBetweenAndDuring({ HttpAgent }) {
  const made = server(plain);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch, headers: { a: "1" } });
  await agent.runAgent({ runId: "r" });
  agent.headers.b = "2";
  await agent.runAgent({ runId: "r" });
  agent.headers = { c: "3", "Content-Type": "text/plain", accept: "mine" };
  await agent.runAgent({ runId: "r" }, { onRunInitialized: ({ agent }) => void (agent.headers.late = "4") });
  return made.requests.map(({ headers, method }) => [headers, method]);
}

export async function hookAndFetch({ HttpAgent }) {
  const seen = [];
  const agent = new HttpAgent({ url, threadId: "t" });
  agent.fetch = function (given, init) {
    seen.push(this === agent, given, Object.keys(init).sort(), init.signal === agent.abortController.signal);
    return server(plain).fetch(given, init);
  };
  await agent.runAgent();
  return [seen, agent.messages];
}

export async function absentParameters({ HttpAgent }) {
  const made = server(plain);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  const nothing = { tools: null, context: null, forwardedProps: null, runId: "" };
  const end = await settled(agent.runAgent(nothing));
  const { runId, ...body } = made.requests[0]?.body ?? {};
  return [end, body, typeof runId, runId?.length];
}

export function absentSettings({ HttpAgent }) {
  const agent = new HttpAgent({ url, initialMessages: null, initialState: null, description: null, headers: null, debug: null });
  const { messages, state, description, headers, debug } = agent;
  return { messages, state, description, headers, debug };
}

export async function whatIsGivenIsNotShared({ HttpAgent }) {
  const tools = [{ name: "f", description: "d", parameters: { type: "object" } }];
  const forwardedProps = { deep: { a: 1 } };
  let input;
  const agent = new HttpAgent({ url, threadId: "t", fetch: server(plain).fetch, initialMessages: [user("u", "hi")] });
  await agent.runAgent({ tools, forwardedProps }, { onRunInitialized: (params) => void (input = params.input) });
  return [input.tools === tools, input.forwardedProps.deep === forwardedProps.deep, input.messages[0] === agent.messages[0], input.messages];
}

export async function aHookChangesTheInputInPlace({ HttpAgent }) {
  const made = server(plain);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  await agent.runAgent({ runId: "r" }, {
    onRunInitialized: ({ input }) => {
      input.forwardedProps = { set: 1 };
      input.context.push({ description: "d", value: "v" });
      input.messages.push(user("in", "place"));
    },
  });
  return [made.requests[0].body, left(agent)];
}

export async function nullTagsOfHooks({ HttpAgent }) {
  const made = server(plain);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  await agent.runAgent({ runId: "r" }, { onRunInitialized: () => ({ messages: [{ ...user("u", "x"), subagentRunId: null }] }) });
  return [made.requests[0].body.messages, agent.messages];
}

export async function aMiddlewareChangesTheInput(client) {
  const made = server(plain);
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: made.fetch });
  class Adds extends client.Middleware {
    run(input, next) {
      return this.runNext({ ...input, messages: [...input.messages, user("added", "x")], state: { set: 1 } }, next);
    }
  }
  class Within extends client.Middleware {
    run(input, next) {
      return next.run({ ...input, context: [{ description: "d", value: String(input.messages.length) }] });
    }
  }
  agent.use(new Adds(), new Within(), (input, next) => next.run(input).pipe(map((event) => ({ ...event, timestamp: 1 }))));
  const log = [];
  await agent.runAgent({ runId: "r" }, recorder(log, {}, ["onRunInitialized", "onEvent", "onRunFinalized"]));
  return [made.requests[0].body, log, left(agent)];
}

export async function membersThatAreNotSent({ HttpAgent }) {
  const made = server(plain);
  const agent = new HttpAgent({
    url,
    threadId: "t",
    fetch: made.fetch,
    initialMessages: [{ ...user("u", "hi"), mine: 1 }, {
      id: "a",
      role: "assistant",
      content: "x",
      toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}", mine: 1 }, mine: 1 }],
    }, { id: "r", role: "tool", toolCallId: "c", content: "y", mine: 1 }],
  });
  const tools = [{ name: "f", description: "d", parameters: { type: "object", mine: 1 }, mine: 1 }];
  await agent.runAgent({ runId: "r", tools, context: [{ description: "d", value: "v", mine: 1 }], forwardedProps: { mine: 1 } });
  return made.requests[0].body;
}

export async function whatCannotBeSent({ HttpAgent }) {
  const seen = [];
  for (const message of [{ id: 7, role: "user", content: "x" }, { id: "x", role: "later", content: "x" }, { id: "x", role: "user", content: 7 }, {
    id: "x",
    role: "tool",
    content: "y",
  }]) {
    const made = server(plain);
    const log = [];
    const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch, initialMessages: [message] });
    const { failed } = await settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
    seen.push([!!failed, made.requests.length, log.map(({ hook }) => hook)]);
  }
  return seen;
}

const media = {
  id: "u",
  role: "user",
  content: [{ type: "text", text: "look " }, { type: "image", source: { type: "url", value: "https://x.test/i.png" } }, { type: "text", text: "here" }],
};
const history = [media, {
  id: "a",
  role: "assistant",
  toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
  subagentRunId: "s",
}, { id: "r", role: "tool", toolCallId: "c", content: "y" }];

export async function oldServers({ HttpAgent }) {
  const seen = {};
  for (const version of ["0.0.30", "0.0.39", "0.0.40", "0.0.45", "0.0.57", "0.0.58", "0.9.9", "1.0.0", "2.0.0"]) {
    class Old extends HttpAgent {
      get maxProtocolVersion() {
        return version;
      }
    }
    const made = server([
      started(),
      { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "n" },
      ...text("m", "x").map((event) => ({ ...event, subagentRunId: "s" })),
      { type: "SUBAGENT_FINISHED", subagentRunId: "s" },
      finished(),
    ]);
    const log = [];
    const agent = new Old({ url, threadId: "t", fetch: made.fetch, initialMessages: history });
    await agent.runAgent({ runId: "r" }, recorder(log, {}, ["onEvent"]));
    seen[version] = [made.requests[0].body, log.map(({ event }) => event), left(agent)];
  }
  return seen;
}

export function versions({ HttpAgent }) {
  const attempt = (make) => {
    try {
      const agent = make();
      return [agent.maxProtocolVersion, agent.maxVersion];
    } catch (error) {
      return [error.constructor.name];
    }
  };
  class ByOldName extends HttpAgent {
    get maxVersion() {
      return "0.0.39";
    }
  }
  class ByAField extends HttpAgent {
    pin = "0.0.39";
    get maxProtocolVersion() {
      return this.pin;
    }
  }
  class Wrong extends HttpAgent {
    get maxProtocolVersion() {
      return "latest";
    }
  }
  class Both extends HttpAgent {
    get maxProtocolVersion() {
      return "0.0.40";
    }
    get maxVersion() {
      return this.maxProtocolVersion;
    }
  }
  class Super extends HttpAgent {
    get maxProtocolVersion() {
      return super.maxProtocolVersion;
    }
  }
  return [HttpAgent, ByOldName, ByAField, Wrong, Both, Super].map((Agent) => attempt(() => new Agent({ url })));
}

export async function interruptsAfterRuns({ HttpAgent }) {
  const asks = (...interrupts) => [started(), finished({ outcome: { type: "interrupt", interrupts } })];
  const sub = [{ type: "SUBAGENT_STARTED", subagentRunId: "s", name: "n" }, { type: "SUBAGENT_FINISHED", subagentRunId: "s" }];
  const ask = { id: "i", reason: "ok?", message: "m", metadata: { x: 1 }, subagentRunId: "s" };
  const made = server([started(), ...sub, ...asks(ask).slice(1)], [started(), { type: "RUN_ERROR", message: "no" }], asks({ id: "j", reason: "again" }), [
    started(),
    finished({ outcome: { type: "cancelled" } }),
  ]);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  const seen = [];
  const run = async (resume) => {
    const end = await settled(agent.runAgent({ runId: "r", resume }));
    seen.push([end, structuredClone(agent.pendingInterrupts)]);
  };
  await run();
  await run(null);
  await run([{ interruptId: "other", status: "resolved" }]);
  await run([{ interruptId: "i", status: "resolved", payload: 1 }]);
  await run([{ interruptId: "i", status: "resolved", payload: 2 }, { interruptId: "extra", status: "cancelled" }]);
  await run([{ interruptId: "j", status: "cancelled" }]);
  return [seen, made.requests.map(({ body }) => body.resume)];
}

export async function aRefusedRunLeavesNothing({ HttpAgent }) {
  const made = server(plain);
  const log = [];
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  agent.pendingInterrupts = [{ id: "i", reason: "x" }];
  agent.subscribe(recorder(log));
  const { failed } = await settled(agent.runAgent());
  return [failed, log, agent.isRunning, agent.activeRunCompletionPromise === undefined, made.requests.length];
}

export async function aControllerThatIsAbortedAlready({ HttpAgent }) {
  const abortController = new AbortController();
  abortController.abort();
  const log = [];
  const fetch = async (_, { signal }) => {
    signal.throwIfAborted();
    return server(plain).fetch(url, { body: "{}" });
  };
  const agent = new HttpAgent({ url, threadId: "t", fetch });
  const end = await settled(agent.runAgent({ abortController }, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
  return [end, log.map(({ hook, error }) => [hook, error?.message]), left(agent)];
}

export async function reasonsOfAborts({ HttpAgent }) {
  const seen = [];
  for (const reason of [undefined, "component unmounted", "other", new Error("mine"), new Error("component unmounted")]) {
    const log = [];
    let asked = false;
    const abortController = new AbortController();
    const fetch = (_, { signal }) =>
      new Promise((_, reject) => {
        asked = true;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const agent = new HttpAgent({ url, threadId: "t", fetch });
    const run = settled(agent.runAgent({ abortController }, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
    while (!asked) await new Promise((resolve) => setTimeout(resolve, 1));
    abortController.abort(reason);
    seen.push([await run, log.map(({ hook, error }) => [hook, error?.message])]);
  }
  return seen;
}

export async function theControllerIsReplaced({ HttpAgent }) {
  const made = server(plain);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  const first = agent.abortController;
  const run = agent.runAgent();
  const second = agent.abortController;
  const mine = new AbortController();
  agent.abortController = mine;
  agent.abortRun();
  await run;
  return [first !== second, mine.signal.aborted, second.signal.aborted, left(agent)];
}

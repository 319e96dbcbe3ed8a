// An agent with a guard whose core is in a worker. Needs the built core.

import assert from "node:assert/strict";
import { it } from "node:test";
import { load, real, until } from "../lib.mjs";
import { inWorker } from "../thread.mjs";

it("send() says that a guard in a worker cannot answer at once", { skip: !real && "the core is a stand-in" }, async () => {
  const { scriptedAgent, text } = await load("testing");
  const createAgent = await inWorker();
  const server = scriptedAgent();
  server.open(text("half"));
  const guard = { allowDisplayWithoutCapability: true, restrictedClassifications: [] };
  const agent = createAgent({ url: "http://host/", fetch: server.fetch, guard, notify: "sync" });
  void agent.submit("go");
  await until(() => agent.getSnapshot().messages.at(-1)?.content === "half");
  assert.throws(() => agent.send({ event_type: "form_action", payload: {} }), { kind: "unsupported", code: "worker", message: /worker mode/ });
});

// More of something than one call of a function may have arguments.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpAgent } from "ag-ui-wasm/ag-ui-client";

test("messages that are added at once", async () => {
  const agent = new HttpAgent({ url: "https://x.test/" });
  let heard = 0;
  agent.subscribe({ onNewMessage: () => void heard++ });
  const changed = new Promise((resolve) => agent.subscribe({ onMessagesChanged: ({ messages }) => resolve(messages.length) }));
  agent.addMessages(Array.from({ length: 200_000 }, (_, at) => ({ id: `m${at}`, role: "user", content: "x" })));
  assert.deepEqual([await changed, heard], [200_000, 200_000]);
});

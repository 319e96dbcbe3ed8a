// Bundled with Svelte's server by svelte.test.mjs.

import { createAgentWith } from "ag-ui-wasm/agent";
import { render } from "svelte/server";
import Chat from "./components/Chat.svelte";
import { Session } from "./bundled-core.mjs";

/** The server's page for a thread with one message. */
export async function page() {
  const target = createAgentWith(async () => ({ CoreSession: Session }), {
    url: "/agent",
    initialMessages: [{ id: "1", role: "assistant", content: "welcome" }],
  });
  const { body } = await render(Chat, { props: { target } });
  return { body, sessions: Session.all.length };
}

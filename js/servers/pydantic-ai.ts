import type { Preset } from "../api/server.js";

/**
 * Pydantic AI with `manage_message_history="server"` or a `conversation_store`: a request carries what follows the last answer, and a known
 * user message id cuts the stored thread there. It has no route that opens a thread: give one as `thread.load`.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, server: pydanticAi() });
 */
export function pydanticAi(): Preset {
  return {
    name: "Pydantic AI",
    thread: { send: "new", edits: "same-id" },
  };
}

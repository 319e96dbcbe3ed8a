// The beginning of a session: the thread, and the steps that have waited for it.

import type { AgentSnapshot } from "../api/types.js";
import { composeSave } from "../snapshot/compose.js";
import type { LinkClient, LinkState, PendingStep } from "./client.js";
import { beginSession } from "./live.js";
import type { Port } from "./port.js";

/** Makes a session from the thread as it was before the first step that waits, or from the save that is known, as `beginSession` does. */
export function openSession<State>(
  client: LinkClient<State>,
  shared: LinkState<State>,
  port: Port,
  before: AgentSnapshot<State>,
  all: readonly PendingStep<State>[],
): AgentSnapshot<State> | undefined {
  let save = shared.saved as string | undefined;
  shared.saved = undefined;
  // Nobody waits for these any longer, but what they say stays. After the queue of the save they could only be cancelled.
  const stored = save && JSON.parse(save);
  const said = stored?.queue?.length ? all.filter(({ run, edit }) => !run && "start" in edit) : [];
  if (said.length) save = composeSave(save, said.reduce((at, { edit }) => edit.fold(at), { ...client.empty(), ...stored }));
  const todo = all.filter((step) => !said.includes(step));
  let from = save ? client.empty() : before;
  while (!save && todo.length && !todo[0]!.run && !todo[0]!.acts) from = todo.shift()!.edit.fold(from);
  return beginSession(client, shared, port, from, save, todo);
}

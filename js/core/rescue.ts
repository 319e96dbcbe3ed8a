// The rest of a session that was lost.

import type { AgentSnapshot } from "../api/types.js";
import { composeSave } from "../snapshot/compose.js";
import { cutOff } from "../snapshot/cut-off.js";
import type { LinkClient, LinkState } from "./client.js";

/**
 * The snapshot to show once the session is lost whose last one was this. Sets the save that the next session begins with. `restoring`: it was lost over
 * the save that it began with, which is not tried twice.
 */
export function rescue<State>(client: LinkClient<State>, shared: LinkState<State>, last: AgentSnapshot<State>, restoring: boolean): AgentSnapshot<State> {
  const ended = cutOff(last, "error");
  const { interrupts, toolCalls, queue } = last;
  const shown = { ...ended, messages: [...ended.messages, ...queue.flatMap(({ messages }) => messages)] };
  const { last: known } = shared.home;
  const rescued = shared.late?.rescue(client.parts()!.settings.saves ? ended.messages : shown.messages);
  if (rescued) shared.home = { at: "saved", last: rescued };
  // State outside of the thread stays known.
  else if (rescued === undefined && !restoring && (known !== undefined || interrupts.length || toolCalls.length)) {
    const save = JSON.parse(composeSave(known, known === undefined ? shown : ended));
    // Executed calls are not executed again.
    const handled = [...new Set([...save.handled, ...toolCalls.map(({ id }) => id)])];
    const open = interrupts.map((interrupt) => ({ ...interrupt, answered: undefined }));
    shared.home = { at: "saved", last: JSON.stringify({ ...save, interrupts: open, handled }) };
  }
  return shown;
}

// What has changed since a save, as the core says it in place of the next one.

import type { SavedAgent } from "../api/saving.js";

type ThreadOfSave = Pick<SavedAgent, "messages" | "state">;

/** All of a save but its messages and state, with those that are not as they were: so many of the messages, from the first on, are. */
export interface Changes extends Partial<ThreadOfSave> {
  readonly from: number;
  readonly messages: SavedAgent["messages"];
}

/** The save that this thread has become. */
export const withChanges = <Save extends ThreadOfSave>({ messages, state }: Save, { from, ...since }: Changes): Save =>
  ({ state, ...since, messages: [...messages.slice(0, from), ...since.messages] }) as unknown as Save;

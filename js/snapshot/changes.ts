// The changes since a save, which the core gives in place of the next one.

import type { Saved } from "./save.js";

/** All of a save but its messages and state, with those that are not as they were: so many of the messages, from the first on, are. */
export interface SavedChanges extends Partial<Saved> {
  readonly from: number;
  readonly messages: Saved["messages"];
}

/** The save that this one has become. */
export const withChanges = <Save extends Pick<Saved, "messages" | "state">>({ messages, state }: Save, { from, ...since }: SavedChanges): Save =>
  ({ state, ...since, messages: [...messages.slice(0, from), ...since.messages] }) as unknown as Save;

// How a thread comes away from its session, and from the runs in it, while another one has its store.

import type { SavesClient } from "../api/saves.js";
import type { SavesKit } from "./open.js";

/**
 * Ends the session, without a word to the server; its runs settle with this outcome. Calls from now on wait for the save that the thread continues from.
 * Returns the save.
 */
export function suspend({ cancelled }: SavesKit, { link, source }: SavesClient, outcome: "disconnected" | "aborted" = "disconnected"): string {
  const last = link.save();
  const { shared } = link;
  const { pending, home: { live } } = shared;
  // While it ends nobody finds it, or opens another one.
  shared.home = { at: "awaited", last };
  live?.end();
  // A session that was told has heard of all.
  pending.end(undefined, live ? [] : pending.list.filter(({ acts }) => acts));
  const left = pending.confirmed();
  // Before the core is there nothing streams that would be cut off.
  if (left.isLoading) pending.show((source.parts()?.stopped ?? cancelled)(left));
  shared.settleAll(outcome);
  return last;
}

// The saves that the page makes where the core is in a worker: the page has the thread, and the core says the rest.

import type { LinkClient } from "../core/client.js";
import type { Saved } from "../snapshot/save.js";

/** The save as the core writes it: each message is a line, near the end. */
function textOf({ messages, state, ...rest }: Saved): string {
  const lines = messages.map((message) => JSON.stringify(message)).join("\n,\n");
  return `${JSON.stringify(rest).slice(0, -1)},"messages":[\n${lines}\n],"state":${JSON.stringify(state)}}`;
}

/** The saves of a thread, of which none was made yet. */
export function createMadeSaves<State>({ parts, save: put }: LinkClient<State>) {
  // The last whole one, as text and as it was: what stays of a thread are the same objects.
  let last: readonly [json: string, save: Saved] | undefined;
  /** Returns the save as JSON text: the next one may be written as what has changed since. */
  const whole = (save: Saved): string => {
    const json = textOf(save);
    if (parts()!.settings.saves) last = [json, save];
    return json;
  };
  return {
    whole,
    /** Has it written, or what has changed since the last whole one. */
    write: (save: Saved, done: () => void): void => {
      const { messages, state, ...rest } = save;
      const [json, before] = last ?? [];
      const at = messages.findIndex((message, index) => message !== before?.messages[index]);
      const from = at < 0 ? messages.length : at;
      if (!before || !from) return put(whole(save), done);
      const changes = { ...rest, from, messages: messages.slice(from), ...(state !== before.state && { state }) };
      put(json!, done, JSON.stringify(changes));
    },
  };
}

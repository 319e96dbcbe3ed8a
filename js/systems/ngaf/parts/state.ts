// The shared state, and the citations that it has for messages. Owns `state`.

import type { JsonObject } from "../../../api/protocol.js";
import { citationsOf } from "../citations.js";
import { isObject } from "../../../base/json.js";
import { ownValue, patched } from "../json.js";
import type { Messages } from "./messages.js";
import type { Shared } from "./shared.js";

/** The state is that of the fields. */
export function createState({ version, fields, changed }: Shared, messages: Messages) {
  let lenient = false;
  // The lists that citations were made of, by message.
  const cited = new Map<string, unknown>();
  const set = (state: JsonObject): void => {
    fields.state = state;
    changed();
  };

  return {
    /** Whether RFC 6902 would have refused a patch that was applied: the agent has refused it, and its state is another one. */
    get lenient(): boolean {
      return lenient;
    },
    set,
    /** STATE_DELTA. Says whether it applies. */
    patch: (operations: unknown): boolean => {
      const next = patched(fields.state, operations);
      if (!next) return false;
      lenient ||= next.lenient;
      set(next.value);
      return true;
    },
    /** Gives messages the citations that the state has for them. */
    cite: (): void => {
      const all = ownValue(fields.state, "citations");
      if (!isObject(all)) return;
      for (const id of Object.keys(all)) {
        const message = messages.get(id);
        // Messages without a change stay the same objects.
        if (!message || (cited.get(id) === all[id] && message.citations)) continue;
        cited.set(id, all[id]);
        const citations = citationsOf(fields.state, id, version);
        if (citations) messages.edit(id, (one) => ({ ...one, citations }));
      }
    },
    /** The agent has the state that is shown. */
    agree: (): void => void (lenient = false),
  };
}

// The messages, found by their ids. Owns `messages`.

import type { NgafMessage } from "../types.js";
import type { Shared } from "./shared.js";

export type Messages = ReturnType<typeof createMessages>;

export function createMessages({ fields, draft, set }: Shared) {
  // Where each message stands; counted when it is first asked for.
  let places: Map<string, number> | undefined;

  const place = (id: string): number | undefined => {
    places ??= new Map(fields.messages.map((message, at) => [message.id, at]));
    return places.get(id);
  };

  return {
    get: (id: string): NgafMessage | undefined => fields.messages[place(id) ?? -1],
    add: (message: NgafMessage): void => {
      place(message.id);
      places!.set(message.id, draft("messages").push(message) - 1);
    },
    /** Changes a message, if it is there. */
    edit: (id: string, change: (message: NgafMessage) => NgafMessage): void => {
      const at = place(id);
      if (at === undefined) return;
      const messages = draft("messages");
      messages[at] = change(messages[at]!);
    },
    replace: (messages: readonly NgafMessage[]): void => {
      set("messages", messages);
      places = undefined;
    },
  };
}

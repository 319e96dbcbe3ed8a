// How a link comes to a session: it loads the core, and opens a session at its port.

import type { AgentError } from "../api/error.js";
import type { LinkClient, LinkState } from "./client.js";
import { loading } from "./loader.js";
import type { Port } from "./port.js";

/** The opening of sessions. Nothing is loaded yet. */
export function createOpener<State>(client: LinkClient<State>, shared: LinkState<State>) {
  const { read } = client;
  const { pending } = shared;
  let port: Port | undefined;
  let attempted: Promise<void> | undefined;

  /** Where the core was may be gone: then it is asked for anew, and may be elsewhere. */
  const here = (): Port | undefined => (port = port?.gone?.() ? undefined : port);

  /** Makes a session from the thread as it was before the first run that waits, and does all that waits. */
  const open = (): void => {
    const at = port!;
    // The next session is asked for anew, with what comes before it: the thread at the server may have to be opened.
    port = undefined;
    client.parts()!.openSession(client, shared, at);
  };

  const attempt = async (): Promise<void> => {
    let error: AgentError | undefined;
    try {
      // The save may have another owner since the load began: then it is being read again.
      do port = await loading(client.source); while (shared.home.at === "awaited");
    } catch (cause) {
      error = cause as AgentError;
    }
    attempted = undefined;
    const { at } = shared.home;
    if (at === "ended") return;
    if (!port) {
      shared.lost = pending.list.flatMap(({ run }) => run ?? []).pop();
      shared.giveUp(error!);
    } else if (pending.list.length || at === "saved") open();
    else if (read().error?.code === "load") pending.show({ ...read(), status: "idle", error: undefined });
  };

  /** Resolves once the core was loaded, or could not be. */
  const load = async (): Promise<void> => {
    const { at, live } = shared.home;
    if (!live && at !== "ended" && (at || !here())) await (attempted ??= attempt());
  };

  return {
    load,
    /** Something waits for a session. */
    begin: (): void => {
      // A load in progress opens a session at its end.
      if (attempted || !here() || shared.home.at === "awaited") {
        void load();
        client.parts()?.ahead();
      } else if (pending.list.length) open();
    },
  };
}

// Helpers of transports whose connections are not requests with fetch.

import type { ChannelSource, OpenWire } from "../api/channel.js";
import type { KeepOpenOptions } from "../api/types.js";

/** Notes the open connection of a thread, in place of the last one, until what it returns is called. */
export function noted<Connection>(open: Map<string, Connection>, threadId: string, connection: Connection): () => void {
  open.set(threadId, connection);
  return () => void (open.get(threadId) === connection && open.delete(threadId));
}

/** The `keep` of a transport: its connections that are kept open. */
export function keepOption(keepOpen: boolean | KeepOpenOptions | undefined, open: OpenWire): { keep?: ChannelSource } {
  if (!keepOpen) return {};
  const create: ChannelSource["create"] = async (client) => new (await import("./channel.js")).ClientChannel(client);
  return { keep: { settings: keepOpen === true ? {} : keepOpen, open, create } };
}

// The helpers of the page that the chunk of a channel (channel.ts, js/network/channel.ts) receives. An import of them would make bundlers cut
// the first bundle into pieces.

import { AgentError } from "../api/error.js";
import { call } from "../base/call.js";
import { internal, toJson, unsupported } from "../base/failure.js";
import { retained, whenCollected } from "../base/weak.js";
import { weakly } from "../base/weakly.js";
import { retryTimes } from "../network/request.js";
import { act } from "../intents/act.js";
import type { AgentChannel, AgentChannelClient } from "./channel.js";
import { toRunInput } from "./input.js";

const kit = { AgentError, act, call, internal, retained, retryTimes, toJson, toRunInput, unsupported, weakly, whenCollected } as const;
export type ChannelKit = typeof kit;

/** Loads what makes the channel of a thread. */
export const openChannel = async <State>(thread: AgentChannelClient<State>): Promise<AgentChannel<State>> =>
  (await import("./channel.js")).createAgentChannel(kit, thread);

// The helpers of the page that the chunks of a channel (channel.ts, js/network/channel.ts) and of the thread at the server (js/remote-thread)
// receive. An import of them would make bundlers cut the first bundle into pieces.

import { AgentError } from "../api/error.js";
import { call } from "../base/call.js";
import { internal, toJson, unsupported } from "../base/failure.js";
import { uuid } from "../base/uuid.js";
import { retained, whenCollected } from "../base/weak.js";
import { weakly } from "../base/weakly.js";
import { act } from "../intents/act.js";
import { answer } from "../intents/answer.js";
import { editedMessages, messagesEdit } from "../intents/edit-messages.js";
import { retryTimes, toTarget } from "../network/request.js";
import type { RemoteAgent, RemoteThread } from "../remote-thread/index.js";
import { edited } from "../snapshot/edited.js";
import { messageKey } from "../snapshot/message-key.js";
import { keepShown } from "../snapshot/mirror.js";
import type { AgentChannel } from "./channel.js";
import { toRunInput } from "./input.js";
import type { Thread } from "./thread.js";

const kit = {
  ...{ AgentError, act, answer, call, edited, editedMessages, internal, keepShown, messageKey, messagesEdit },
  ...{ retained, retryTimes, toJson, toRunInput, toTarget, unsupported, uuid, weakly, whenCollected },
} as const;
export type ChunkKit = typeof kit;

/** Loads what makes the channel of a thread. */
export const openChannel = async <State>(thread: Thread<State>): Promise<AgentChannel<State>> => (await import("./channel.js")).createAgentChannel(kit, thread);

/** Loads what there is of the thread at the server. */
export const openRemote = async <State>(agent: RemoteAgent<State>): Promise<RemoteThread<State>> =>
  (await import("../remote-thread/index.js")).openRemote(kit, agent);

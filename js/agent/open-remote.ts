// The helpers of the page that the chunk of the thread at the server (js/remote-thread) receives. An import of them would make bundlers
// cut the page's first part to pieces.

import { AgentError } from "../api/error.js";
import { toJson } from "../base/failure.js";
import { uuid } from "../base/uuid.js";
import { toTarget } from "../network/request.js";
import { answer } from "../intents/answer.js";
import { editedMessages, messagesEdit } from "../intents/edit-messages.js";
import type { OpenRemote } from "../remote-thread/index.js";
import { messageKey } from "../snapshot/message-key.js";
import { edited } from "../snapshot/edited.js";
import { toRunInput } from "./input.js";

const kit = { AgentError, answer, edited, editedMessages, messageKey, messagesEdit, toJson, toRunInput, toTarget, uuid };

/** Loads what there is of the thread at the server. */
export const openRemote: OpenRemote = async (agent) => (await import("../remote-thread/index.js")).openRemote(kit, agent);

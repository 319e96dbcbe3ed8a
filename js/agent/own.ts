// The parts beside the core of which each agent has its own.

import type { AgentSchemas } from "../api/schemas.js";
import { createCalls, type CallsClient } from "./calls.js";
import { createReplies } from "./replies.js";

/** The calls of the page's tools, and replies to interrupts. */
export const createOwn = (calls: CallsClient, schemas: AgentSchemas<never> | undefined) => ({ calls: createCalls(calls), ...createReplies(calls.members.emitter, schemas) });

// Hector: its agent card, its approvals and the parts of its messages. The stream itself is read by the dialect `hector`. The
// functions for parts are here under their own names and under those of Hector's documents.

export { createConverter, partsToEvents, readFormEvent } from "./converter.js";
export type { Converter, FormEvent } from "./converter.js";
export {
  createTextPart,
  createTextPart as createTextPartWithAGUI,
  createThinkingPart,
  createToolCallPart,
  createToolResultPart,
  extractText,
  extractText as extractTextFromParts,
  extractTextCompact,
  extractThinking,
  extractThinking as extractThinkingFromParts,
  extractToolCalls,
  extractToolCalls as extractToolCallsFromParts,
  extractToolResults,
  getBlockId,
  getBlockId as getAGUIBlockID,
  getBlockIndex,
  getBlockIndex as getAGUIBlockIndex,
  getBlockType,
  getBlockType as getAGUIBlockType,
  getEventType,
  getEventType as getAGUIEventType,
  getIsError,
  getIsError as getAGUIIsError,
  getToolCallId,
  getToolCallId as getAGUIToolCallID,
  getToolName,
  getToolName as getAGUIToolName,
  isThinkingPart,
} from "./parts.js";
export type { Part, PartToolCall, PartToolResult, ToolCallInput, ToolResultInput } from "./parts.js";
export { answerApproval, cancelTask, chooseForm, fetchAgentCard, resubscribe } from "./server.js";
export type { AgentCard, RequestOptions, ToolApproval } from "./server.js";
export type { HectorSettings } from "../../api/options.js";

// The execution of calls in the page. When a call runs, and what follows from its result, is decided by the core.

import type { Agent, PageTool, StandardResult } from "../api/types.js";
import { isPromise } from "../base/promise.js";
import type { Calls } from "../core/client.js";
import { isValidator, messageOf } from "./tools.js";

/** What calls work for. */
export interface CallsClient {
  /** The tool of that name as the application has it now. */
  find(name: string): PageTool | undefined;
  agent(): Agent;
  /** A call has ended: `{toolCallId, result?, error?}` as JSON text. */
  settle(json: string): void;
  /** A person has to approve it first; then it is executed again. `{toolCallId}` as JSON text. */
  hold(json: string): void;
}

/** Nothing runs yet. */
export function createCalls({ find, agent, settle, hold }: CallsClient): Calls {
  const running = new Map<string, AbortController>();
  // The core executes a call within the call that approves it; also one that was held in a page before this one.
  let approving: string | undefined;

  const run = async (toolCallId: string, name: string, json: string, signal: AbortSignal): Promise<unknown> => {
    const approved = approving === toolCallId;
    const tool = find(name);
    if (!tool?.execute) throw new Error(`The page has no tool ${name} to execute`);
    const args = check(tool, JSON.parse(json));
    // Not waited for without need: a call that needs a person shall not be shown as executing before.
    const checked = isPromise(args) ? await args : args;
    const { needsApproval } = tool;
    if (typeof needsApproval === "function" && !approved && !signal.aborted && needsApproval(checked)) {
      running.delete(toolCallId);
      hold(JSON.stringify({ toolCallId }));
      return undefined;
    }
    // The core has to be done with what it does.
    await null;
    return signal.aborted ? undefined : tool.execute(checked, { signal, toolCallId, agent: agent() });
  };

  const abandon = (toolCallId: string): void => {
    running.get(toolCallId)?.abort();
    running.delete(toolCallId);
  };

  return {
    execute: (toolCallId, name, json) => {
      const controller = new AbortController();
      running.set(toolCallId, controller);
      const end = (how: { result: unknown } | { error: string }): void => {
        // Abandoned, or held and executed again.
        if (running.get(toolCallId) !== controller) return;
        running.delete(toolCallId);
        settle(toSettled({ toolCallId, ...how }));
      };
      run(toolCallId, name, json, controller.signal).then(
        (result) => end({ result }),
        (cause) => end({ error: messageOf(cause) }),
      );
    },
    approve: (toolCallId, method) => {
      approving = toolCallId;
      try {
        method();
      } finally {
        approving = undefined;
      }
    },
    check: (name, args) => {
      const tool = name === undefined ? undefined : find(name);
      return tool && check(tool, args);
    },
    abandon,
    abandonAll: () => [...running.keys()].forEach(abandon),
  };
}

/** The end of a call as the core reads it. A result that is no JSON is an error of the tool. */
function toSettled(end: { toolCallId: string; result?: unknown; error?: string | undefined }): string {
  try {
    return JSON.stringify(end);
  } catch (cause) {
    return JSON.stringify({ toolCallId: end.toolCallId, error: messageOf(cause) });
  }
}

/** The arguments as the tool's validator gives them. */
function check({ parameters }: PageTool, args: unknown): unknown {
  if (!isValidator(parameters)) return args;
  const judge = (result: StandardResult<unknown>): unknown => {
    if (!result.issues) return (result as { value: unknown }).value;
    const issues = result.issues.map(({ message, path = [] }) => {
      const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
      return keys.length ? `${keys.join(".")}: ${message}` : message;
    });
    throw new Error(`The arguments are not valid: ${issues.join("; ")}`);
  };
  const result = parameters["~standard"].validate(args);
  return isPromise(result) ? result.then(judge) : judge(result);
}

// The execution of calls in the page. When a call runs, and what follows from its result, is decided by the core.

import type { AgentOptions, PageTool, StandardResult } from "../api/types.js";
import { ask } from "../base/call.js";
import { reasonOf } from "../base/failure.js";
import { issuesText } from "../base/issues.js";
import { isPromise } from "../base/promise.js";
import { turn } from "../core/turn.js";
import type { Members } from "../thread/members.js";
import type { Thread } from "./thread.js";
import { isValidator } from "./tools.js";

// The core hears of so many ends in one task.
const most = 500;

/** The calls of a thread, of which none runs yet. `stored`: it has a store. Without one the tools of whoever has asked run, mounted or not. */
export function createCalls<State>(thread: Thread<State>, stored: boolean) {
  const { link, submitTools } = thread;
  const members = thread.members as unknown as Members<unknown>;
  const running = new Map<string, AbortController>();
  /** The tool of that name as the application has it now: of the agent that has asked, or of another one that is there. */
  const find = (name: string): PageTool | undefined => {
    const found = [members.requester(), ...members.present()].map((member) => findTool(member.options(), name));
    return (submitTools.get(name) as PageTool | undefined) ?? found.find((tool) => tool?.execute) ?? found.find(Boolean);
  };
  const end = createEnds(running, (json) => link.live()?.call("settleCall", json));
  const holdBack = createHolds((json) => link.live()?.call("hold", json));
  // Calls that wait for somebody to be there.
  const waiting = new Set<string>();

  const run = async (toolCallId: string, name: string, approved: boolean, json: string, signal: AbortSignal): Promise<unknown> => {
    const refused = thread.saves.refusal();
    if (refused) throw refused;
    for (let nobody; stored && !signal.aborted && (nobody = arrival(thread));) {
      waiting.add(toolCallId);
      await nobody;
    }
    waiting.delete(toolCallId);
    const tool = find(name);
    if (!tool?.execute) throw new Error(`The page has no tool ${name} to execute`);
    const args = check(tool, JSON.parse(json));
    // Not waited for without need: a call that needs a person must not be shown as executing before.
    const checked = isPromise(args) ? await args : args;
    const { needsApproval } = tool;
    // The core knows the tools that the run was begun with: a queue that was saved has those of that time.
    if (needsApproval && !approved && !signal.aborted && (needsApproval === true || needsApproval(checked))) {
      running.delete(toolCallId);
      holdBack(toolCallId);
      return undefined;
    }
    // An effect that comes with it may abandon it.
    await null;
    return signal.aborted ? undefined : tool.execute(checked, { signal, toolCallId, agent: members.requester().agent });
  };

  const abandon = (toolCallId: string): void => {
    running.get(toolCallId)?.abort();
    running.delete(toolCallId);
  };

  const works = (): boolean => [...running.keys()].some((toolCallId) => !waiting.has(toolCallId));

  return {
    execute: (toolCallId: string, name: string, approved: boolean, json: string): void => {
      const controller = new AbortController();
      running.set(toolCallId, controller);
      run(toolCallId, name, approved, json, controller.signal).then(
        (result) => end(controller, { toolCallId, result }),
        (cause) => end(controller, { toolCallId, error: messageOf(cause) }),
      );
    },
    /** Throws, or rejects, where these are no arguments for the tool of that name. */
    check: (name: string | undefined, args: unknown): unknown => {
      const tool = name !== undefined && find(name);
      return tool && check(tool, args);
    },
    find,
    abandon,
    /** One is at work, and does not only wait for somebody who could have its tool. */
    works,
    /** The run has ended, nobody is there, and all that is left are calls that wait for somebody who could have their tools. */
    unclaimed: (): boolean => thread.read().connection.phase === "closed" && !members.present().length && running.size > 0 && !works(),
    abandonAll: (): void => [...running.keys()].forEach(abandon),
  };
}

/** Settles when somebody is there who could have a tool; nothing where somebody is. */
function arrival<State>({ members, saves }: Thread<State>): Promise<void> | undefined {
  const nobody = members.arrival();
  // In another tab somebody may be.
  if (nobody) queueMicrotask(saves.rest);
  return nobody;
}

/** The end of a call, as its tool says it. */
interface CallEnd {
  readonly toolCallId: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** The core hears of what ends in the same turn together, as JSON text of a list: each time is a change of the whole list, and perhaps a save. */
function createEnds(running: Map<string, AbortController>, settle: (json: string) => void): (controller: AbortController, end: CallEnd) => void {
  const ended: (readonly [string, AbortController, string])[] = [];
  const settleAll = (): void => {
    // Abandoned meanwhile, or held and executed again.
    const still = ended.splice(0, most).filter(([toolCallId, controller]) => running.get(toolCallId) === controller);
    if (ended.length) turn(settleAll);
    for (const [toolCallId] of still) running.delete(toolCallId);
    if (still.length) settle(`[${still.map(([, , json]) => json).join()}]`);
  };
  return (controller, end) => {
    if (running.get(end.toolCallId) !== controller) return;
    if (!ended.length) queueMicrotask(settleAll);
    ended.push([end.toolCallId, controller, toSettled(end)]);
  };
}

/** Holding a call performs the effects that wait, by which the next one is to be held: these are held together, however many they are. */
function createHolds(hold: (json: string) => void): (toolCallId: string) => void {
  const held: string[] = [];
  let holding = false;
  return (toolCallId) => {
    held.push(JSON.stringify({ toolCallId }));
    if (holding) return;
    holding = true;
    try {
      while (held.length) hold(`[${held.splice(0).join()}]`);
    } finally {
      holding = false;
    }
  };
}

/** The tool of that name, as the agent's options have it now. */
function findTool({ tools }: AgentOptions, name: string): PageTool | undefined {
  return ask(tools)?.find((tool) => tool.name === name) as PageTool | undefined;
}

/** The words of whatever was thrown. */
const messageOf = (cause: unknown): string => reasonOf(cause) || "The tool failed";

/** The end of a call as the core reads it. A result that is no JSON is an error of the tool. */
function toSettled(end: CallEnd): string {
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
    throw new Error(`The arguments are not valid: ${issuesText(result.issues)}`);
  };
  const result = parameters["~standard"].validate(args);
  return isPromise(result) ? result.then(judge) : judge(result);
}

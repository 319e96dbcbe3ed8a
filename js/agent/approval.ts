// The approval of a call, by a person who may have given it other arguments.

import { reasonOf } from "../base/failure.js";
import { settle } from "../base/promise.js";
import { act } from "../intents/act.js";
import type { createCalls } from "./calls.js";
import type { Thread } from "./thread.js";

/** The data of an approval. */
interface Approval {
  readonly toolCallId: string;
  /** The tool that the call is to be of. */
  readonly tool?: string;
  /** In place of those that were shown. */
  readonly args?: unknown;
  /** The call as it was shown. */
  readonly seen: { readonly name?: string; readonly argsText?: string };
}

/** Approves a call of that thread, by JSON text: it runs as it was shown, or with other arguments, if these fit its tool. */
export const createApprove = <State>({ link, emitter, saves, disposed }: Thread<State>, { check }: ReturnType<typeof createCalls>) => (json: string): void => {
  const { tool, ...data } = JSON.parse(json) as Approval;
  const { toolCallId, args, seen } = data;
  const pass = (): void => {
    if (disposed()) return;
    link.apply({ ...act("approve", data), judged: true });
    // The session was lost meanwhile: the next one has it.
    if (!link.live()) saves.save();
  };
  const refuse = (cause: unknown): void => {
    const message = `The call ${toolCallId} is not approved, and waits: ${reasonOf(cause)}`;
    emitter.emit("warning", { code: "approval-invalid", message });
  };
  if (tool !== undefined && seen.name !== undefined && tool !== seen.name) return refuse(`it is a call of ${seen.name}, not of ${tool}`);
  if (args === undefined) pass();
  else settle(() => check(seen.name, args), pass, refuse);
};

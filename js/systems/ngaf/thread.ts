// Changes of the agent's thread outside of the contract: messages that were there before, that are submitted to the agent
// itself, or that are removed. No event reports them, the snapshot does.

import type { AgentSnapshot, ContentPart, Message } from "../../api/types.js";
import { isObject } from "../../base/json.js";
import type { Reducer } from "./reduce.js";
import type { ContentBlock, NgafMessage, NgafToolCall } from "./types.js";

/** Brings the fields in line with a snapshot, as far as no event has. */
export function followThread(reducer: Reducer): (snapshot: AgentSnapshot) => void {
  const { fields, named, messages, calls } = reducer;
  // Messages that the snapshot has had: ours may be ahead of it.
  let seen: readonly Message[] = [];
  let state: unknown;

  const take = (snapshot: AgentSnapshot): void => {
    const now = new Set(snapshot.messages.map(({ id }) => id));
    const gone = new Set(seen.filter(({ id }) => !now.has(id)).map(({ id }) => id));
    if (gone.size) {
      const remaining = new Set(snapshot.toolCalls.map(({ id }) => id));
      messages.replace(fields.messages.filter(({ id }) => !gone.has(id)));
      calls.keep(({ id }) => remaining.has(id) || !named.has(id));
      // Should they come back, no event will tell.
      for (const id of gone) named.delete(id);
    }
    const knownIds = new Set(fields.messages.map(({ id }) => id));
    const shownCalls = new Map(snapshot.toolCalls.map((call) => [call.id, call]));
    for (const message of snapshot.messages) {
      const ofEvent = named.has(message.id) || (message.role === "tool" && named.has(message.toolCallId));
      if (knownIds.has(message.id) || ofEvent || /^(reasoning|activity|developer)$/.test(message.role)) continue;
      // A run makes the others: their events come first, or have come.
      if (snapshot.isLoading && message.role !== "user") continue;
      // Calls that stand alone are no message of the contract: events make none of them either.
      const silent = message.role === "assistant" && !message.content && !message.reasoning && !!message.toolCallIds?.length;
      if (!silent) messages.add(toMessage(message));
      named.add(message.id);
      if (message.role !== "assistant") continue;
      const its = (message.toolCallIds ?? []).flatMap((id) => shownCalls.get(id) ?? []);
      for (const { id } of calls.add(its.map(toCall))) named.add(id);
    }
    seen = snapshot.messages;
  };

  return (snapshot) => {
    // While a run only adds to the last message, there is nothing to look for.
    const { messages: shown } = snapshot;
    const last = shown.length - 1;
    const same = snapshot.isLoading && shown.length === seen.length && shown[last]?.id === seen[last]?.id;
    if (shown !== seen && !same) take(snapshot);
    // With a patch that the agent has refused, ours is ahead until it is told.
    if (!snapshot.isLoading && !reducer.open && !reducer.state.lenient && snapshot.state !== state && isObject(snapshot.state)) {
      state = snapshot.state;
      reducer.state.set(snapshot.state);
      // Version 1 does so after events of the state only.
      if (reducer.version === 2 || !reducer.answers.generation) reducer.state.cite();
    }
  };
}

function toMessage(message: Message): NgafMessage {
  const { id } = message;
  const raw = "content" in message ? message.content : undefined;
  const content = typeof raw === "string" ? raw : Array.isArray(raw) ? (raw as readonly ContentPart[]).map(toBlock) : "";
  return {
    id,
    role: message.role as NgafMessage["role"],
    content,
    ...(message.role === "tool" && { toolCallId: message.toolCallId }),
    ...("name" in message && message.name !== undefined && { name: message.name }),
    ...(message.role === "assistant" && pick(message, ["reasoning", "reasoningDurationMs", "toolCallIds"])),
  };
}

function pick<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Pick<From, Name> {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Pick<From, Name>;
}

function toBlock(part: ContentPart): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source } = part;
  if (part.type !== "image" || source.type === "file") return { type: "text", text: JSON.stringify(part) };
  return { type: "image", url: source.type === "url" ? source.value : `data:${source.mimeType};base64,${source.value}` };
}

function toCall({ id, name, args, status, result, error }: AgentSnapshot["toolCalls"][number]): NgafToolCall {
  return { id, name, args, status, ...(result !== undefined && { result }), ...(error !== undefined && { error }) };
}

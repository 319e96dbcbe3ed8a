// The thread as messages of assistant-ui.

import type { AgentSnapshot, ContentPart, Interrupt, Message, UserMessage } from "../api/types.js";
import { contentOfParts, fileOf, partOf, type FileOfChat } from "../turns/media.js";
import { isUnanswered, splitTurns, turnOf, type Piece } from "../turns/turns.js";

/** A message of assistant-ui: its `ThreadMessageLike`. */
export interface ThreadMessage {
  readonly id: string;
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly object[];
  readonly status?: object;
  readonly attachments?: readonly object[];
  readonly metadata?: object;
}

/** The runtime's `AppendMessage`: a message that a person has written. */
export interface AppendedMessage {
  readonly role: string;
  readonly parentId: string | null;
  readonly sourceId: string | null;
  readonly content: readonly { readonly type: string }[];
  readonly attachments?: readonly { readonly contentType?: string; readonly content?: readonly { readonly type: string }[] }[] | undefined;
  readonly runConfig?: { readonly custom?: Readonly<Record<string, unknown>> } | undefined;
}

/** The messages of a snapshot. Unchanged messages are the same objects as before. */
export function createMessages(): (snapshot: AgentSnapshot) => readonly ThreadMessage[] {
  let known = new Map<string, { readonly made: readonly unknown[]; readonly message: ThreadMessage }>();
  return (snapshot) => {
    const next: typeof known = new Map();
    const all = new Map(snapshot.toolCalls.map((call) => [call.id, call]));
    const turns = splitTurns(snapshot.messages);
    turns.forEach((turn, at) => {
      const isLast = at === turns.length - 1;
      const toolCalls = turn.flatMap((message) => (message.role === "assistant" ? (message.toolCallIds ?? []) : [])).flatMap((id) => all.get(id) ?? []);
      // An answer at the end of the thread shows how the run is as well.
      const made = [
        ...turn,
        ...toolCalls,
        ...(isLast && turn[0]!.role !== "user" ? [snapshot.isLoading, snapshot.outcome, snapshot.error, snapshot.interrupts] : []),
      ];
      const id = turn[0]!.id;
      const old = known.get(id);
      if (old && old.made.length === made.length && made.every((one, index) => one === old.made[index])) return next.set(id, old);
      const message = toMessage(turn, { ...snapshot, toolCalls }, isLast);
      return message && next.set(id, { made, message });
    });
    known = next;
    const shown = [...next.values()].map(({ message }) => message);
    return [...shown, ...unanswered(snapshot, shown.at(-1))];
  };
}

/** A question that has no answer has failed, or has led to another question: there is no message of the agent that would show it. */
function unanswered(snapshot: AgentSnapshot, last: ThreadMessage | undefined): ThreadMessage[] {
  const { isLoading, error, interrupts } = snapshot;
  if (isLoading || last?.role === "assistant" || (!error && !interrupts.length)) return [];
  return [{ id: `${last?.id ?? ""} answer`, role: "assistant", content: interrupts.map(interruptPart), status: statusOf(snapshot) }];
}

function toMessage(turn: readonly Message[], snapshot: AgentSnapshot, isLast: boolean): ThreadMessage | undefined {
  const message = turn[0]!;
  const { id, role } = message;
  if (role === "user") return { id, role, ...shownOf(message) };
  if (role === "system" || role === "developer") return { id, role: "system", content: [{ type: "text", text: message.content }] };
  const { id: first, pieces } = turnOf(turn, snapshot.toolCalls);
  const interrupts = isLast ? snapshot.interrupts : [];
  if (first === undefined && !interrupts.length) return undefined;
  return {
    id: first ?? id,
    role: "assistant",
    content: [...pieces.map(toPart), ...interrupts.map(interruptPart)],
    status: isLast ? statusOf(snapshot) : endOf(turn),
    metadata: { custom: { messageIds: turn.map(({ id: messageId }) => messageId) } },
  };
}

const interruptPart = (interrupt: Interrupt) => ({ type: "data", name: "interrupt", data: interrupt });

/** How the last turn is. */
function statusOf({ isLoading, error, outcome, toolCalls, interrupts }: AgentSnapshot): object {
  if (isLoading) return { type: "running" };
  if (error) return { type: "incomplete", reason: "error", error: error.message };
  if (outcome === "aborted" || outcome === "cancelled") return { type: "incomplete", reason: "cancelled" };
  if (interrupts.length) return { type: "requires-action", reason: "interrupt" };
  if (toolCalls.some(isUnanswered)) return { type: "requires-action", reason: "tool-calls" };
  return { type: "complete", reason: "stop" };
}

/** How an earlier turn has ended. */
const endOf = (turn: readonly Message[]): object =>
  turn.at(-1)!.delivery === "aborted" ? { type: "incomplete", reason: "cancelled" } : { type: "complete", reason: "stop" };

function toPart(piece: Piece): object {
  if (piece.type === "data") return { type: "data", name: piece.name, data: piece.data };
  if (piece.type !== "call") return { type: piece.type, text: piece.text };
  const { id, name, args, argsText, phase, result, error } = piece.call;
  const failed = phase === "output-error" || phase === "denied";
  const approval = phase === "awaiting-approval"
    ? { id }
    : phase === "denied"
    ? { id, approved: false, ...(error !== undefined && { reason: error }) }
    : undefined;
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    args,
    argsText,
    ...(phase === "output-available" && { result: result ?? null }),
    ...(failed && { result: error ?? "", isError: true }),
    ...(approval && { approval }),
  };
}

/** The shown form of a person's message: the text, and files as attachments. */
function shownOf({ id, content }: UserMessage): Pick<ThreadMessage, "content" | "attachments"> {
  if (typeof content === "string") return { content: [{ type: "text", text: content }] };
  const files = content.flatMap((part) => fileOf(part) ?? []);
  return {
    content: content.flatMap((part) => (part.type === "text" ? [{ type: "text", text: part.text }] : [])),
    attachments: files.map((file, at) => {
      const isImage = file.mediaType.startsWith("image/");
      const { mediaType: contentType, filename: name = contentType } = file;
      return { id: `${id} ${at}`, type: isImage ? "image" : "document", name, contentType, status: { type: "complete" }, content: [toFilePart(file)] };
    }),
  };
}

/** A file as the library has it. */
export const toFilePart = ({ url, mediaType: mimeType, filename }: FileOfChat): object => ({
  ...(mimeType.startsWith("image/") ? { type: "image", image: url } : { type: "file", data: url, mimeType, sourceType: "url" }),
  ...(filename !== undefined && { filename }),
});

/** A written message as the content of an AG-UI message. Parts that have no place there are left out. */
export function contentOf({ content, attachments = [] }: AppendedMessage): UserMessage["content"] {
  const parts = [
    ...content,
    ...attachments.flatMap(({ content: pieces = [], contentType }) => pieces.map((part) => ({ contentType, ...part }))),
  ] as readonly unknown[] as readonly (FilePart | { readonly type: "text"; readonly text: string })[];
  return contentOfParts(
    parts.flatMap((part): ContentPart[] => {
      if (part.type === "text") return [{ type: "text", text: part.text }];
      const { filename, contentType = "image/*" } = part;
      if (part.type === "image") return [partOf({ mediaType: /^data:([^;,]+)/.exec(part.image)?.[1] ?? contentType, url: part.image, filename })];
      if (part.type !== "file") return [];
      const { data, mimeType } = part;
      return [partOf({ mediaType: mimeType, url: /^(data|https?|blob):/i.test(data) ? data : `data:${mimeType};base64,${data}`, filename })];
    }),
  ) as UserMessage["content"];
}

/** A part with a file. An attachment says its type beside it. */
type FilePart =
  & { readonly filename?: string; readonly contentType?: string }
  & (
    | { readonly type: "image"; readonly image: string }
    | { readonly type: "file"; readonly data: string; readonly mimeType: string }
  );

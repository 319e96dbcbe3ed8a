// From the pieces of a turn to chunks: what came since the last look.

import type { UIMessageChunk } from "ai";
import type { Interrupt, ToolCall } from "../api/types.js";
import type { Piece, Turn } from "../turns/turns.js";

type CallPiece = Extract<Piece, { type: "call" }>;
type TextPiece = Extract<Piece, { text: string }>;

/** The phases in which the arguments still come. */
const streams = ({ phase }: ToolCall): boolean => phase === "input-streaming";

/**
 * Writes the chunks of one stream. It knows what the SDK has of the turn: the pieces that were there before the stream, which can go on
 * but not be taken back, and those that it wrote itself. Where these are no longer a beginning of the turn, because the server
 * has sent the messages anew, it takes back all that it wrote and writes it again.
 */
export class ChunkWriter {
  readonly #put: (chunk: UIMessageChunk) => void;
  /** The pieces that were there before, by key. */
  readonly #before = new Map<string, Piece>();
  #written: Piece[] = [];
  /** Parts that stand outside of the messages: state, interrupts, custom events. */
  readonly #data = new Map<unknown, UIMessageChunk>();
  #started = false;

  constructor(put: (chunk: UIMessageChunk) => void, before: readonly Piece[]) {
    this.#put = put;
    for (const piece of before) this.#before.set(piece.key, piece);
  }

  /** The turn as it is now. */
  write({ id, pieces }: Turn): void {
    const now: Piece[] = [];
    for (const piece of pieces) {
      const before = this.#before.get(piece.key);
      const rest = before ? this.#goesOn(id, before, piece) : piece;
      if (rest) now.push(rest);
    }
    if (this.#written.length > now.length || this.#written.some((old, at) => !continues(old, now[at]!))) this.#reset();
    if (now.length > this.#written.length) this.#start(id);
    this.#written = now.map((piece, at) => this.#piece(this.#written[at], piece));
  }

  /** A part that is none of the messages'. One with an id takes the place of the one with the same id. */
  data(name: string, data: unknown, id?: string): void {
    this.#start(undefined);
    const chunk = { type: `data-${name}`, data, ...(id !== undefined && { id }) } as UIMessageChunk;
    const key = id === undefined ? chunk : `${name} ${id}`;
    this.#data.delete(key);
    this.#data.set(key, chunk);
    this.#put(chunk);
  }

  /** Ends what is open. */
  end(): void {
    for (const piece of this.#written) if (isOpen(piece)) this.#put({ type: `${piece.type}-end`, id: piece.key });
    this.#written = this.#written.map((piece) => (isOpen(piece) ? { ...piece, done: true } : piece));
  }

  #start(messageId: string | undefined): void {
    if (this.#started) return;
    this.#started = true;
    // A stream that continues a message keeps its id.
    this.#put(messageId === undefined || this.#before.size > 0 ? { type: "start" } : { type: "start", messageId });
    this.#put({ type: "start-step" });
  }

  #reset(): void {
    this.#put({ type: "reset-step" });
    this.#written = [];
    for (const chunk of this.#data.values()) this.#put(chunk);
  }

  /** A piece that was there before the stream. Returns what the stream adds to it. */
  #goesOn(id: string | undefined, before: Piece, piece: Piece): Piece | undefined {
    if (before.type !== piece.type) return undefined;
    if (piece.type === "text" || piece.type === "reasoning") {
      const { text } = before as TextPiece;
      return piece.text !== text && piece.text.startsWith(text) ? { ...piece, text: piece.text.slice(text.length) } : undefined;
    }
    if (before !== piece && contentOf(before) !== contentOf(piece)) {
      this.#start(id);
      this.#piece(before, piece);
    }
    this.#before.set(piece.key, piece);
    return undefined;
  }

  /** Brings a piece that was written, or is new, to what it is now. Returns what is written of it. */
  #piece(old: Piece | undefined, piece: Piece): Piece {
    if (old === piece) return piece;
    if (piece.type === "call") this.#callGoesOn(old as CallPiece | undefined, piece);
    else if (piece.type === "data") {
      if (!old || contentOf(old) !== piece.data) this.#put({ type: `data-${piece.name}`, id: piece.key, data: piece.data });
    } else return this.#text(old as TextPiece | undefined, piece);
    return piece;
  }

  #text(old: TextPiece | undefined, piece: TextPiece): TextPiece {
    // A text that has ended stays so: a server may open it once more, and add nothing.
    if (old?.done) return old;
    const { type, key: id, text, done } = piece;
    if (!old) this.#put({ type: `${type}-start`, id });
    const delta = text.slice(old?.text.length ?? 0);
    if (delta) this.#put({ type: `${type}-delta`, id, delta });
    if (done) this.#put({ type: `${type}-end`, id });
    return piece;
  }

  #callGoesOn(old: CallPiece | undefined, { call }: CallPiece): void {
    const before = old?.call;
    if (before === call) return;
    const { id: toolCallId, name: toolName, phase } = call;
    const put = this.#put;
    if (!before && streams(call)) put({ type: "tool-input-start", toolCallId, toolName });
    if (streams(call)) {
      const inputTextDelta = call.argsText.slice(before?.argsText.length ?? 0);
      if (inputTextDelta) put({ type: "tool-input-delta", toolCallId, inputTextDelta });
      return;
    }
    const errorText = call.error ?? "";
    if (!before || streams(before)) {
      // A call that never came to its end was not asked of anybody.
      if (phase === "output-error") return put({ type: "tool-input-error", toolCallId, toolName, input: call.args, errorText, providerExecuted: true });
      put({ type: "tool-input-available", toolCallId, toolName, input: call.args });
    }
    if (before?.phase === phase) return;
    if (phase === "awaiting-approval") put({ type: "tool-approval-request", approvalId: toolCallId, toolCallId });
    else if (before?.phase === "awaiting-approval") put({ type: "tool-approval-response", approvalId: toolCallId, approved: phase !== "denied" });
    if (phase === "output-available") put({ type: "tool-output-available", toolCallId, output: call.result, providerExecuted: true });
    if (phase === "output-error") put({ type: "tool-output-error", toolCallId, errorText, providerExecuted: true });
    if (phase === "denied") put({ type: "tool-output-denied", toolCallId });
  }
}

/** The value that a piece shows: the call, the data or the text. */
const contentOf = (piece: Piece): unknown => (piece.type === "call" ? piece.call : piece.type === "data" ? piece.data : piece.text);

const isOpen = (piece: Piece): piece is TextPiece => "done" in piece && !piece.done;

/** Whether chunks can bring one piece to the other. */
function continues(old: Piece, piece: Piece): boolean {
  if (old === piece) return true;
  if (old.key !== piece.key || old.type !== piece.type) return false;
  if (old.type === "call") {
    const [before, now] = [old.call, (piece as CallPiece).call];
    if (before === now) return true;
    if (before.name !== now.name || (streams(now) && !streams(before))) return false;
    return streams(before) ? !streams(now) || now.argsText.startsWith(before.argsText) : JSON.stringify(before.args) === JSON.stringify(now.args);
  }
  if (old.type === "data") return old.name === (piece as typeof old).name;
  const { text } = piece as typeof old;
  return old.done ? text === old.text : text.startsWith(old.text);
}

/** The open questions that were not there before. */
export const newInterrupts = (now: readonly Interrupt[], before: readonly Interrupt[]): readonly Interrupt[] =>
  now === before ? [] : now.filter((interrupt) => !before.some(({ id }) => id === interrupt.id));

import type { Envelope, Frame } from "./types.js";

/** A frame with the row that it came from. */
export interface FrameLink {
  readonly eventId: number;
  readonly eventTs: number;
  readonly eventKind: string;
  readonly eventScopeKey: string;
  readonly frame: Frame;
}

/**
 * The frames of an envelope, each with its row.
 *
 * @example
 * for (const { eventId, frame } of framesOfEnvelope(envelope)) console.log(eventId, frame.type);
 */
export function framesOfEnvelope({ id, ts, kind, scopeKey, agUiFrames }: Envelope): FrameLink[] {
  return agUiFrames.map((frame) => ({ eventId: id, eventTs: ts, eventKind: kind, eventScopeKey: scopeKey, frame }));
}

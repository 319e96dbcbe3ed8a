// Reads a frame of a channel: its event, and whether that is text, or the end of an answer.

import { parseJson } from "../base/json.js";

const decoder = new TextDecoder();

/** A sign of life, which is no event. */
export const isSign = (frame: Uint8Array): boolean => frame.length === 1;

/** The event of a frame as text: a channel of JSON, or the data of a server-sent event. */
export function dataOf(frame: Uint8Array): string {
  const text = decoder.decode(frame);
  if (text.startsWith("{")) return text;
  const data = text.split("\n").filter((line) => line.startsWith("data: "));
  return data.map((line) => line.slice(6)).join("\n");
}

/** The id of a server-sent event that has one. */
export function idOf(frame: Uint8Array): string | undefined {
  return frame[0] === 0x69 ? /^id: ?(.*)$/m.exec(decoder.decode(frame))?.[1] : undefined;
}

/** Whether it is a part of an answer's text, or begins one. */
export const isText = (data: string): boolean => /"event_type"\s*:\s*"text_stream"|"type"\s*:\s*"(TEXT_MESSAGE_|REASONING_|RUN_STARTED|TOOL_CALL_)/.test(data);

const DONE = ["complete", "completed", "done", "end", "ended", "finish", "finished"];
const GONE = ["close", "closed", "destroy", "destroyed", "unmount", "unmounted"];

/** Whether an event ends an answer, without a word of the application's. `lastText`: the last event with text. */
export function endsByDefault(data: string, lastText: string | undefined): boolean {
  if (!/"lifecycle"|"RUN_(FINISHED|ERROR)"/.test(data)) return false;
  const event = parse(data);
  if (event?.type === "RUN_FINISHED" || event?.type === "RUN_ERROR") return true;
  if (event?.event_type !== "lifecycle") return false;
  const { action, lifecycle, event: name } = (event.payload ?? {}) as Record<string, unknown>;
  const verb = String(action ?? lifecycle ?? name ?? "").toLowerCase();
  const [own, other] = [key(event), lastText === undefined ? undefined : key(parse(lastText))];
  return (DONE.includes(verb) && (own === "" || own === other)) || (GONE.includes(verb) && own !== "" && own === other);
}

/** Whether a run begins or ends with it. */
export const isRunBoundary = (data: string): boolean => /"RUN_(STARTED|FINISHED|ERROR)"/.test(data);

/** The component that an event is about. */
function key(event: Record<string, unknown> | undefined): string {
  const { component_type: type, component_id: id } = (event?.target ?? {}) as Record<string, unknown>;
  return type === undefined ? "" : JSON.stringify([type, id ?? null]);
}

/** The event, where the text is a JSON object or list. */
export function parse(data: string): Record<string, unknown> | undefined {
  const event = parseJson(data);
  return typeof event === "object" && event ? (event as Record<string, unknown>) : undefined;
}

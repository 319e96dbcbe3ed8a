// A log as a recording, and a recording as a log: JSON Lines, as docs/recordings.md describes them. What the inspector has seen
// beside requests and events stands in lines of its own, `{"note":…}`, which a player skips.

import type { AgentRequest, AgentSnapshot } from "../../api/types.js";
import { isObject, parseJson } from "../../base/json.js";
import { readLines, readRecording } from "../../recordings/recording.js";
import { join } from "./changes.js";
import { changesOf, itemOf, snapshotOf } from "./checked.js";
import type { Changes, Entry, Item } from "./entry.js";
import type { Log } from "./log.js";

/** The first line of a recording of the inspector. */
interface RecordingHead {
  readonly inspector: 1;
  /** When the first line came, in milliseconds since 1970. */
  readonly at: number;
  readonly snapshot?: AgentSnapshot;
}

/** The members of a note. */
type Note = Partial<RecordingHead> & { readonly seen?: Item; readonly changes?: Changes; readonly afterMs?: number };

/** Writes the rows as a recording. The snapshot is what the inspector shows beside them. */
export function writeLog(entries: readonly Entry[], snapshot?: AgentSnapshot): string {
  const lines: string[] = [];
  const head: RecordingHead = { inspector: 1, at: entries[0]?.at ?? 0, ...(snapshot && { snapshot: { ...snapshot, error: undefined } }) };
  lines.push(JSON.stringify({ note: head }));
  let clock = head.at;
  // Only what passes while a response comes is a pause of the server's.
  let open = false;
  for (const { item, at, changes } of inOrder(entries)) {
    const pause = at - clock;
    if (pause > 0) lines.push(open ? String(pause) : note({ afterMs: pause }));
    clock += Math.max(0, pause);
    open = "event" in item || "response" in item || (open && !("ended" in item || "request" in item));
    lines.push(...toLines(item));
    if (changes) lines.push(note({ changes }));
  }
  if (open) lines.push(JSON.stringify({ end: "open" }));
  return lines.map((text) => `${text}\n`).join("");
}

/** The items of all rows as they came; with the last of a row, what the row has changed. */
function inOrder(entries: readonly Entry[]): { readonly item: Item; readonly at: number; readonly changes?: Changes | undefined }[] {
  const all = entries.flatMap(({ items, times, places, changes }) =>
    items.map((item, i) => ({ item, at: times[i] ?? 0, place: places[i] ?? 0, changes: i === items.length - 1 ? changes : undefined }))
  );
  return all.sort((a, b) => a.place - b.place);
}

function toLines(item: Item): string[] {
  if ("event" in item) return [JSON.stringify(item.event)];
  if ("request" in item) {
    const { method, url, body } = item.request;
    return [
      JSON.stringify({ request: { method, url, input: parseJson(body, body) } }),
      note({ seen: { request: { ...item.request, body: undefined } as unknown as AgentRequest } }),
    ];
  }
  if ("response" in item && item.response.status !== undefined) {
    const { status, contentType } = item.response;
    const headers = contentType === undefined ? {} : { "content-type": contentType };
    return [JSON.stringify({ response: { status, headers } }), note({ seen: { response: { ...item.response, body: undefined } as unknown as AgentRequest } })];
  }
  if ("ended" in item && item.ended.end !== "closed") return [JSON.stringify({ end: "cut" }), note({ seen: item })];
  return [note({ seen: item })];
}

const note = (value: Note): string => JSON.stringify({ note: value });

/**
 * Adds a recording to a log. Returns the snapshot that it has.
 *
 * @throws {SyntaxError} where it is none
 */
export function readLog(text: string, log: Log): AgentSnapshot | undefined {
  // It knows every line that there may be.
  readRecording(text);
  let clock = 0;
  let snapshot: AgentSnapshot | undefined;
  let last: Entry | undefined;
  let request: { readonly method?: unknown; readonly url?: unknown; readonly input?: unknown } | undefined;
  let ours = false;
  // Of a recording that another tool made.
  let made = 0;
  let open: AgentRequest | undefined;
  const add = (item: Item): void => void (last = log.add(item, clock));

  const noted = (line: Readonly<Record<string, unknown>>): void => {
    if (line["inspector"] === 1) {
      ours = true;
      clock = typeof line["at"] === "number" ? line["at"] : 0;
      snapshot = snapshotOf(line["snapshot"]);
    }
    if (typeof line["afterMs"] === "number") clock += line["afterMs"];
    const seen = itemOf(line["seen"]);
    if (seen) {
      const body = request?.input === undefined ? {} : { body: JSON.stringify(request.input) };
      add("request" in seen ? { request: { ...seen.request, ...body } } : seen);
    }
    const changes = changesOf(line["changes"]);
    if (changes && last) log.change(last, join(last.changes, changes));
  };

  for (const { value } of readLines(text)) {
    if (typeof value === "number") clock += value;
    else if (typeof value["type"] === "string") add({ event: value as never });
    else if (isObject(value["note"])) noted(value["note"]);
    else if (isObject(value["request"])) {
      request = value["request"];
      const { method = "POST", url = "", input } = request;
      open = {
        id: ++made,
        url: String(url),
        method: String(method),
        runId: "",
        resume: false,
        at: clock,
        ...(input !== undefined && { body: JSON.stringify(input) }),
      };
      if (!ours) add({ request: open });
    } else if (isObject(value["response"]) && !ours && open) {
      const { status = 200, headers } = value["response"] as { status?: unknown; headers?: Readonly<Record<string, unknown>> };
      const contentType = headers?.["content-type"];
      add({ response: { ...open, status: Number(status), ...(typeof contentType === "string" && { contentType }), headMs: clock - open.at } });
    } else if (value["end"] === "cut" && !ours && open) add({ ended: { id: open.id, end: "lost" } });
    else if (typeof value["text"] === "string") add({ local: `Bytes that are no event: ${value["text"]}` });
  }
  return snapshot;
}

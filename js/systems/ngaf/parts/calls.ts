// Tool calls. Owns `toolCalls`. Version 1 of the contract reads each piece of a call's arguments alone, version 2 all of them.

import { isObject } from "../../../base/json.js";
import { parsed, scan, type ObjectScan } from "../json.js";
import type { NgafToolCall } from "../types.js";
import type { Shared } from "./shared.js";

export type CallsPart = ReturnType<typeof createCalls>;

export function createCalls({ version, fields, named, draft, set }: Shared) {
  const buffers = new Map<string, ObjectScan>();
  const places = createPlaces(() => fields.toolCalls);
  const push = (call: NgafToolCall): void => places.note(call.id, draft("toolCalls").push(call) - 1);
  const change = (id: string, edit: (call: NgafToolCall) => NgafToolCall): void => {
    const calls = draft("toolCalls");
    for (const at of places.of(id)) calls[at] = edit(calls[at]!);
  };

  return {
    /** Whether the arguments of a call stream. */
    streams: (id: string): boolean => buffers.has(id),
    start: (id: string, name: string): void => {
      named.add(id);
      buffers.set(id, { text: "", depth: 0, quoted: false, escaped: false });
      push({ id, name, args: {}, status: "running" });
    },
    args: (id: string, delta: string): void => {
      const give = (value: unknown): void => {
        if (isObject(value)) change(id, (call) => ({ ...call, args: value }));
        else if (version === 1) change(id, (call) => ({ ...call, args: {} }));
      };
      if (version === 1) return give(parsed(delta));
      const buffer = buffers.get(id);
      if (buffer && scan(buffer, delta)) give(parsed(buffer.text));
    },
    end: (id: string): void => {
      const buffer = buffers.get(id);
      const last = version === 2 && buffer ? parsed(buffer.text) : undefined;
      buffers.delete(id);
      change(id, (call) => ({ ...call, ...(isObject(last) && { args: last }), status: "complete" }));
    },
    result: (id: string, content: unknown): void => {
      const result = version === 2 ? parsed(content) : content;
      change(id, (call) => ({ ...call, result }));
    },
    change,
    /** Adds those that are not there, and returns them. */
    add: (calls: readonly NgafToolCall[]): readonly NgafToolCall[] => {
      const missing = calls.filter(({ id }) => !places.of(id).length);
      missing.forEach(push);
      return missing;
    },
    keep: (wanted: (call: NgafToolCall) => boolean): void => {
      set("toolCalls", fields.toolCalls.filter(wanted));
      places.forget();
    },
  };
}

/** Where the calls of an id stand, of which the contract may have several; counted when it is first asked for. */
function createPlaces(calls: () => readonly NgafToolCall[]) {
  let places: Map<string, number[]> | undefined;
  const note = (id: string, at: number): void => {
    const known = places?.get(id);
    if (known) known.push(at);
    else places?.set(id, [at]);
  };
  return {
    /** A call of that id is added there. */
    note,
    of: (id: string): readonly number[] => {
      if (!places) {
        places = new Map();
        calls().forEach((call, at) => note(call.id, at));
      }
      return places.get(id) ?? [];
    },
    /** They are others now. */
    forget: (): void => void (places = undefined),
  };
}

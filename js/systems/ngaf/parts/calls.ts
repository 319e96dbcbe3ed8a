// Tool calls. Owns `toolCalls`. Version 1 of the contract reads each piece of a call's arguments alone, version 2 all of them.

import { isObject } from "../../../base/json.js";
import { parsed, scan, type ObjectScan } from "../json.js";
import type { NgafToolCall } from "../types.js";
import type { Shared } from "./shared.js";

export type CallsPart = ReturnType<typeof createCalls>;

export function createCalls({ version, fields, named, changed }: Shared) {
  const buffers = new Map<string, ObjectScan>();
  const replace = (calls: readonly NgafToolCall[]): void => {
    fields.toolCalls = calls;
    changed();
  };
  const change = (id: string, edit: (call: NgafToolCall) => NgafToolCall): void =>
    replace(fields.toolCalls.map((call) => (call.id === id ? edit(call) : call)));

  return {
    /** Whether the arguments of a call stream. */
    streams: (id: string): boolean => buffers.has(id),
    start: (id: string, name: string): void => {
      named.add(id);
      buffers.set(id, { text: "", depth: 0, quoted: false, escaped: false });
      replace([...fields.toolCalls, { id, name, args: {}, status: "running" }]);
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
    /** Adds those that are not there. */
    add: (calls: readonly NgafToolCall[]): void => {
      const missing = calls.filter(({ id }) => !fields.toolCalls.some((call) => call.id === id));
      if (missing.length) replace([...fields.toolCalls, ...missing]);
    },
    keep: (wanted: (call: NgafToolCall) => boolean): void => replace(fields.toolCalls.filter(wanted)),
  };
}

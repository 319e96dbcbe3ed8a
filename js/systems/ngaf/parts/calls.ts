// Tool calls. Owns `toolCalls`. Version 1 of the contract reads each piece of a call's arguments alone, version 2 all of them.

import { isObject, parsed, scan, type ObjectScan } from "../json.js";
import type { NgafToolCall } from "../types.js";
import type { Shared } from "./shared.js";

export interface CallsPart {
  /** Whether the arguments of a call stream. */
  streams(id: string): boolean;
  start(id: string, name: string): void;
  args(id: string, delta: string): void;
  end(id: string): void;
  result(id: string, content: unknown): void;
  change(id: string, change: (call: NgafToolCall) => NgafToolCall): void;
  /** Adds those that are not there. */
  add(calls: readonly NgafToolCall[]): void;
  keep(wanted: (call: NgafToolCall) => boolean): void;
}

export function createCalls({ version, fields, named, changed }: Shared): CallsPart {
  const buffers = new Map<string, ObjectScan>();
  const replace = (calls: readonly NgafToolCall[]): void => {
    fields.toolCalls = calls;
    changed();
  };
  const change: CallsPart["change"] = (id, edit) => replace(fields.toolCalls.map((call) => (call.id === id ? edit(call) : call)));

  return {
    streams: (id) => buffers.has(id),
    start: (id, name) => {
      named.add(id);
      buffers.set(id, { text: "", depth: 0, quoted: false, escaped: false });
      replace([...fields.toolCalls, { id, name, args: {}, status: "running" }]);
    },
    args: (id, delta) => {
      const give = (value: unknown): void => {
        if (isObject(value)) change(id, (call) => ({ ...call, args: value }));
        else if (version === 1) change(id, (call) => ({ ...call, args: {} }));
      };
      if (version === 1) return give(parsed(delta));
      const buffer = buffers.get(id);
      if (buffer && scan(buffer, delta)) give(parsed(buffer.text));
    },
    end: (id) => {
      const buffer = buffers.get(id);
      const last = version === 2 && buffer ? parsed(buffer.text) : undefined;
      buffers.delete(id);
      change(id, (call) => ({ ...call, ...(isObject(last) && { args: last }), status: "complete" }));
    },
    result: (id, content) => {
      const result = version === 2 ? parsed(content) : content;
      change(id, (call) => ({ ...call, result }));
    },
    change,
    add: (calls) => {
      const missing = calls.filter(({ id }) => !fields.toolCalls.some((call) => call.id === id));
      if (missing.length) replace([...fields.toolCalls, ...missing]);
    },
    keep: (wanted) => replace(fields.toolCalls.filter(wanted)),
  };
}

// The state that the parts of a reducer share: each changes the fields that it owns, and no others.

import type { NgafMessage, NgafSnapshot, NgafSubagent, NgafToolCall } from "../types.js";

/** The fields of the contract. Every part gives itself the right to change its own. */
export type Fields = { -readonly [Name in keyof NgafSnapshot]: NgafSnapshot[Name] };

export interface Shared {
  readonly version: 1 | 2;
  readonly fields: Fields;
  /** Ids that events have named: of messages and of calls. */
  readonly named: Set<string>;
  /** Something of the fields has changed. */
  changed(): void;
  /** The value of that field, which is to be changed in place: a copy, if somebody has got it. */
  draft<Name extends keyof Collections>(name: Name): Collections[Name];
  /** Gives that field another value. */
  set<Name extends keyof Collections>(name: Name, value: Fields[Name]): void;
  /** Somebody gets the value of that field, or all of them: it does not change in place any longer. */
  handOut(name?: keyof Fields): void;
}

/** The fields that grow with what comes. */
interface Collections {
  messages: NgafMessage[];
  toolCalls: NgafToolCall[];
  subagents: Record<string, NgafSubagent>;
  customEvents: { readonly name: string; readonly data: unknown }[];
}

/** Nobody has got anything of these fields. */
export function createShared(version: 1 | 2, fields: Fields, changed: () => void): Shared {
  // The fields whose values nobody has got.
  const fresh = new Set<keyof Fields>();
  const all = fields as unknown as Collections;
  return {
    ...{ version, fields, changed },
    named: new Set(),
    draft: (name) => {
      const value = all[name];
      if (!fresh.has(name)) all[name] = (Array.isArray(value) ? value.slice() : { ...value }) as typeof value;
      fresh.add(name);
      changed();
      return all[name];
    },
    set: (name, value) => {
      fields[name] = value;
      fresh.delete(name);
      changed();
    },
    handOut: (name) => void (name ? fresh.delete(name) : fresh.clear()),
  };
}

/** An event, none of whose members has been looked at. */
export type Loose = Readonly<Record<string, unknown>>;

/** A member that is a string. */
export const text = (event: Loose, name: string, otherwise = ""): string => {
  const value = event[name];
  return typeof value === "string" ? value : otherwise;
};

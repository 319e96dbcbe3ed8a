// The state that the parts of a reducer share: each changes the fields that it owns, and no others.

import type { NgafSnapshot } from "../types.js";

/** The fields of the contract. Every part gives itself the right to change its own. */
export type Fields = { -readonly [Name in keyof NgafSnapshot]: NgafSnapshot[Name] };

export interface Shared {
  readonly version: 1 | 2;
  readonly fields: Fields;
  /** Ids that events have named: of messages and of calls. */
  readonly named: Set<string>;
  /** Something of the fields has changed. */
  changed(): void;
}

/** An event, none of whose members has been looked at. */
export type Loose = Readonly<Record<string, unknown>>;

/** A member that is a string. */
export const text = (event: Loose, name: string, otherwise = ""): string => {
  const value = event[name];
  return typeof value === "string" ? value : otherwise;
};

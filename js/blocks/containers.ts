// The containers that are open: block quotes, list items, footnotes.

import type { Cursor } from "./cursor.js";
import { FOOTNOTE } from "./definitions.js";
import { BREAK } from "./leaf.js";

/** A block quote, a list item or a footnote that is open. */
export interface Container {
  /** The last character of its marker: `>`, the bullet or delimiter of a list item, `:`. */
  readonly kind: string;
  /** Columns that a line needs to continue it. */
  readonly width: number;
  /** Whether something is in it. An item that begins with two blank lines is empty. */
  filled: boolean;
}

const MARKER = /^(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/;
/** List items that do not end a paragraph: empty ones, and those with a number other than 1. */
const WEAK = /^(?:[-+*]|\d{1,9}[.)])[ \t]*$|^(?!0*1\D)\d/;

/** The marker at the beginning of a text, if a container begins there. `interrupts`: a paragraph is open. */
export const markerOf = (rest: string, footnotes: boolean, interrupts: boolean): string | false | undefined =>
  (footnotes && FOOTNOTE.exec(rest)?.[0]) || (!BREAK.test(rest) && !(interrupts && WEAK.test(rest)) && MARKER.exec(rest)?.[0]);

/** Goes past a marker. Returns the container that it begins. */
export function enter(line: Cursor, marker: string): Container {
  const kind = marker.at(-1)!;
  const before = line.indent() + marker.length;
  line.take(marker.length);
  const most = kind === ">" ? 1 : kind === ":" ? Infinity : 4;
  const after = line.indent() > most || !line.rest() ? 1 : line.indent();
  line.skip(after);
  return { kind, width: kind === ":" ? 4 : before + after, filled: most !== 4 };
}

/** Goes into the containers that the line continues. Returns how many these are. */
export function match(stack: readonly Container[], line: Cursor): number {
  for (const [depth, { kind, width, filled }] of stack.entries()) {
    const rest = line.rest();
    if (kind === ">") {
      if (line.indent() > 3 || rest[0] !== ">") return depth;
      line.take(1);
      line.skip(Math.min(line.indent(), 1));
    } else if (rest) {
      if (line.indent() < width) return depth;
      line.skip(width);
    } else if (!filled) return depth;
  }
  return stack.length;
}

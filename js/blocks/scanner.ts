// Where the top-level blocks of a Markdown text begin, found line by line.
//
//   line ──► containers that continue (quotes, list items, footnotes) ──► the open leaf ──► what begins here ──► a new block?
//
// This is the block phase of CommonMark 0.31 with GFM's tables, without its output: only what tells whether a line begins a block
// of its own is kept. Inline content is not read, except for link reference definitions, which decide whether an underline makes a
// heading and are needed by other blocks.

import { createCursor, type Cursor } from "./cursor.js";
import { FOOTNOTE, type Definitions } from "./definitions.js";
import { BLANK, BREAK, createLeaf, INDENTED, NONE, PARAGRAPH, TABLE } from "./leaf.js";

/** A block quote, a list item or a footnote that is open. */
interface Container {
  /** The last character of its marker: `>`, the bullet or delimiter of a list item, `:`. */
  readonly kind: string;
  /** Columns that a line needs to continue it. */
  readonly width: number;
  /** Whether something is in it. An item that begins with two blank lines is empty. */
  filled: boolean;
}

const ITEM = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/;
const HALF_ITEM = /^(?:[-+*]|\d{1,9}[.)]?)(?:[ \t]|$)/;

/** Reads the lines of one text, in order. */
export interface Scanner {
  /** Reads a whole line, without its end. Returns whether a top-level block begins with it. */
  read(text: string): boolean;
  /** Whether the first part of a line shows for certain that a top-level block begins with it. */
  peek(text: string): boolean;
  /** Whether containers are nested deeper than `maxDepth`. From there on no block begins. */
  isTooDeep(): boolean;
}

/** @param maxDepth how deep containers may be nested */
export function createScanner(definitions: Definitions, maxDepth: number): Scanner {
  let tooDeep = false;
  const stack: Container[] = [];
  const leaf = createLeaf(definitions);
  /** The kind of list that the current top-level block is. */
  let topList = "";

  // The line that is read.
  const line = createCursor();
  /** How many containers the line is in. */
  let depth = 0;
  /** The kind of the top-level block that begins with the line, if one does. */
  let began: string | undefined;

  /** @param all whether the line continues all containers */
  function readRest(all: boolean): void {
    if (all && leaf.holds(line.rest(), line.indent())) return;
    for (let rest; (rest = line.rest());) {
      if (line.indent() < 4) {
        if (all && leaf.underlined(rest)) return;
        if (enter(rest, all && leaf.is(PARAGRAPH))) continue;
      }
      const kind = leaf.find(rest, line.indent());
      if (kind !== undefined) return open(kind);
      // Where nothing else begins, the line continues a paragraph that is open, even if it leaves out markers of containers.
      break;
    }
    if (!line.rest()) return end(NONE);
    if (leaf.is(TABLE) && all) return;
    const continues = leaf.is(PARAGRAPH);
    if (!continues) open(PARAGRAPH);
    leaf.add(line.rest(), all && continues);
  }

  /** Opens the container that begins here, if one does. */
  function enter(rest: string, interrupts: boolean): boolean {
    const quote = rest[0] === ">";
    const [footnote] = (definitions.footnotes && FOOTNOTE.exec(rest)) || [];
    const [item = "", number] = (!BREAK.test(rest) && ITEM.exec(rest)) || [];
    const marker = quote ? ">" : (footnote ?? item);
    if (!marker || (interrupts && item && (BLANK.test(rest.slice(item.length)) || (number && +number !== 1)))) return false;

    const kind = marker.at(-1)!;
    open(NONE, item && kind);
    const before = line.indent() + marker.length;
    line.take(marker.length);
    const most = quote ? 1 : footnote ? Infinity : 4;
    const after = line.indent() > most || !line.rest() ? 1 : line.indent();
    line.skip(after);
    depth = stack.push({ kind, width: footnote ? 4 : before + after, filled: !item });
    if (depth > maxDepth) {
      tooDeep = true;
      line.start("");
    }
    return true;
  }

  /** Ends what the line does not continue. @param kind of the leaf that is open instead */
  function end(kind: number): void {
    leaf.open(kind);
    if (stack.length > depth) stack.length = depth;
  }

  /** Begins something where the line is now. @param list the kind of the list that it is an item of */
  function open(kind: number, list = ""): void {
    end(kind);
    const parent = stack.at(-1);
    if (parent) parent.filled = true;
    else began = list;
  }

  return {
    read: (text) => {
      if (tooDeep) return false;
      line.start(text);
      began = undefined;
      depth = match(stack, line);
      readRest(depth === stack.length);
      if (began === undefined || (began && began === topList)) return false;
      topList = began;
      return true;
    },
    peek: (beginning) => {
      line.start(beginning);
      const rest = line.rest();
      if (tooDeep || !rest) return false;
      const [outer] = stack;
      if (leaf.is(PARAGRAPH) || (topList && HALF_ITEM.test(rest))) return false;
      if (!outer) return leaf.is(NONE) || (leaf.is(INDENTED) && line.indent() < 4);
      return outer.kind === ">" ? rest[0] !== ">" : line.indent() < outer.width;
    },
    isTooDeep: () => tooDeep,
  };
}

/** Goes into the containers that the line continues. Returns how many these are. */
function match(stack: readonly Container[], line: Cursor): number {
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

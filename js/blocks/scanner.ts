// Where the top-level blocks of a Markdown text begin, found line by line.
//
//   line ──► containers that continue (quotes, list items, footnotes) ──► the open leaf ──► what begins here ──► a new block?
//
// This is the block phase of CommonMark 0.31 with GFM's tables, without its output: only what tells whether a line begins a block
// of its own is kept. Inline content is not read, except for link reference definitions, which decide whether an underline makes a
// heading and are needed by other blocks.

import { enter, markerOf, match, type Container } from "./containers.js";
import { createCursor } from "./cursor.js";
import type { Definitions } from "./definitions.js";
import { createLeaf, INDENTED, NONE, PARAGRAPH, TABLE } from "./leaf.js";

const HALF_ITEM = /^(?:[-+*]|\d{1,9}[.)]?)(?:[ \t]|$)/;

/** Reads the lines of one text, in order. */
export type Scanner = ReturnType<typeof createScanner>;

/** @param maxDepth how deep containers may be nested */
export function createScanner(definitions: Definitions, maxDepth: number) {
  const { stack, leaf, line, read } = createOpenBlocks(definitions, maxDepth);
  /** Whether containers are nested deeper than `maxDepth`. From there on no block begins. */
  const isTooDeep = (): boolean => stack.length > maxDepth;
  /** The kind of list that the current top-level block is. */
  let topList = "";
  return {
    /** Reads a whole line, without its end. Returns whether a top-level block begins with it. */
    read: (text: string): boolean => {
      const began = isTooDeep() ? undefined : read(text);
      if (began === undefined || (began && began === topList)) return false;
      topList = began;
      return true;
    },
    /** Whether the first part of a line shows for certain that a top-level block begins with it. */
    peek: (beginning: string): boolean => {
      line.start(beginning);
      const rest = line.rest();
      if (isTooDeep() || !rest || leaf.is(PARAGRAPH) || (topList && HALF_ITEM.test(rest))) return false;
      const [outer] = stack;
      if (!outer) return leaf.is(NONE) || (leaf.is(INDENTED) && line.indent() < 4);
      return outer.kind === ">" ? rest[0] !== ">" : line.indent() < outer.width;
    },
    isTooDeep,
  };
}

/** The blocks that are open: containers, and the leaf in the deepest one. */
function createOpenBlocks(definitions: Definitions, maxDepth: number) {
  const stack: Container[] = [];
  const leaf = createLeaf(definitions);
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
        const marker = markerOf(rest, definitions.footnotes, all && leaf.is(PARAGRAPH));
        if (marker) {
          open(NONE, marker);
          depth = stack.push(enter(line, marker));
          if (depth > maxDepth) line.start("");
          continue;
        }
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

  /** Ends what the line does not continue. @param kind of the leaf that is open instead */
  function end(kind: number): void {
    leaf.open(kind);
    stack.splice(depth);
  }

  /** Begins something where the line is now. @param marker that it begins with */
  function open(kind: number, marker = ""): void {
    end(kind);
    const parent = stack.at(-1);
    if (parent) parent.filled = true;
    else began = /[^>:]?$/.exec(marker)![0];
  }

  /** Reads a line. Returns the kind of list that the top-level block is which begins with it, if one does; empty: it is no list. */
  const read = (text: string): string | undefined => {
    line.start(text);
    began = undefined;
    depth = match(stack, line);
    readRest(depth === stack.length);
    return began;
  };
  return { stack, leaf, line, read };
}

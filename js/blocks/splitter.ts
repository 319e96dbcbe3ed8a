import { Definitions, copyOf } from "./definitions.js";
import type { Block } from "./index.js";
import { createScanner, type Scanner } from "./scanner.js";

/** So many characters of a line that has no end yet are looked at. */
const PEEK = 64;

/** Cuts one text, which only grows, into blocks. @param nextId names the next block */
export function createSplitter(footnotes: boolean, maxDepth: number, nextId: () => number) {
  const definitions = new Definitions(footnotes);
  const scanner = createScanner(definitions, maxDepth);
  const readLines = createLineReader(scanner, begin);
  let settled: Block[] = [];
  /** The id of the open block, once there is one. */
  let id: number | undefined;
  /** Where the open block begins. Blank lines before the first block are a part of it. */
  let start = 0;
  /** Where the last line is that a block begins with. */
  let begun = -1;

  /** A block begins with the line there. */
  function begin(text: string, line: number): void {
    if (begun === line) return;
    // Where nesting is too deep, no block begins: only the last one can be.
    if (begun >= 0) settle(text, line, false);
    begun = line;
  }

  function settle(text: string, end: number, tooDeep: boolean): void {
    const block = blockOf(copyOf(text.slice(start, end)), true, tooDeep);
    definitions.readFootnote(block.text);
    settled.push(block);
    start = end;
    id = undefined;
  }

  function blockOf(text: string, done: boolean, tooDeep: boolean): Block {
    id ??= nextId();
    return { id, text, settled: done, tooDeep };
  }

  return {
    definitions,
    /** @param text the text so far: as before, and more @param complete whether that is all */
    advance(text: string, complete: boolean): Block[] {
      readLines(complete ? `${text}\n\n` : text);
      const tooDeep = scanner.isTooDeep();
      if (complete && start < text.length) settle(text, text.length, tooDeep);
      return start < text.length ? [...settled, blockOf(text.slice(start), false, tooDeep)] : [...settled];
    },
    /** Continues these blocks in the place of those that `advance` has returned. */
    adopt(blocks: readonly Block[]): void {
      settled = blocks.filter((block) => block.settled);
      id = blocks[settled.length]?.id;
    },
  };
}

/** Makes the reader of a text that grows: it reads the new part, and calls `begin` with each place where a block begins. */
function createLineReader(scanner: Scanner, begin: (text: string, line: number) => void): (text: string) => void {
  /** Where the line begins that has no end yet. */
  let line = 0;
  /** Up to where line ends have been looked for. */
  let seen = 0;
  return (text) => {
    const lineEnd = /\r\n?|\n/g;
    lineEnd.lastIndex = seen;
    for (let found; (found = lineEnd.exec(text));) {
      // A line feed may follow.
      if (found[0] === "\r" && lineEnd.lastIndex === text.length) break;
      if (scanner.read(text.slice(line, found.index))) begin(text, line);
      line = seen = lineEnd.lastIndex;
    }
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    // A longer line that was peeked at in vain is not peeked at again.
    if (seen - line < PEEK && scanner.peek(text.slice(line, Math.min(end, line + PEEK)))) begin(text, line);
    seen = end;
  };
}

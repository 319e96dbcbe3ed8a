// Where the top-level blocks of a Markdown text begin, found line by line.
//
//   line ──► containers that continue (quotes, list items, footnotes) ──► the open leaf ──► what begins here ──► a new block?
//
// This is the block phase of CommonMark 0.31 with GFM's tables, without its output: only what tells whether a line begins a block
// of its own is kept. Inline content is not read, except for link reference definitions, which decide whether an underline makes a
// heading and are needed by other blocks.

import { FOOTNOTE, type Definitions } from "./definitions.js";

/** A block quote, a list item or a footnote that is open. */
interface Container {
  /** The last character of its marker: `>`, the bullet or delimiter of a list item, `:`. */
  readonly kind: string;
  /** Columns that a line needs to continue it. */
  readonly width: number;
  /** Whether something is in it. An item that begins with two blank lines is empty. */
  filled: boolean;
}

// The kinds of leaves that can be open in the deepest container. The last ones take a line whatever it looks like.
const NONE = 0;
const PARAGRAPH = 1;
const TABLE = 2;
const INDENTED = 3;
const FENCED = 4;
const RAW_HTML = 5;

const BLOCK_TAGS =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|" +
  "footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|" +
  "search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";
const ATTRIBUTE = `\\s+[a-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`;
const TAB = 9;
const SPACE = 32;
const BLANK = /^[ \t]*$/;

/** How an HTML block begins and ends. The last one may not interrupt a paragraph. */
const HTML: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCK_TAGS})(?:\\s|/?>|$)`, "i"), BLANK],
  [new RegExp(`^<(?:/[a-z][a-z\\d-]*\\s*|[a-z][a-z\\d-]*(?:${ATTRIBUTE})*\\s*/?)>\\s*$`, "i"), BLANK],
];

const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^(?:`+|~+)(?=[ \t]*$)/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const BREAK = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const ITEM = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/;
const HALF_ITEM = /^(?:[-+*]|\d{1,9}[.)]?)(?:[ \t]|$)/;
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** How many cells a table's row has. */
const cells = (row: string): number => row.replace(/\\./g, "").trim().replace(/^\||\|$/g, "").split("|").length;

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
  let leaf = NONE as number;
  /** The kind of list that the current top-level block is. */
  let topList = "";
  /** The lines of the open paragraph while it may hold definitions, and else its last one. */
  let lines: string[] = [];
  /** Ends the open HTML block. */
  let htmlEnd = BLANK;
  /** Began the open fence. */
  let openFence = "";

  // The line that is read: where in it, at which column, what is left of a tab there, and where text comes after how many columns.
  let line = "";
  let at = 0;
  let column = 0;
  let tab = 0;
  let next = 0;
  let indent = 0;
  /** How many containers the line is in. */
  let depth = 0;
  /** The kind of the top-level block that begins with the line, if one does. */
  let began: string | undefined;

  function read(text: string): boolean {
    if (tooDeep) return false;
    start(text);
    match();
    readRest(depth === stack.length);
    const kind = began;
    if (kind === undefined || (kind && kind === topList)) return false;
    topList = kind;
    return true;
  }

  function peek(beginning: string): boolean {
    start(beginning);
    if (tooDeep || blank()) return false;
    const [outer] = stack;
    const text = line.slice(next);
    if (leaf === PARAGRAPH || (topList && HALF_ITEM.test(text))) return false;
    if (!outer) return leaf === NONE || (leaf === INDENTED && indent < 4);
    return outer.kind === ">" ? text[0] !== ">" : indent < outer.width;
  }

  function start(text: string): void {
    line = text;
    at =
      column =
      tab =
      depth =
        0;
    began = undefined;
    measure();
  }

  /** Finds where text comes after white space, and how many columns that has. */
  function measure(): void {
    next = at;
    indent = tab;
    for (;; next += 1) {
      const code = line.charCodeAt(next);
      if (code === SPACE) indent += 1;
      else if (code === TAB) indent += 4 - ((column + indent) % 4);
      else return;
    }
  }

  function blank(): boolean {
    return next >= line.length;
  }

  /** Goes past columns of white space, which may end within a tab. */
  function skip(columns: number): void {
    const end = column + columns;
    while (column < end) {
      if (tab === 0) {
        tab = line.charCodeAt(at) === TAB ? 4 - (column % 4) : 1;
        at += 1;
      }
      const step = Math.min(tab, end - column);
      tab -= step;
      column += step;
    }
    measure();
  }

  /** Goes past a marker of so many characters. */
  function take(length: number): void {
    column += indent + length;
    at = next + length;
    tab = 0;
    measure();
  }

  /** Goes into the containers that the line continues. */
  function match(): void {
    for (const { kind, width, filled } of stack) {
      if (kind === ">") {
        if (indent > 3 || line[next] !== ">") return;
        take(1);
        skip(Math.min(indent, 1));
      } else if (blank()) {
        if (!filled) return;
      } else {
        if (indent < width) return;
        skip(width);
      }
      depth += 1;
    }
  }

  /** @param all whether the line continues all containers */
  function readRest(all: boolean): void {
    if (all && continues(line.slice(next))) return;
    while (!blank()) {
      const rest = line.slice(next);
      // Still open: the line continues it, if nothing else begins, even where it leaves out markers of containers.
      const paragraph = leaf === PARAGRAPH;
      if (indent > 3) {
        if (paragraph) break;
        open(INDENTED);
        return;
      }
      if (paragraph && all && UNDERLINE.test(rest) && takeDefinitions()) {
        leaf = NONE;
        return;
      }
      if (!enter(rest, paragraph && all)) {
        if (openLeaf(rest, paragraph)) return;
        break;
      }
    }
    if (blank()) close();
    else readText(all);
  }

  /** Whether the line is within the open leaf, whatever it looks like. */
  function continues(rest: string): boolean {
    if (leaf === INDENTED) return blank() || indent > 3;
    if (leaf < FENCED) return false;
    const ends = leaf === RAW_HTML ? htmlEnd.test(rest) : indent < 4 && FENCE_END.exec(rest)?.[0].startsWith(openFence);
    if (ends) leaf = NONE;
    return true;
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
    const before = indent + marker.length;
    take(marker.length);
    const most = quote ? 1 : footnote ? Infinity : 4;
    const after = indent > most || blank() ? 1 : indent;
    skip(after);
    depth = stack.push({ kind, width: footnote ? 4 : before + after, filled: !item });
    if (depth > maxDepth) {
      tooDeep = true;
      next = line.length;
    }
    return true;
  }

  /** Opens the leaf that begins here, if one other than a paragraph does. */
  function openLeaf(rest: string, paragraph: boolean): boolean {
    const fence = FENCE.exec(rest)?.[0];
    const html = HTML.findIndex(([begin], index) => begin.test(rest) && !(paragraph && index === 6));
    if (HEADING.test(rest) || BREAK.test(rest)) open(NONE);
    else if (fence) {
      open(FENCED);
      openFence = fence;
    } else if (html >= 0) {
      htmlEnd = HTML[html]![1];
      open(htmlEnd.test(rest) ? NONE : RAW_HTML);
    } else return false;
    return true;
  }

  /** The line is text: of the open paragraph or table, or of a new paragraph. */
  function readText(all: boolean): void {
    const rest = line.slice(next);
    if (leaf === TABLE && all) return;
    if (leaf !== PARAGRAPH) {
      open(PARAGRAPH);
      lines = [];
    } else if (all && DELIMITERS.test(rest) && cells(rest) === cells(lines.at(-1) ?? "")) leaf = TABLE;
    // Only what begins with a bracket may hold definitions.
    if (lines.length && lines[0]![0] !== "[") lines = [""];
    lines.push(rest);
  }

  /** Ends what the line does not continue. */
  function close(): void {
    if (leaf === PARAGRAPH) takeDefinitions();
    leaf = NONE;
    if (stack.length > depth) stack.length = depth;
  }

  /** Begins something where the line is now. @param list the kind of the list that it is an item of */
  function open(kind: number, list = ""): void {
    close();
    leaf = kind;
    const parent = stack.at(-1);
    if (parent) parent.filled = true;
    else began = list;
  }

  /** Notes the definitions that the open paragraph begins with. Returns whether something else is in it. */
  function takeDefinitions(): boolean {
    const text = lines.join("\n");
    const rest = text[0] === "[" ? definitions.read(text) : text;
    lines = rest ? [rest] : [];
    return rest !== "";
  }

  return { read, peek, isTooDeep: () => tooDeep };
}

// The leaf that is open in the deepest container: a paragraph, a table, code or HTML.

import type { Definitions } from "./definitions.js";

// The kinds of leaves that can be open in the deepest container. The last ones take a line whatever it looks like.
export const NONE = 0;
export const PARAGRAPH = 1;
export const TABLE = 2;
export const INDENTED = 3;
const FENCED = 4;
const RAW_HTML = 5;

const BLOCK_TAGS =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|" +
  "footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|" +
  "search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";
const ATTRIBUTE = `\\s+[a-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`;
export const BLANK = /^[ \t]*$/;

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
export const BREAK = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
// No two parts that follow each other take the same blanks: a line that does not fit is found out in one pass.
const DELIMITERS = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*(?:[ \t]*\|)?[ \t]*$/;

/** How many cells a table's row has. */
const cells = (row: string): number => row.replace(/\\./g, "").trim().replace(/^\||\|$/g, "").split("|").length;

/** The open leaf. There is none yet. */
export function createLeaf(definitions: Definitions) {
  let kind = NONE as number;
  // The lines of the open paragraph while it may hold definitions, and else its last one.
  let lines: string[] = [];
  // Ends the open HTML block.
  let htmlEnd = BLANK;
  // Began the open fence.
  let openFence = "";

  /** Notes the definitions that the open paragraph begins with. Returns what else is in it. */
  const takeDefinitions = (): string => {
    const text = lines.join("\n");
    const rest = text[0] === "[" ? definitions.read(text) : text;
    lines = rest ? [rest] : [];
    return rest;
  };

  return {
    is: (other: number): boolean => kind === other,
    /** Whether a line with this text is within the leaf, whatever it looks like. */
    holds: (rest: string, indent: number): boolean => {
      if (kind === INDENTED) return !rest || indent > 3;
      if (kind < FENCED) return false;
      const ends = kind === RAW_HTML ? htmlEnd.test(rest) : indent < 4 && FENCE_END.exec(rest)?.[0].startsWith(openFence);
      if (ends) kind = NONE;
      return true;
    },
    /** Whether this text makes the open paragraph a heading, which it ends. */
    underlined: (rest: string): boolean => {
      if (kind !== PARAGRAPH || !UNDERLINE.test(rest) || !takeDefinitions()) return false;
      kind = NONE;
      return true;
    },
    /** The kind of the leaf that begins with this text, if one other than a paragraph does; `NONE`: the line is all of it. */
    find: (rest: string, indent: number): number | undefined => {
      if (indent > 3) return kind === PARAGRAPH ? undefined : INDENTED;
      if (HEADING.test(rest) || BREAK.test(rest)) return NONE;
      const fence = FENCE.exec(rest);
      if (fence) {
        openFence = fence[0];
        return FENCED;
      }
      const html = HTML.find(([begin], index) => begin.test(rest) && !(kind === PARAGRAPH && index === 6));
      if (!html) return undefined;
      htmlEnd = html[1];
      return htmlEnd.test(rest) ? NONE : RAW_HTML;
    },
    /** Opens a leaf of this kind in place of the one before. */
    open: (next: number): void => {
      if (kind === PARAGRAPH) takeDefinitions();
      kind = next;
      if (kind === PARAGRAPH) lines = [];
    },
    /** Adds text to the open paragraph. `second`: it may make the paragraph a table. */
    add: (rest: string, second: boolean): void => {
      if (second && DELIMITERS.test(rest) && cells(rest) === cells(lines.at(-1) ?? "")) kind = TABLE;
      // Only what begins with a bracket may hold definitions.
      if (lines.length && lines[0]![0] !== "[") lines = [""];
      lines.push(rest);
    },
  };
}

// Link reference definitions: the only part of a Markdown text that changes how other blocks look.

/** `[label]: destination "title"`, over up to three lines or more, where the title has some. */
const LABEL = "\\[((?:[^\\\\[\\]]|\\\\.){1,999})\\]";
const SPACE = "[ \\t]*(?:\\n[ \\t]*)?";
const DESTINATION = "(?:<(?:[^<>\\n\\\\]|\\\\[^\\n])*>|([^\\0-\\x20\\x7f<][^\\0-\\x20\\x7f]*))";
const TITLE = `(?:"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\\((?:[^()\\\\]|\\\\.)*\\))`;
const END = "[ \\t]*(?:\\n|$)";
const DEFINITION = new RegExp(`^${LABEL}:${SPACE}${DESTINATION}(?:(?=[ \\t\\n])${SPACE}${TITLE}${END}|${END})`, "s");
const CODE = /^(?:[ \t]*[\r\n])*(?: {4}| {0,3}\t)/;
/** Where the text of a footnote begins, and its label. */
export const FOOTNOTE = /^ {0,3}\[(\^(?:[^\s[\]\\]|\\.)+)\]:/;
const USE = new RegExp(LABEL, "gs");

/** How labels are compared. */
const normal = (label: string): string => label.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();

/** Whether parentheses without a backslash come in pairs. */
function balanced(destination: string): boolean {
  let open = 0;
  for (const character of destination.replace(/\\./g, "")) {
    if (character === "(") open += 1;
    else if (character === ")" && --open < 0) return false;
  }
  return open === 0;
}

/** A copy that does not keep the string alive that it was cut from: engines make slices without copying. */
export const copyOf = (text: string): string => ` ${text}`.slice(1);

/** The link reference definitions of a string, and its footnotes. The first one of a label counts. */
export class Definitions {
  #sources = new Map<string, string>();

  /** @param footnotes whether there are footnotes */
  constructor(readonly footnotes: boolean) {}

  /** Notes the definitions that a paragraph begins with. Returns what comes after them. */
  read(paragraph: string): string {
    for (;;) {
      const [source, label, destination = ""] = DEFINITION.exec(paragraph) ?? [];
      if (!source || !balanced(destination) || !this.#note(label!, source)) return paragraph;
      paragraph = paragraph.slice(source.length);
    }
  }

  /** Notes a footnote, if the block is one. */
  readFootnote(block: string): void {
    const label = this.footnotes && FOOTNOTE.exec(block)?.[1];
    if (label) this.#note(label, block);
  }

  #note(label: string, source: string): boolean {
    const key = normal(label);
    if (key && !this.#sources.has(key)) this.#sources.set(key, copyOf(source.trimEnd()));
    return key !== "";
  }

  get count(): number {
    return this.#sources.size;
  }

  /** The link definitions that a string may refer to, as Markdown. */
  of(text: string): string {
    // A paragraph before indented code could not be told from a footnote that has it.
    if (!this.count || CODE.test(text)) return "";
    const found = new Set([text]);
    for (const source of found) {
      for (const [, label] of source.matchAll(USE)) found.add(this.#sources.get(normal(label!)) ?? text);
    }
    found.delete(text);
    return [...found].map((source) => `${source}\n\n`).join("");
  }
}

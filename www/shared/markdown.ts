/**
 * Markdown that is still being written. Blocks that are finished are parsed, sanitised and rendered once; only the last
 * block, which can still become something else, is done again. The cost of a token is that of its paragraph.
 */
import DOMPurify from "dompurify";
import { Marked } from "marked";

/** One top-level block. It keeps its identity while its HTML stays the same. */
export interface Block {
  readonly key: number;
  readonly html: string;
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    code({ text, lang }) {
      const language = escape(lang?.match(/^\S+/)?.[0] ?? "");
      return (
        `<figure class="code"><figcaption><span>${language}</span><button type="button" class="copy">Copy</button></figcaption>` +
        `<pre tabindex="0"><code>${escape(text)}</code></pre></figure>`
      );
    },
    // Loading an image tells its server that the text was read, so an answer can only link to one.
    image({ href, text }) {
      return `<a href="${escape(href)}">${escape(text || href)}</a>`;
    },
    table(token) {
      const row = (cells: typeof token.header, tag: string): string =>
        `<tr>${cells
          .map(({ tokens, align }) => `<${tag}${align ? ` align="${align}"` : ""}>${this.parser.parseInline(tokens)}</${tag}>`)
          .join("")}</tr>`;
      return (
        `<div class="table" tabindex="0"><table><thead>${row(token.header, "th")}</thead>` +
        `<tbody>${token.rows.map((cells) => row(cells, "td")).join("")}</tbody></table></div>`
      );
    },
  },
});

const allowed = {
  ALLOWED_TAGS: [
    ..."a b blockquote br button code del div em figcaption figure h1 h2 h3 h4 h5 h6 hr i input li ol p pre".split(" "),
    ..."s span strong sub sup table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["align", "checked", "class", "disabled", "href", "start", "tabindex", "title", "type"],
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (node.tagName === "INPUT") {
    node.setAttribute("type", "checkbox");
    node.setAttribute("disabled", "");
  }
});

const render = (markdown: string): string => DOMPurify.sanitize(marked.parse(markdown, { async: false }), allowed);

/** Closes what the author has opened and not closed yet, so that a half-written emphasis does not flicker. */
function mend(tail: string): string {
  if (/^ {0,3}(```|~~~)/.test(tail)) return tail;
  let text = tail.replace(/\[([^\][]*)\]\([^)\s]*$/, "$1").replace(/(^|\s)[*_~`]{1,3}$/, "$1");
  if ((text.match(/`/g)?.length ?? 0) % 2 === 1) text += "`";
  if ((text.match(/\*\*/g)?.length ?? 0) % 2 === 1) text += "**";
  return text;
}

/** Reads one message as it grows. */
export class MarkdownReader {
  #text = "";
  #finished = 0;
  #blocks: Block[] = [];

  /** The blocks of `text`; those that have not changed are the same objects as before. */
  read(text: string, growing: boolean): readonly Block[] {
    if (!text.startsWith(this.#text.slice(0, this.#finished))) {
      this.#finished = 0;
      this.#blocks = [];
    }
    this.#text = text;

    const settled = this.#blocks.filter((block) => block.key < this.#finished);
    const before = new Map(this.#blocks.map((block) => [block.key, block]));
    const keep = (key: number, html: string): Block => {
      const old = before.get(key);
      return old?.html === html ? old : { key, html };
    };

    const found = marked.lexer(text.slice(this.#finished)).filter(({ raw }) => raw !== "");
    const open = found.findLastIndex(({ type }) => type !== "space");
    const blocks = [...settled];
    let at = this.#finished;
    for (const [index, { type, raw }] of found.entries()) {
      if (type !== "space") {
        const last = index === open;
        blocks.push(keep(at, render(last && growing ? mend(raw) : raw)));
        if (last) break;
      }
      at += raw.length;
    }
    // A key is the place where its block starts. Everything before the last block is final: what comes can only
    // continue that one. (A reference link that is defined later stays as text; nobody streams those.)
    if (open > 0) this.#finished = at;
    this.#blocks = blocks;
    return blocks;
  }
}

/** Makes the copy buttons of all code blocks work. */
export function listenForCopies(root: Document): void {
  root.addEventListener("click", (event) => {
    const button = (event.target as Element).closest("button.copy");
    const code = button?.closest("figure")?.querySelector("code")?.textContent;
    if (button === null || code === undefined || code === null) return;
    navigator.clipboard.writeText(code).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Not allowed"),
    );
  });
}

/**
 * Markdown that is still being written. Blocks that are finished are parsed, sanitised and rendered once; only the end,
 * which can still become something else, is done again. The cost of a token is that of its paragraph.
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
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
};

/** The classes that the renderer gives; an answer must not dress as a part of the page. */
const classes = ["code", "copy", "table"];

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (!classes.includes(node.className)) node.removeAttribute("class");
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
  /** So far the blocks are final. */
  #final = 0;
  #blocks: (Block & { readonly source: string })[] = [];

  /** The blocks of `text`; those that have not changed are the same objects as before. */
  read(text: string, growing: boolean): readonly Block[] {
    if (!text.startsWith(this.#text.slice(0, this.#final))) {
      this.#final = 0;
      this.#blocks = [];
    }
    this.#text = text;

    const before = new Map(this.#blocks.map((block) => [block.key, block]));
    const blocks = this.#blocks.filter(({ key }) => key < this.#final);
    const found = marked.lexer(text.slice(this.#final)).filter(({ raw }) => raw !== "");
    const last = found.findLast(({ type }) => type !== "space");
    let at = this.#final; // a block's key is the place where it starts
    for (const token of found) {
      if (token.type !== "space") {
        const source = token === last && growing ? mend(token.raw) : token.raw;
        const old = before.get(at);
        blocks.push(old?.source === source ? old : { key: at, source, html: render(source) });
      }
      at += token.raw.length;
    }
    // What comes next can continue the last block, and turn it into a part of the one before: a lone "2" after a list
    // becomes its second item with the dot. Everything before those two is final. (But for links that are defined
    // further down: nobody streams those.)
    this.#final = Math.max(this.#final, blocks.at(-2)?.key ?? 0);
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

/**
 * Markdown that is still being written, block by block. A settled block is parsed, sanitized and highlighted once; only the open one is
 * done again, with what is half written in it closed.
 */
import type { Block } from "ag-ui-wasm/blocks";
import DOMPurify from "dompurify";
import hljs from "highlight.js/lib/common";
import { Marked } from "marked";
import remend from "remend";

const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Whether code is highlighted in what is rendered now. */
let highlights = false;

function highlighted(code: string, language: string): string {
  return highlights && hljs.getLanguage(language) ? hljs.highlight(code, { language, ignoreIllegals: true }).value : escape(code);
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    code({ text, lang }) {
      const language = lang?.match(/^\S+/)?.[0] ?? "";
      return (
        `<figure class="code"><figcaption><span>${escape(language)}</span><button type="button" class="copy">Copy</button></figcaption>` +
        `<pre tabindex="0"><code>${highlighted(text, language)}</code></pre></figure>`
      );
    },
    // Loading an image tells its server that the text was read, so an answer can only link to one.
    image({ href, text }) {
      return `<a href="${escape(href)}">${escape(text || href)}</a>`;
    },
    table(token) {
      const row = (cells: typeof token.header, tag: string): string =>
        `<tr>${
          cells
            .map(({ tokens, align }) => `<${tag}${align ? ` align="${align}"` : ""}>${this.parser.parseInline(tokens)}</${tag}>`)
            .join("")
        }</tr>`;
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
const classes = /^(?:code|copy|table|hljs-[\w-]+(?: [a-z]+_)*)$/;

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (!classes.test(node.className)) node.removeAttribute("class");
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

/** Longer code is shown as it is: highlighting takes its time. */
const HIGHLIGHT = 20_000;

/**
 * The HTML of a block, safe to insert.
 *
 * @param definitions what it refers to in other blocks
 */
export function renderBlock({ text, settled, tooDeep }: Block, definitions: string): string {
  if (tooDeep) return `<p>${escape(text)}</p>`;
  highlights = settled && text.length < HIGHLIGHT;
  return render(definitions + (settled ? text : remend(text, { linkMode: "text-only" })));
}

/** About how many lines the blocks take: their height until they are seen. */
export function linesOf(blocks: readonly Block[]): number {
  const lines = blocks.flatMap(({ text }) => text.split("\n"));
  return lines.reduce((sum, line) => sum + (line === "" ? 0 : 1 + Math.floor(line.length / 80)), 0);
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

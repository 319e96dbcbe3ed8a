/** The demo's Markdown: however a string is cut on its way, it comes out as if it had come whole. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { createBlocks } from "ag-ui-wasm/blocks";
import { build } from "esbuild";
import { JSDOM } from "jsdom";
import { atlas } from "../../www/server/scenarios/atlas.mjs";

const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const entry = fileURLToPath(new URL("../../www/shared/markdown.ts", import.meta.url));
const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
const { renderBlock } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

const html = (source, blocks) => blocks.map((block) => renderBlock(block, source.definitionsFor(block))).join("");
const whole = (text) => inPieces(text, text.length);
const open = (text) => renderBlock(createBlocks().update(text).at(-1), "").trim();

function inPieces(text, size) {
  const source = createBlocks();
  for (let end = size; end < text.length; end += size) renderBlock(source.update(text.slice(0, end)).at(-1), "");
  return html(source, source.update(text, { complete: true }));
}

const texts = {
  "lists that grow loose": "- a\n- b\n\n- c\n\n  of c\n\n1. x\n   - y\n\n2. z\n\n* one\n\n\n* two\n\nno list\n* three\n+ other\n\n1) a\n2) b\n\n   c",
  "headings and quotes": "Para\nwith lines\n===\n\nText\n---\n\n> q\n> r\nlazy\n\n> s\n\n# a\n## b\nc",
  "code and tables": "```js\ncode\n\n\nmore\n```\n\n    indented\n\n    more\n\nafter\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~~\nopen\n\nstill",
  "emphasis and links": "**bold** and *thin*, `code **x`, [a link](https://example.com/a_b) **open\n\n***\n\n_x_ ~~y~~",
};

for (const [name, text] of Object.entries({ ...texts, "a long answer": atlas })) {
  it(`Markdown in pieces: ${name}`, () => {
    for (const size of text.length > 1000 ? [37, 211] : [1, 2, 3, 7]) assert.equal(inPieces(text, size), whole(text), `in pieces of ${size}`);
  });
}

it("Markdown: half an emphasis does not show its marks", () => {
  assert.equal(open("so **bol"), "<p>so <strong>bol</strong></p>");
  assert.equal(open("see [the docs](https://exa"), "<p>see the docs</p>");
});

it("Markdown: code is highlighted once it is complete", () => {
  assert.doesNotMatch(open("```js\nconst a = 1;\n"), /hljs/);
  assert.match(whole("```js\nconst a = 1;\n```\n"), /<span class="hljs-keyword">const<\/span> a/);
  assert.match(whole("```nonsense\n<b>\n```\n"), /<code>&(lt|#60);b&(gt|#62);/);
});

it("Markdown: what is nested too deep is shown as it is", () => {
  assert.match(whole(`${">".repeat(1e5)} **a**`), /^<p>(&gt;|&#62;){100,}.*\*\*a\*\*<\/p>$/);
});

it("Markdown: nothing that runs, loads or looks like the page's own", () => {
  const hostile = "<img src=x onerror=alert(1)><script>alert(1)</script>[a](javascript:alert(1)) ![p](https://x.example/p.png)\n\n" +
    "<svg onload=alert(1)></svg><iframe src=//x.example></iframe><style>*{}</style><a href='java\nscript:alert(1)' onclick=alert(1)>q</a> <p style='position:fixed' id=input class=toast data-testid=send>";
  const text = whole(hostile);
  assert.doesNotMatch(text, /<(img|script|svg|iframe|style)|javascript:|\son\w+=|style=|id=|data-|class=/i);
  assert.match(text, /<a href="https:\/\/x\.example\/p\.png"[^>]*>p<\/a>/, "an image becomes a link");
});

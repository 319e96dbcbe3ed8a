// Helpers of the tests of blocks: Markdown by chance, and two renderers.

import { Marked } from "marked";
import MarkdownIt from "markdown-it";

const marked = new Marked({ gfm: true });
const markdownIt = new MarkdownIt({ html: true, linkify: true });

/** @type {Record<string, (text: string) => string>} */
export const renderers = { marked: (text) => marked.parse(text, { async: false }), "markdown-it": (text) => markdownIt.render(text) };

/** HTML without blank lines and white space beside tags, which renderers write between blocks in their own ways. */
export const compact = (html) => html.replace(/\s*\n\s*/g, "\n").replace(/\s*(<[^<>]*>)\s*/g, "$1").trim();

/** Numbers by chance, always the same ones for a seed: mulberry32. */
export function chance(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const words = ["alpha", "**beta**", "*gamma*", "`code`", "[known]", "[text][other]", "🙂", "delta\\*", "https://example.com", "x < y", "1. no", "a|b", "\tz"];

/** Lines of one block, and of what is in it. */
function block(random, depth) {
  const one = (list) => list[random(list.length)];
  const text = () => Array.from({ length: 1 + random(5) }, () => one(words)).join(" ").trimStart();
  const kinds = ["text", "text", "heading", "setext", "fence", "code", "break", "table", "html", "comment", "definition"];
  const kind = one(depth < 3 ? [...kinds, "quote", "quote", "list", "list", "list"] : kinds);
  switch (kind) {
    case "heading":
      return [`${"#".repeat(1 + random(6))} ${text()}`];
    case "setext":
      return [text(), one(["===", "---", "-"])];
    case "fence": {
      const fence = one(["```", "~~~", "````"]);
      return [fence + one(["", "js", " a b"]), ...one([["# no heading", "", "- no list"], [], ["", "~~", "``", "    x"], ["> no quote"]]), fence];
    }
    case "code":
      return ["    # code", ...one([[], ["", "    - more"], ["", "", "\tmore"]])];
    case "break":
      return [one(["***", "- - -", "___", "* * *"])];
    case "table":
      return ["| a | b |", "| --- | :-: |", ...Array.from({ length: random(3) }, () => `| ${one(words).replace("|", "\\|")} | 2 |`)];
    case "html":
      return ["<div>", text(), ...one([[], ["</div>"]])];
    case "comment":
      return ["<!-- one", "", "    two", "", "-->"];
    case "definition":
      return [`[${one(["known", "Other", "third"])}]: /${random(9)} ${one(["", '"title"'])}`];
    case "quote":
      return several(random, depth + 1).map((
        line,
        at,
      ) => (line === "" ? one([">", "> "]) : at > 0 && /^[a-z]/.test(line) && random(4) === 0 ? line : `> ${line}`));
    case "list": {
      const [bullet, number, loose, gap] = [one(["-", "*", "+"]), one([undefined, undefined, 1, 7]), random(2), " ".repeat(1 + random(3))];
      const delimiter = one([".", ")"]);
      return Array.from({ length: 1 + random(4) }, (_, at) => {
        const marker = (number === undefined ? bullet : `${number + at}${delimiter}`) + gap;
        const lines = several(random, depth + 1, 2).map((line, row) => (row === 0 ? marker + line : line && " ".repeat(marker.length) + line));
        return loose ? [...lines, ""] : lines;
      }).flat();
    }
    default:
      return Array.from({ length: 1 + random(3) }, text);
  }
}

function several(random, depth, most = 3) {
  return Array.from({ length: 1 + random(most) }, () => block(random, depth)).flatMap((lines, at) => (at > 0 ? ["", ...lines] : lines));
}

/** A document as authors and models write them: blocks in blocks, apart by blank lines, sometimes by several. */
export function documentOf(seed) {
  const random = chance(seed);
  const text = Array.from({ length: 2 + random(6) }, () => block(random, 0).join("\n")).join(random(4) ? "\n\n" : "\n\n\n") + (random(2) ? "\n" : "");
  return random(8) ? text : text.replaceAll("\n", random(2) ? "\r\n" : "\r");
}

const pieces = [
  ..."- |* |1. |2) |10. |> |>|    |  |   | |\t|```|~~~|# |###|---|***|===|- - -|a|b *c*|text|[a]: /u|[a]|[x][b]".split("|"),
  ..."<div>|</div>|<!--|-->|<pre>|</pre>|<b>|<a href='x'>|<?|?>|\\|🙂|`x`|**|[ ] |\"t\"".split("|"),
];
const ends = ["\n", "\n", "\n", "\n", "\n\n", "\n\n", "\n\n\n", "\n  \n"];

/** Marks thrown together. */
export function soupOf(seed) {
  const random = chance(seed);
  const line = () => Array.from({ length: 1 + random(4) }, () => pieces[random(pieces.length)]).join("") + ends[random(ends.length)];
  return Array.from({ length: 2 + random(8) }, line).join("");
}

import assert from "node:assert/strict";
import { it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { load } from "../lib.mjs";

const { createBlocks } = await load("blocks/index");
setFlagsFromString("--expose-gc");

const texts = (blocks) => blocks.map(({ text }) => text);

it("settles a block as soon as the next one has begun for certain", () => {
  const source = createBlocks();
  const open = (text) => source.update(text).map((block) => (block.settled ? block.text : `${block.text}…`));
  assert.deepEqual(open("One"), ["One…"]);
  assert.deepEqual(open("One\n\n"), ["One\n\n…"]);
  assert.deepEqual(open("One\n\nT"), ["One\n\n", "T…"]);
  assert.deepEqual(open("One\n\nTwo\n---\n\n- a\n\n"), ["One\n\n", "Two\n---\n\n", "- a\n\n…"]);
  assert.deepEqual(open("One\n\nTwo\n---\n\n- a\n\n*"), ["One\n\n", "Two\n---\n\n", "- a\n\n*…"], "the star may become a list of its own, or emphasis");
  assert.deepEqual(open("One\n\nTwo\n---\n\n- a\n\n**b"), ["One\n\n", "Two\n---\n\n", "- a\n\n", "**b…"]);
});

it("a settled block and its id stay; the open one keeps its id when it settles", () => {
  const source = createBlocks();
  const [first, open] = source.update("One\n\nTw");
  const next = source.update("One\n\nTwo\n\nThree");
  assert.equal(next[0], first);
  assert.equal(next[1].id, open.id);
  assert.notEqual(next[1], open);
  assert.equal(new Set(next.map(({ id }) => id)).size, 3);
  assert.equal(source.update("One\n\nTwo\n\nThree"), next, "the same list for the same text");
});

it("a complete text settles its last block; one that goes on all the same opens it again", () => {
  const source = createBlocks();
  const [one, two] = source.update("One\n\n```\ncode", { complete: true });
  assert.deepEqual([one.settled, two.settled], [true, true]);
  const again = source.update("One\n\n```\ncode\n```\nEnd");
  assert.equal(again[0], one);
  assert.deepEqual(again.map(({ text, settled }) => [text, settled]), [["One\n\n", true], ["```\ncode\n```\n", true], ["End", false]]);
});

it("a text that is replaced keeps what is equal at its beginning and its end", () => {
  const source = createBlocks();
  const before = source.update("One\n\nTwo\n\nThree\n\nFour", { complete: true });
  const after = source.update("One\n\n# New\n\nNewer\n\nThree\n\nFour", { complete: true });
  assert.deepEqual(texts(after), ["One\n\n", "# New\n\n", "Newer\n\n", "Three\n\n", "Four"]);
  assert.deepEqual([after[0], after[3], after[4]], [before[0], before[2], before[3]]);
  assert.ok(after[0] === before[0] && after[3] === before[2] && after[4] === before[3]);
  assert.equal(after[1].id, before[1].id, "what has changed in its place keeps the id");
  assert.equal(new Set(after.map(({ id }) => id)).size, 5);
  const grown = source.update("One\n\n# New\n\nNewer\n\nThree\n\nFour\n\nFive");
  assert.ok(grown[0] === after[0] && grown[3] === after[3], "and goes on from there");
  assert.deepEqual(source.update(""), []);
});

it("definitions reach the blocks before and after them, and no other", () => {
  const source = createBlocks();
  const of = (text) => source.update(text).map((block) => source.definitionsFor(block));
  assert.deepEqual(of("See [The  Docs].\n\nNone.\n\n[the docs]: /a (t)\n"), ["", "", ""]);
  assert.deepEqual(of("See [The  Docs].\n\nNone.\n\n[the docs]: /a (t)\n\n[The Docs]: /second\n\n[x][the docs]"), [
    "[the docs]: /a (t)\n\n",
    "",
    "[the docs]: /a (t)\n\n",
    "[the docs]: /a (t)\n\n",
    "[the docs]: /a (t)\n\n",
  ]);
  assert.deepEqual(createBlocks().update("[a]: (/x\n").length, 1);
});

it("footnotes are blocks of their own where the renderer knows them, and reach their uses", () => {
  const text = "One[^1].\n\n[^1]: Note [a].\n\n    more\n\n[a]: /u\n\nEnd";
  const source = createBlocks({ footnotes: true });
  const blocks = source.update(text);
  assert.deepEqual(texts(blocks), ["One[^1].\n\n", "[^1]: Note [a].\n\n    more\n\n", "[a]: /u\n\n", "End"]);
  assert.equal(source.definitionsFor(blocks[0]), "[^1]: Note [a].\n\n    more\n\n[a]: /u\n\n");
  assert.equal(createBlocks().update(text).length, 5, "otherwise they are paragraphs, and code");
});

it("reads lone carriage returns, and a line end that is cut in two", () => {
  assert.deepEqual(texts(createBlocks().update("One\r\rTwo\r\r\n\rT")), ["One\r\r", "Two\r\r\n\r", "T"]);
  const source = createBlocks();
  for (const text of ["```\r", "```\r\n", "```\r\nx\r", "```\r\nx\r\n```", "```\r\nx\r\n```\r", "```\r\nx\r\n```\r\n"]) source.update(text);
  assert.deepEqual(texts(source.update("```\r\nx\r\n```\r\nEnd")), ["```\r\nx\r\n```\r\n", "End"]);
});

it("nesting deeper than the limit: the rest is one block, marked so", () => {
  const blocks = createBlocks().update(`Before\n\n${">".repeat(1e5)} a\n\nAfter\n\nEnd`, { complete: true });
  assert.deepEqual(blocks.map(({ tooDeep, settled }) => [tooDeep, settled]), [[false, true], [true, true]]);
  const shallow = createBlocks({ maxDepth: 2 });
  assert.deepEqual(texts(shallow.update("> > a\n\n> - > b\n\nEnd")), ["> > a\n\n", "> - > b\n\nEnd"]);
});

/** Counts the characters that expressions read at most, while something is done. */
function counted(run) {
  const { exec } = RegExp.prototype;
  let work = 0;
  RegExp.prototype.exec = function (text) {
    const from = this.global ? this.lastIndex : 0;
    const match = exec.call(this, text);
    // One that is bound to the beginning has read little more than what it has found.
    work += match && (this.global || this.source.startsWith("^")) ? match.index + match[0].length - from : text.length - from;
    return match;
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return work;
}

const prose =
  "# Title\n\nSome **bold** text with [links][a] in it.\n\n- one\n- two\n\n```js\nlet a;\n\nlet b;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[a]: /u\n\n";
const hostile = {
  prose: (n) => prose.repeat(n / prose.length),
  "one line": (n) => "x".repeat(n),
  spaces: (n) => " ".repeat(n),
  "line ends": (n) => "\n".repeat(n),
  "carriage returns": (n) => "a\r".repeat(n / 2),
  NULs: (n) => "\0".repeat(n),
  "quotes in quotes": (n) => ">".repeat(n),
  "lists in lists": (n) => "- ".repeat(n / 2),
  "lists in lists, line by line": (n) => Array.from({ length: Math.sqrt(n) }, (_, at) => `${"  ".repeat(at)}- a`).join("\n"),
  "an unclosed fence": (n) => "```\n" + "code\n".repeat(n / 5),
  "a long fence": (n) => "`".repeat(n) + "\ncode\n",
  "an unclosed comment": (n) => "<!--\n" + "text\n".repeat(n / 5),
  "unclosed tags": (n) => "<a ".repeat(n / 3),
  brackets: (n) => "[".repeat(n) + "]".repeat(n),
  definitions: (n) => "[a]: /u\n".repeat(n / 8),
  "unclosed definitions": (n) => '[a]: /u "\n'.repeat(n / 10),
  "a lazy quote": (n) => "> a\n" + "b\n".repeat(n / 2),
  "a table": (n) => "|a|\n|-|\n" + "|b|\n".repeat(n / 4),
  underlines: (n) => "[a]: /u\n" + "===\n".repeat(n / 4),
};

for (const [name, make] of Object.entries(hostile)) {
  it(`what is read grows with what comes: ${name}`, () => {
    const work = (n) => {
      const text = make(n);
      return counted(() => {
        const source = createBlocks();
        for (let end = 4; end < text.length; end += 4) source.update(text.slice(0, end));
        for (const block of source.update(text, { complete: true })) source.definitionsFor(block);
      });
    };
    const [small, large] = [work(8192), work(32768)];
    assert.ok(large <= 4.5 * small + 1000, `${small} for a quarter, ${large}`);
  });

  it(`a megabyte at once: ${name}`, () => {
    const text = make(1_000_000);
    const blocks = createBlocks().update(text);
    assert.equal(texts(blocks).join("").length, text.length);
  });
}

it("blocks do not keep the texts alive that they were cut from", () => {
  const collect = runInNewContext("gc");
  const text = prose.repeat(1500);
  const source = createBlocks();
  collect();
  const before = process.memoryUsage().heapUsed;
  let blocks;
  for (let end = 50; end < text.length; end += 50) blocks = source.update(Buffer.from(text.slice(0, end)).toString());
  collect();
  assert.ok(process.memoryUsage().heapUsed - before < 12 * text.length, "a few times the text");
  assert.ok(blocks.length > 1000);
});

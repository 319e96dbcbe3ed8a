// Blocks are right: cut at every character, the examples of CommonMark 0.31.2 and GFM and documents by chance come out, block by
// block, as when they are rendered whole, and what has settled stays.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import spec from "commonmark-spec";
import { compact, documentOf, renderers, soupOf } from "./blocks-lib.mjs";
import { load } from "../lib.mjs";

const { createBlocks } = await load("blocks/index");

const commonMark = spec.tests.map(({ markdown }) => markdown.replaceAll("→", "\t"));
const gfm = JSON.parse(readFileSync(new URL("../../fixtures/markdown/gfm.json", import.meta.url), "utf8"));

/** Appends a string piece by piece, and looks at the blocks each time. */
function grow(text, size = 1) {
  const source = createBlocks();
  let before = [];
  for (let end = size; end < text.length + size; end += size) {
    const grown = text.slice(0, end);
    const blocks = source.update(grown);
    assert.equal(blocks.map((block) => block.text).join(""), grown);
    assert.ok(blocks.slice(0, -1).every((block) => block.settled), "only the last block is open");
    before.forEach((block, at) => assert.ok(!block.settled || blocks[at] === block, `block ${at} has changed with ${JSON.stringify(grown)}`));
    before = blocks;
  }
  const blocks = source.update(text, { complete: true });
  before.forEach((block, at) => assert.ok(!block.settled || blocks[at] === block, `block ${at} has changed at the end`));
  assert.ok(blocks.every((block) => block.settled));
  return { source, blocks };
}

/** Examples of CommonMark that refer to definitions in other blocks: by themselves, their blocks show brackets. */
const DEFINED =
  "23 33 192 193 194 195 196 198 200 202 203 204 205 206 214 215 217 218 527 528 529 530 531 532 533 534 535 539 540 541 542 543 544 549 550 553 554 " +
  "555 556 557 558 559 560 561 562 564 565 566 568 569 570 571 573 576 577 582 583 584 585 586 587 588 589 591 593";

const inParts = (render, { source, blocks }, definitions = true) =>
  compact(blocks.map((block) => render((definitions ? source.definitionsFor(block) : "") + block.text)).join("\n"));

function prove(text, names = Object.keys(renderers)) {
  const grown = grow(text);
  const whole = createBlocks().update(text, { complete: true });
  assert.deepEqual(grown.blocks.map((block) => block.text), whole.map((block) => block.text), "the way that it came does not matter");
  for (const name of names) {
    assert.equal(inParts(renderers[name], grown), compact(renderers[name](text)), `${name}: ${JSON.stringify(text)}`);
  }
}

it("every example of CommonMark 0.31.2, with and without its last line end", () => {
  assert.ok(commonMark.length > 600);
  for (const text of commonMark) {
    prove(text);
    prove(text.replace(/\n$/, ""));
    prove(text.replaceAll("\n", "\r\n"));
  }
});

it("the examples of GFM's tables, task lists and strikethrough", () => {
  for (const text of gfm) prove(text);
});

it("1,000 documents by chance", () => {
  for (let seed = 1; seed <= 1000; seed += 1) prove(documentOf(seed));
});

it("2,000 texts of marks thrown together, which marked reads in ways of its own", () => {
  for (let seed = 1; seed <= 2000; seed += 1) prove(soupOf(seed), ["markdown-it"]);
});

it("where only definitions of other blocks make the difference", () => {
  const differ = commonMark.flatMap((text, at) => {
    const grown = grow(text);
    return inParts(renderers["markdown-it"], grown, false) === compact(renderers["markdown-it"](text)) ? [] : [at + 1];
  });
  assert.equal(differ.join(" "), DEFINED);
});

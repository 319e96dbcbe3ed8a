import { createSplitter } from "./splitter.js";

/** A part of a Markdown text that renders by itself: one top-level block. Immutable. */
export interface Block {
  /** Names the block among those of its text; a key for lists. */
  readonly id: number;
  /** The Markdown, with the line ends and blank lines after it. The texts of all blocks, joined, are the text. */
  readonly text: string;
  /** Whether the block is final: whatever is appended to the text, this object stays. */
  readonly settled: boolean;
  /**
   * Whether containers are nested deeper here than `maxDepth`. Show such a block as plain text: Markdown parsers may be slow with
   * it, or overflow the stack.
   */
  readonly tooDeep: boolean;
}

/** The options of {@link createBlocks}. */
export interface BlocksOptions {
  /** Whether the renderer knows footnotes, `[^1]: text`. Default: `false`. */
  readonly footnotes?: boolean | undefined;
  /** How deep quotes, list items and footnotes may be nested. The text after the first deeper one is one block. Default: 100. */
  readonly maxDepth?: number | undefined;
}

/** The options of {@link Blocks.update}. */
export interface UpdateOptions {
  /** Whether the text is complete, so that its last block is settled as well. Default: `false`. */
  readonly complete?: boolean | undefined;
}

/** The blocks of one text, as it grows. */
export interface Blocks {
  /**
   * Takes the whole text as it is now and returns its blocks, of which at most the last is not settled. The list is the same array
   * as before if nothing has changed. A string that does not continue the last one is read anew; blocks that are equal at its
   * beginning and its end stay the same objects. Never throws.
   *
   * The time is that of comparing the texts and of reading what was added.
   */
  update(text: string, options?: UpdateOptions): readonly Block[];
  /**
   * The link reference definitions elsewhere in the text that the block may refer to, as Markdown: `""` or paragraphs to render before
   * the block's text. It is another string once a definition comes that concerns the block. With `footnotes`, also their definitions.
   */
  definitionsFor(block: Block): string;
  /** How many definitions have been found. While it is the same, so is what `definitionsFor` returns for a block. */
  readonly definitionCount: number;
}

/**
 * Splits Markdown that is still being written into blocks that are final once and for all, for any renderer: CommonMark 0.31 with
 * the tables of GFM. It renders nothing. Loads no WebAssembly.
 *
 * @example
 * const blocks = createBlocks();
 * agent.subscribe(() => {
 *   const { content, delivery } = agent.getSnapshot().messages.at(-1);
 *   for (const block of blocks.update(content, { complete: delivery !== "streaming" })) show(block);
 * });
 */
export function createBlocks({ footnotes = false, maxDepth = 100 }: BlocksOptions = {}): Blocks {
  let ids = 0;
  const begin = () => createSplitter(footnotes, maxDepth, () => ids++);
  let splitter = begin();
  let text = "";
  let complete = false;
  let blocks: readonly Block[] = [];
  return {
    update(next, { complete: completes = false } = {}) {
      if (next === text && completes === complete) return blocks;
      // Engines compare whole strings faster than they look for one.
      const goesOn = !complete && next.slice(0, text.length) === text;
      if (!goesOn) splitter = begin();
      const found = splitter.advance(next, completes);
      if (!goesOn) {
        keepEqual(blocks, found);
        splitter.adopt(found);
      }
      text = next;
      complete = completes;
      blocks = found;
      return blocks;
    },
    definitionsFor: ({ text: source }) => splitter.definitions.of(source),
    get definitionCount() {
      return splitter.definitions.count;
    },
  };
}

/** Puts blocks of before in the place of those that are equal, at the beginning and the end; gives their ids to what has changed between. */
function keepEqual(before: readonly Block[], blocks: Block[]): void {
  const equal = (a: Block, b: Block): boolean => a.text === b.text && a.settled === b.settled;
  let oldEnd = before.length;
  let end = blocks.length;
  let first = 0;
  for (; first < oldEnd && first < end && equal(before[first]!, blocks[first]!); first += 1) blocks[first] = before[first]!;
  while (oldEnd > first && end > first && equal(before[oldEnd - 1]!, blocks[end - 1]!)) blocks[--end] = before[--oldEnd]!;
  for (; first < oldEnd && first < end; first += 1) blocks[first] = { ...blocks[first]!, id: before[first]!.id };
}

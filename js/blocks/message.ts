import { createBlocks, type Block, type BlocksOptions } from "./index.js";

/** The argument of `useBlocks`: a message of a snapshot, or a string. */
export type Streamed = string | { readonly content?: unknown; readonly delivery?: string | undefined };

/** A block, and what it needs of others. The same object until one of its fields changes. */
export interface MessageBlock extends Block {
  /**
   * The definitions elsewhere in the message that the block may refer to, as Markdown: `""` or paragraphs to render before `text`.
   * The only field of a settled block that changes: a definition may come after its use.
   */
  readonly definitions: string;
}

/** The blocks of one message as it grows, for the bindings. Returns the same array for the same message. */
export function createMessageBlocks(options?: BlocksOptions): (message: Streamed) => readonly MessageBlock[] {
  const source = createBlocks(options);
  let blocks: readonly Block[] = [];
  let count = 0;
  let shown: readonly MessageBlock[] = [];
  const known = new WeakMap<Block, MessageBlock>();
  return (message) => {
    const [text, complete] = markdownOf(message);
    const next = source.update(text, { complete });
    if (next === blocks) return shown;
    const defined = source.definitionCount !== count;
    shown = next.map((block, at) => {
      const old = blocks[at] === block ? shown[at] : known.get(block);
      // A block without a bracket refers to nothing.
      if (old && !(defined && block.text.includes("["))) return old;
      const definitions = source.definitionsFor(block);
      if (old?.definitions === definitions) return old;
      const made = { ...block, definitions };
      known.set(block, made);
      return made;
    });
    blocks = next;
    count = source.definitionCount;
    return shown;
  };
}

/** Blocks that follow each other, to be laid out together. The same object until one of them changes. */
export interface BlockGroup {
  readonly id: number;
  readonly blocks: readonly MessageBlock[];
}

/** Blocks in groups of `size`. Returns the same array for the same blocks. */
export function createGroups(size = 32): (blocks: readonly MessageBlock[]) => readonly BlockGroup[] {
  let groups: readonly BlockGroup[] = [];
  let grouped: readonly MessageBlock[] = [];
  return (blocks) => {
    if (blocks === grouped) return groups;
    grouped = blocks;
    groups = Array.from({ length: Math.ceil(blocks.length / size) }, (_, id) => {
      const part = blocks.slice(id * size, (id + 1) * size);
      const old = groups[id];
      return old?.blocks.length === part.length && part.every((block, at) => block === old.blocks[at]) ? old : { id, blocks: part };
    });
    return groups;
  };
}

/** The Markdown of a message, and whether that is all. Parts that are no text are left out. */
function markdownOf(message: Streamed): [text: string, complete: boolean] {
  if (typeof message === "string") return [message, false];
  const { content, delivery } = message;
  const parts = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.flatMap((part: { readonly text?: unknown }) => (typeof part.text === "string" ? part.text : []));
  return [texts.join("\n\n"), delivery !== "streaming"];
}

import { createBlocks, type Block, type BlocksOptions } from "./index.js";

/** What `useBlocks` takes: a message of a snapshot, or a string. */
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
  return (message) => {
    const [text, complete] = markdownOf(message);
    const next = source.update(text, { complete });
    if (next === blocks) return shown;
    const before = new Map(blocks.map((block, at) => [block, shown[at]!]));
    const defined = source.definitionCount !== count;
    shown = next.map((block) => {
      const old = before.get(block);
      // A block without a bracket refers to nothing.
      if (old && !(defined && block.text.includes("["))) return old;
      const definitions = source.definitionsFor(block);
      return old?.definitions === definitions ? old : { ...block, definitions };
    });
    blocks = next;
    count = source.definitionCount;
    return shown;
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

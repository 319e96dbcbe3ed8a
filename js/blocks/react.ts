"use client";

import { useState } from "react";
import type { BlocksOptions } from "./index.js";
import { createMessageBlocks, type MessageBlock, type Streamed } from "./message.js";

export type { MessageBlock, Streamed } from "./message.js";

/**
 * The blocks of a message's Markdown as it grows. A settled block is the same object in every render, so a component in `memo`
 * renders again only for the open one, and where a definition comes after its use. The message is complete when its `delivery` is
 * no longer `"streaming"`; a string never is. The options count when the component mounts.
 *
 * @example
 * const MarkdownBlock = memo(({ block }) => <Markdown>{block.definitions + block.text}</Markdown>);
 *
 * function Answer({ message }) {
 *   return useBlocks(message).map((block) => <MarkdownBlock key={block.id} block={block} />);
 * }
 */
export function useBlocks(message: Streamed, options?: BlocksOptions): readonly MessageBlock[] {
  const [read] = useState(() => createMessageBlocks(options));
  return read(message);
}

"use client";

import { useState } from "react";
import type { BlocksOptions } from "./index.js";
import { createGroups, createMessageBlocks, type BlockGroup, type MessageBlock, type Streamed } from "./message.js";

export type { BlockGroup, MessageBlock, Streamed } from "./message.js";

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

/**
 * The blocks of a long message in groups of `size` (default: 32). A component in `memo` for each group, with
 * `content-visibility: auto`, costs React and the browser less per frame than thousands of blocks side by side.
 *
 * @example
 * const Group = memo(({ group }) => <div className="group">{group.blocks.map((block) => <MarkdownBlock key={block.id} block={block} />)}</div>);
 *
 * function Answer({ message }) {
 *   return useBlockGroups(message).map((group) => <Group key={group.id} group={group} />);
 * }
 */
export function useBlockGroups(message: Streamed, options?: BlocksOptions & { readonly size?: number }): readonly BlockGroup[] {
  const blocks = useBlocks(message, options);
  const [group] = useState(() => createGroups(options?.size));
  return group(blocks);
}

import type { BlocksOptions } from "./index.js";
import { createGroups, createMessageBlocks, type BlockGroup, type MessageBlock, type Streamed } from "./message.js";

export type { BlockGroup, MessageBlock, Streamed } from "./message.js";

/**
 * The blocks of a message's Markdown as it grows: `blocks.current` is reactive where it is read. A settled block stays the same
 * object, so a keyed `{#each}` updates only the open one, and where a definition comes after its use. The message is complete when
 * its `delivery` is no longer `"streaming"`; a string never is.
 *
 * @example
 * <script>
 *   import { useBlocks } from "ag-ui-wasm/blocks/svelte";
 *   const { message } = $props();
 *   const blocks = useBlocks(() => message);
 * </script>
 * {#each blocks.current as block (block.id)}<Markdown text={block.definitions + block.text} />{/each}
 */
export function useBlocks(message: () => Streamed, options?: BlocksOptions): { readonly current: readonly MessageBlock[] } {
  const read = createMessageBlocks(options);
  return {
    get current() {
      return read(message());
    },
  };
}

/**
 * The blocks of a long message in groups of `size` (default: 32): `groups.current` is reactive where it is read. With
 * `content-visibility: auto` a group costs the browser less per frame than its blocks side by side.
 *
 * @example
 * {#each groups.current as group (group.id)}
 *   <div class="group">{#each group.blocks as block (block.id)}<Markdown text={block.definitions + block.text} />{/each}</div>
 * {/each}
 */
export function useBlockGroups(message: () => Streamed, options?: BlocksOptions & { readonly size?: number }): { readonly current: readonly BlockGroup[] } {
  const blocks = useBlocks(message, options);
  const group = createGroups(options?.size);
  return {
    get current() {
      return group(blocks.current);
    },
  };
}

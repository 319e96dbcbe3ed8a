import { onScopeDispose, shallowRef, type ShallowRef } from "vue";
import { createAttachments, type Attachments, type AttachmentsOptions } from "./attachments.js";
import { createFileHandlers } from "./handlers.js";

export type { Attachment } from "../api/attachments.js";
export type { Attachments, AttachmentsOptions } from "./attachments.js";

/** The result of `useAttachments`: the files as a ref, the bound methods, and attributes for `v-bind`. */
export interface UseAttachments extends Omit<Attachments, "dispose" | "items"> {
  readonly items: Readonly<ShallowRef<Attachments["items"]>>;
  /** Files hover over the element with `dropProps`. */
  readonly dragging: Readonly<ShallowRef<boolean>>;
  /** For an `<input>`, which may be hidden. */
  readonly inputProps: { readonly type: "file"; readonly multiple: true; readonly accept?: string; onChange(event: Event): void };
  /** For the element that takes what is dropped. */
  readonly dropProps: { readonly [Handler in "onDragenter" | "onDragover" | "onDragleave" | "onDrop"]: (event: DragEvent) => void };
  /** For the field, as `@paste`: takes files, and leaves text to the browser. */
  onPaste(event: ClipboardEvent): void;
}

/**
 * The files of a composer. Files that were made elsewhere with {@link createAttachments} may be given in place of options. What it
 * has made goes with the scope.
 *
 * @example
 * <script setup>
 * const files = useAttachments({ accept: "image/*" });
 * const { items, dropProps, inputProps, onPaste } = files;
 * const text = ref("");
 * </script>
 *
 * <template>
 *   <form v-bind="dropProps" @submit.prevent="submit({ message: text, parts: files })">
 *     <span v-for="{ id, name, status } in items" :key="id">{{ name }} {{ status }}</span>
 *     <input v-model="text" @paste="onPaste" />
 *     <input v-bind="inputProps" />
 *   </form>
 * </template>
 */
export function useAttachments(options: AttachmentsOptions | Attachments = {}): UseAttachments {
  const isOwner = !("subscribe" in options);
  const attachments = isOwner ? createAttachments(options) : options;
  const { accept } = attachments;
  const items = shallowRef(attachments.items);
  const dragging = shallowRef(false);
  const off = attachments.subscribe(() => (items.value = attachments.items));
  onScopeDispose(() => {
    off();
    if (isOwner) attachments.dispose();
  });
  const { change, paste, dragenter, dragover, dragleave, drop } = createFileHandlers(attachments, (now) => (dragging.value = now));
  const { dispose: _, ...methods } = attachments;
  return {
    ...methods,
    items,
    dragging,
    inputProps: { type: "file", multiple: true, ...(accept && { accept }), onChange: change },
    dropProps: { onDragenter: dragenter, onDragover: dragover, onDragleave: dragleave, onDrop: drop },
    onPaste: paste,
  };
}

import { onDestroy } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { createAttachments, type Attachments, type AttachmentsOptions } from "./attachments.js";
import { createFileHandlers } from "./handlers.js";

export type { Attachment } from "../api/attachments.js";
export type { Attachments, AttachmentsOptions } from "./attachments.js";

/** The result of `useAttachments`: the files, reactive where they are read, the bound methods, and the attributes of elements. */
export interface UseAttachments extends Omit<Attachments, "dispose"> {
  /** Files hover over the element with `dropProps`. */
  readonly dragging: boolean;
  /** For an `<input>`, which may be hidden. */
  readonly inputProps: { readonly type: "file"; readonly multiple: true; readonly accept?: string; onchange(event: Event): void };
  /** For the element that takes what is dropped. */
  readonly dropProps: { readonly [Handler in "ondragenter" | "ondragover" | "ondragleave" | "ondrop"]: (event: DragEvent) => void };
  /** For the field, as `onpaste`: takes files, and leaves text to the browser. */
  onPaste(event: ClipboardEvent): void;
}

/**
 * The files of a composer; don't destructure them. Files that were made elsewhere with {@link createAttachments} may be given in
 * place of options. Attachments that it has made end with the component.
 *
 * @example
 * <script>
 *   const files = useAttachments({ accept: "image/*" });
 *   let text = $state("");
 * </script>
 * <form {...files.dropProps} onsubmit={() => chat.submit({ message: text, parts: files })}>
 *   {#each files.items as { id, name, status } (id)}<span>{name} {status}</span>{/each}
 *   <input bind:value={text} onpaste={files.onPaste} />
 *   <input {...files.inputProps} />
 * </form>
 */
export function useAttachments(options: AttachmentsOptions | Attachments = {}): UseAttachments {
  const isOwner = !("subscribe" in options);
  const attachments = isOwner ? createAttachments(options) : options;
  const { accept } = attachments;
  let dragging = false;
  let update: (() => void) | undefined;
  const track = createSubscriber((changed) => {
    const off = attachments.subscribe(changed);
    update = changed;
    return () => {
      off();
      update = undefined;
    };
  });
  const { change, paste, dragenter, dragover, dragleave, drop } = createFileHandlers(attachments, (now) => {
    dragging = now;
    update?.();
  });
  if (isOwner) onDestroy(attachments.dispose);
  const { dispose: _, ...methods } = attachments;
  return {
    ...methods,
    get items() {
      track();
      return attachments.items;
    },
    get dragging() {
      track();
      return dragging;
    },
    inputProps: { type: "file", multiple: true, ...(accept && { accept }), onchange: change },
    dropProps: { ondragenter: dragenter, ondragover: dragover, ondragleave: dragleave, ondrop: drop },
    onPaste: paste,
  };
}

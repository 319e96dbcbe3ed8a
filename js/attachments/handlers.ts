// Handlers that the bindings share: a picker, dropped and pasted files. A binding gives them its framework's names.

import type { Attachments } from "./attachments.js";

/** Takes files. */
type FileSink = Pick<Attachments, "add">;

/** Files that are dropped: a folder is none. */
function droppedFiles({ items, files }: DataTransfer): readonly File[] {
  const folders = [...items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry?.()?.isDirectory === true);
  return [...files].filter((_, at) => !folders[at]);
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => [...(dataTransfer?.types ?? [])].includes("Files");

/** The handlers that a browser calls; `onDragging` is called when files begin and cease to hover. */
export function createFileHandlers({ add }: FileSink, onDragging: (dragging: boolean) => void) {
  // Each element within enters and leaves by itself.
  let depth = 0;
  const enter = (by: number): void => {
    depth = Math.max(depth + by, 0);
    onDragging(depth > 0);
  };
  return {
    change: ({ target }: Event): void => {
      const input = target as HTMLInputElement;
      add(input.files);
      // The same file may be picked again.
      input.value = "";
    },
    paste: (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (!files.length) return;
      // The name of a picture is not pasted as text.
      event.preventDefault();
      add(files);
    },
    dragenter: (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      enter(1);
    },
    dragover: (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    },
    dragleave: (event: DragEvent): void => {
      if (hasFiles(event)) enter(-1);
    },
    drop: (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      enter(-depth);
      add(droppedFiles(event.dataTransfer!));
    },
  };
}

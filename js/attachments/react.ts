"use client";

import { useEffect, useMemo, useReducer, useRef, useState, type ChangeEvent, type ClipboardEvent, type DragEvent, type InputHTMLAttributes } from "react";
import { createAttachments, type Attachments, type AttachmentsOptions } from "./attachments.js";
import { createFileHandlers } from "./handlers.js";

export type { Attachment } from "../api/attachments.js";
export type { Attachments, AttachmentsOptions } from "./attachments.js";

/** The result of `useAttachments`: the files, the bound methods, and the props of elements. It is given to `submit` as `parts`. */
export interface UseAttachments extends Omit<Attachments, "dispose"> {
  /** Files hover over the element with `dropProps`. */
  readonly dragging: boolean;
  /** For an `<input>`, which may be hidden. */
  readonly inputProps: Pick<InputHTMLAttributes<HTMLInputElement>, "type" | "multiple" | "accept"> & { onChange(event: ChangeEvent<HTMLInputElement>): void };
  /** For the element that takes what is dropped. */
  readonly dropProps: { readonly [Handler in "onDragEnter" | "onDragOver" | "onDragLeave" | "onDrop"]: (event: DragEvent) => void };
  /** For the field: takes files, and leaves text to the browser. */
  onPaste(event: ClipboardEvent): void;
}

// A component that React only tries, or mounts twice, is mounted again in the same task or the next one.
const disposeMs = 1000;

/**
 * The files of a composer. The options count when the component mounts; files that were made elsewhere with
 * {@link createAttachments} may be given in their place. Attachments that it has made end with the component.
 *
 * @example
 * function Composer({ submit }) {
 *   const files = useAttachments({ accept: "image/*" });
 *   return (
 *     <form {...files.dropProps} action={(data) => submit({ message: data.get("text"), parts: files })}>
 *       {files.items.map(({ id, name, status }) => <span key={id}>{name} {status}</span>)}
 *       <input name="text" onPaste={files.onPaste} />
 *       <input {...files.inputProps} />
 *     </form>
 *   );
 * }
 */
export function useAttachments(options: AttachmentsOptions | Attachments = {}): UseAttachments {
  const isOwner = !("subscribe" in options);
  const [attachments] = useState(() => ("subscribe" in options ? options : createAttachments(options)));
  const [, render] = useReducer((count: number) => count + 1, 0);
  const [dragging, setDragging] = useState(false);
  const [handlers] = useState(() => createFileHandlers(attachments, setDragging));
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const items = attachments.items;
  useEffect(() => {
    clearTimeout(leaving.current);
    const off = attachments.subscribe(render);
    // Shows the changes that came before this listened.
    if (attachments.items !== items) render();
    return () => {
      off();
      if (isOwner) leaving.current = setTimeout(attachments.dispose, disposeMs);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- The items are compared once, when it begins to listen.
  }, [attachments, isOwner]);
  return useMemo(() => {
    const native = <Event>(handler: (event: Event) => void) => ({ nativeEvent }: { nativeEvent: unknown }) => handler(nativeEvent as Event);
    const { dispose: _, ...methods } = attachments;
    const { accept } = methods;
    return {
      ...methods,
      items,
      dragging,
      inputProps: { type: "file", multiple: true, ...(accept && { accept }), onChange: native(handlers.change) },
      dropProps: {
        onDragEnter: native(handlers.dragenter),
        onDragOver: native(handlers.dragover),
        onDragLeave: native(handlers.dragleave),
        onDrop: native(handlers.drop),
      },
      onPaste: native(handlers.paste),
    };
  }, [attachments, items, dragging, handlers]);
}

// A file with its item, the object that pages see.

import type { Attachment } from "../api/attachments.js";
import type { ContentPart } from "../api/types.js";
import { accepts, cleanName, cleanType, kindOf } from "./names.js";

/** An attachment with what belongs to it. */
export interface AttachmentEntry {
  item: Attachment;
  readonly file: Blob | undefined;
  part?: ContentPart | undefined;
  controller?: AbortController | undefined;
}

/** A list of entries that pages can see: of the composer, or of a submit. */
export interface Batch {
  entries: readonly AttachmentEntry[];
}

/** The entry of a file that is to be uploaded, or of one that is refused, which has an error and no file. */
export function toEntry(file: Blob, id: string, accept: string, maxBytes: number): AttachmentEntry {
  const name = cleanName((file as Partial<File>).name);
  const mimeType = cleanType(file.type);
  const { size } = file;
  const error = !accepts(accept, name, mimeType) ? "type" : size > maxBytes ? "too-large" : undefined;
  const item = { id, name, mimeType, size, kind: kindOf(mimeType), progress: 0 };
  if (error) return { item: { ...item, status: "error", error }, file: undefined };
  const previewUrl = item.kind === "document" || !URL.createObjectURL ? undefined : URL.createObjectURL(file);
  return { item: { ...item, status: "uploading", ...(previewUrl !== undefined && { previewUrl }) }, file };
}

/** Changes the item. An error that is not given is gone. */
export function change(entry: AttachmentEntry, next: Partial<Attachment>): void {
  const { error: _, message: __, ...rest } = entry.item;
  entry.item = { ...rest, ...next };
}

/** Gives back what is held for an entry that is removed. */
export function free(entry: AttachmentEntry): void {
  const { item, controller } = entry;
  entry.controller = undefined;
  controller?.abort(new Error("The file was removed"));
  if (item.previewUrl !== undefined) URL.revokeObjectURL(item.previewUrl);
}

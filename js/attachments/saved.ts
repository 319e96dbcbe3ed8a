// Attachments that were not sent, as JSON: for a page that is left in the middle of an upload.

import type { Attachment } from "../api/attachments.js";
import type { ContentPart, SubmitInput } from "../api/types.js";

/** A file as a save has it. */
export interface SavedAttachment extends Pick<Attachment, "id" | "name" | "mimeType" | "size" | "kind"> {
  /** The part that is sent; absent: it was not ready, and the file is gone with its page. */
  readonly part?: ContentPart;
}

/** The result of `attachments.save()`. */
export interface SavedAttachments {
  readonly v: 1;
  /** The files of submits that were held, then those of the composer. */
  readonly items: readonly SavedAttachment[];
  /** The text of the submits that were held. */
  readonly draft: string;
}

interface Kept {
  readonly item: Attachment;
  readonly part?: ContentPart | undefined;
}

/** A submit that is held, with its files. */
export interface HeldInput {
  readonly input: SubmitInput;
  readonly entries: readonly Kept[];
}

/** The text of a submit. */
function textOf({ message = "" }: SubmitInput): string {
  const content = typeof message === "string" ? message : message.content;
  return typeof content === "string" ? content : content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

export function toSaved(composer: readonly Kept[], held: readonly HeldInput[]): SavedAttachments {
  const all = [...held.flatMap(({ entries }) => entries), ...composer];
  const items = all.map(({ item: { id, name, mimeType, size, kind }, part }): SavedAttachment => ({ id, name, mimeType, size, kind, ...(part && { part }) }));
  return { v: 1, items, draft: held.map(({ input }) => textOf(input)).filter(Boolean).join("\n\n") };
}

/** Reads a save. A value that is none gives an empty list. */
export function readSaved(saved: SavedAttachments | undefined): { readonly entries: readonly (Kept & { readonly file: undefined })[]; readonly draft: string } {
  if (saved?.v !== 1 || !Array.isArray(saved.items)) return { entries: [], draft: "" };
  const entries = (saved.items as readonly SavedAttachment[])
    .filter((item) => typeof item?.id === "string" && typeof item.name === "string")
    .map(({ part, ...item }) => ({
      item: { ...item, ...(part ? ({ status: "ready", progress: 1 } as const) : ({ status: "error", progress: 0, error: "lost" } as const)) },
      part,
      file: undefined,
    }));
  return { entries, draft: typeof saved.draft === "string" ? saved.draft : "" };
}

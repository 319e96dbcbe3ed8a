// Attachments of assistant-ui's composer, uploaded by `createAttachments`.

import type { Attachment } from "../api/attachments.js";
import type { ContentPart } from "../api/types.js";
import { unfit } from "../turns/checks.js";
import { fileOf } from "../turns/media.js";
import { toFilePart } from "./messages.js";

/** As much of what `createAttachments` returns as is used. */
export interface AttachmentFiles {
  readonly items: readonly Attachment[];
  add(files: Iterable<Blob>): readonly Attachment[];
  remove(id: string): void;
  parts(): readonly ContentPart[];
  subscribe(listener: () => void): () => void;
}

const shownOf = ({ id, kind, name, mimeType, status, progress, message, error }: Attachment) => ({
  id,
  type: kind === "image" ? "image" : "document",
  name,
  contentType: mimeType,
  status: status === "uploading"
    ? { type: "running", reason: "uploading", progress }
    : status === "ready"
    ? { type: "requires-action", reason: "composer-send" }
    : { type: "incomplete", reason: "error", message: message ?? error },
});

/**
 * The attachments of a composer, as assistant-ui's adapter for `adapters.attachments`: uploads with progress, limits and types are those of
 * `createAttachments`. A message that is sent waits until its files are ready; it is not sent when an upload has failed.
 *
 * @example
 * const adapters = { attachments: toAttachmentAdapter(createAttachments({ accept: "image/*" }), { accept: "image/*" }) };
 */
export function toAttachmentAdapter(files: AttachmentFiles, { accept = "*" }: { readonly accept?: string } = {}) {
  const itemOf = (id: string): Attachment | undefined => files.items.find((item) => item.id === id);
  /** Resolves once the item is another: at once, where it has changed since it was looked at. */
  const changed = (item: Attachment): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (itemOf(item.id) === item) return;
        off();
        resolve();
      };
      const off = files.subscribe(look);
      look();
    });
  return {
    accept,
    async *add({ file }: { readonly file: File }): AsyncGenerator<object, void> {
      const id = files.add([file])[0]?.id;
      for (let item = id && itemOf(id); item; item = itemOf(item.id)) {
        yield { ...shownOf(item), file };
        if (item.status !== "uploading") return;
        await changed(item);
      }
    },
    remove: async ({ id }: { readonly id: string }): Promise<void> => files.remove(id),
    send: async ({ id }: { readonly id: string }): Promise<object> => {
      let item = itemOf(id);
      for (; item?.status === "uploading"; item = itemOf(id)) await changed(item);
      if (item?.status !== "ready") throw unfit(`The file ${item?.name ?? id} cannot be sent: ${item?.message ?? item?.error ?? "it was removed"}`);
      const at = files.items.filter(({ status }) => status === "ready").indexOf(item);
      const file = fileOf(files.parts()[at]!);
      files.remove(id);
      return { ...shownOf(item), status: { type: "complete" }, content: file ? [toFilePart(file)] : [] };
    },
  };
}

// The files of a composer: uploads with a bound on how many run at once, and the submits that wait for them.

import type { Attachment, SubmitHolder } from "../api/attachments.js";
import type { ContentPart } from "../api/types.js";
import { createListeners } from "../base/listeners.js";
import { change, toEntry, type AttachmentEntry, type Batch } from "./entry.js";
import { HeldSubmits } from "./held.js";
import { readSaved, toSaved, type SavedAttachments } from "./saved.js";
import { readInline, type Upload } from "./upload.js";
import { createUploads } from "./uploads.js";

/** The options of `createAttachments`. */
export interface AttachmentsOptions {
  /** Default: the file goes into the message itself, as base64. */
  readonly upload?: Upload | undefined;
  /** As the attribute `accept` of an input: `"image/*,.pdf"`. Others get the error `type`. Default: every file. */
  readonly accept?: string | undefined;
  /** Larger files get the error `too-large`. Default: 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** Uploads at the same time; the others wait. Default: 3. */
  readonly maxConcurrent?: number | undefined;
  /** An upload that reports no progress for so long has failed, in milliseconds. Default: 60,000; `Infinity`: never. */
  readonly stallMs?: number | undefined;
  /** A save that `save()` returned at another time. */
  readonly restore?: SavedAttachments | undefined;
}

/** The files of a composer. The methods are bound. */
export interface Attachments extends SubmitHolder {
  /** The option. */
  readonly accept: string;
  /** The attachments of the next submit. Immutable. */
  readonly items: readonly Attachment[];
  /** The text of submits that were held when `restore` was saved. */
  readonly draft: string;
  /** Adds files, and begins to upload them. Returns their items. */
  add(files: Iterable<Blob> | null | undefined): readonly Attachment[];
  /** Removes a file, also of a submit that is held; an upload is aborted. */
  remove(id: string): void;
  /** Uploads a file again whose upload has failed. */
  retry(id: string): void;
  /** Removes all files of the composer. */
  clear(): void;
  /** The content parts of the files that are ready, in order. */
  parts(): readonly ContentPart[];
  /** Calls the listener after every change. Returns what ends that. */
  subscribe(listener: () => void): () => void;
  /** Returns the attachments that were not sent, as JSON: the files that are ready, with their parts, and the names of the others. */
  save(): SavedAttachments;
  /** Aborts all uploads, takes back all submits that are held, and revokes all object URLs. */
  dispose(): void;
}

/**
 * The files of a composer. Give it to `submit` as the parts: the submit is held until all of them are ready, and shown in the
 * snapshot's `queue` until then. A file whose upload has failed holds it until it is removed or ready.
 *
 * @example
 * const files = createAttachments({
 *   accept: "image/*",
 *   upload: async (file, { signal }) => (await fetch("/files", { method: "POST", body: file, signal })).json(),
 * });
 * files.add(input.files);
 * await agent.submit({ message: "What is this?", parts: files });
 */
export function createAttachments(options: AttachmentsOptions = {}): Attachments {
  const { upload = readInline, accept = "", maxBytes = 10 * 2 ** 20, maxConcurrent = 3, stallMs = 60_000 } = options;
  const restored = readSaved(options.restore);
  const composer: Batch = { entries: restored.entries };
  const listeners = createListeners();
  let toEntries = createEntries(accept, maxBytes);
  let items: readonly Attachment[] | undefined;

  const changed = (): void => {
    items = undefined;
    held.changed();
    listeners.notify();
  };
  const uploads = createUploads({ upload, maxConcurrent, stallMs, changed });
  const held = new HeldSubmits({ composer, changed, drop: uploads.drop });
  const find = (id: string) => findEntry([composer, ...held.list()], id) ?? [];
  const clear = (): void => {
    uploads.drop(composer.entries);
    composer.entries = [];
    changed();
  };

  return {
    accept,
    get items() {
      return (items ??= composer.entries.map(({ item }) => item));
    },
    draft: restored.draft,
    add: (files) => {
      const entries = toEntries(files ?? []);
      if (!entries.length) return [];
      composer.entries = [...composer.entries, ...entries];
      uploads.add(entries.filter(({ file }) => file));
      changed();
      return entries.map(({ item }) => item);
    },
    remove: (id) => {
      const [batch, entry] = find(id);
      if (!batch || !entry) return;
      batch.entries = batch.entries.filter((one) => one !== entry);
      uploads.drop([entry]);
      changed();
    },
    retry: (id) => {
      const [, entry] = find(id);
      if (!entry?.file || entry.item.error !== "upload") return;
      change(entry, { status: "uploading", progress: 0 });
      uploads.add([entry]);
      changed();
    },
    clear,
    parts: () => composer.entries.flatMap(({ part }) => part ?? []),
    subscribe: listeners.subscribe,
    save: () => toSaved(composer.entries, held.list()),
    hold: held.hold,
    cancel: held.cancel,
    // A field that its page has taken away may still be given files.
    dispose: () => (held.end(), clear(), listeners.clear(), void (toEntries = () => [])),
  };
}

/** A function that makes an entry of each file, with an id of its own. */
function createEntries(accept: string, maxBytes: number): (files: Iterable<Blob>) => AttachmentEntry[] {
  const prefix = Math.random().toString(36).slice(2, 8);
  let count = 0;
  return (files) => [...files].filter((file) => file instanceof Blob).map((file) => toEntry(file, `${prefix}-${++count}`, accept, maxBytes));
}

/** The attachment with that id, and the batch that it is in. */
function findEntry(batches: readonly Batch[], id: string): readonly [Batch, AttachmentEntry] | undefined {
  for (const batch of batches) {
    const entry = batch.entries.find(({ item }) => item.id === id);
    if (entry) return [batch, entry];
  }
  return undefined;
}

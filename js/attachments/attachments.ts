// The files of a composer: uploads with a bound on how many run at once, and the submits that wait for them.

import type { Attachment, SubmitHolder } from "../api/attachments.js";
import type { ContentPart } from "../api/types.js";
import { createHeld } from "./held.js";
import { accepts, cleanName, cleanType, kindOf } from "./names.js";
import { readSaved, toSaved, type SavedAttachments } from "./saved.js";
import { readInline, runUpload, toPart, type Upload } from "./upload.js";

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

/** An attachment with what belongs to it. */
interface AttachmentEntry {
  item: Attachment;
  readonly file: Blob | undefined;
  part?: ContentPart | undefined;
  controller?: AbortController | undefined;
}

/** A list of entries that is one of those which can be looked at: of the composer, or of a submit. */
export interface Batch {
  entries: readonly AttachmentEntry[];
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
  const listeners = new Set<{ readonly listener: () => void }>();
  const waiting = new Set<AttachmentEntry>();
  let running = 0;
  let count = 0;
  let items: readonly Attachment[] | undefined;

  const batches = (): readonly Batch[] => [composer, ...held.batches()];
  const changed = (): void => {
    items = undefined;
    held.changed();
    for (const entry of [...listeners]) if (listeners.has(entry)) entry.listener();
  };
  const set = (entry: AttachmentEntry, next: Partial<Attachment>): void => {
    const { error: _, message: __, ...rest } = entry.item;
    entry.item = { ...rest, ...next };
  };
  const free = ({ item, controller }: AttachmentEntry): void => {
    controller?.abort(new Error("The file was removed"));
    if (item.previewUrl !== undefined) URL.revokeObjectURL(item.previewUrl);
  };

  const begin = (entry: AttachmentEntry): void => {
    const controller = new AbortController();
    entry.controller = controller;
    running++;
    const end = (next: Partial<Attachment>): void => {
      running--;
      // Removed, or begun again.
      if (entry.controller === controller) {
        entry.controller = undefined;
        set(entry, next);
      }
      pump();
      changed();
    };
    const onProgress = (progress: number): void => {
      if (entry.controller !== controller || progress === entry.item.progress) return;
      set(entry, { progress });
      changed();
    };
    runUpload(upload, entry.file!, stallMs, controller, onProgress)
      .then((uploaded) => void (entry.part = toPart(uploaded, entry.item)))
      .then(
        () => end({ status: "ready", progress: 1 }),
        (cause: unknown) => end({ status: "error", error: "upload", message: cause instanceof Error ? cause.message : String(cause) }),
      );
  };
  /** Begins what may. */
  const pump = (): void => {
    for (const entry of waiting) {
      if (running >= Math.max(maxConcurrent, 1)) return;
      waiting.delete(entry);
      begin(entry);
    }
  };

  const take = (file: Blob): AttachmentEntry => {
    const name = cleanName((file as Partial<File>).name);
    const mimeType = cleanType(file.type);
    const { size } = file;
    const error = !accepts(accept, name, mimeType) ? "type" : size > maxBytes ? "too-large" : undefined;
    const item = { id: `${prefix}-${++count}`, name, mimeType, size, kind: kindOf(mimeType), progress: 0 };
    if (error) return { item: { ...item, status: "error", error }, file: undefined };
    const previewUrl = item.kind === "document" || !URL.createObjectURL ? undefined : URL.createObjectURL(file);
    const entry: AttachmentEntry = { item: { ...item, status: "uploading", ...(previewUrl !== undefined && { previewUrl }) }, file };
    waiting.add(entry);
    return entry;
  };

  const drop = (entries: readonly AttachmentEntry[]): void => {
    for (const entry of entries) {
      waiting.delete(entry);
      const { controller } = entry;
      entry.controller = controller && undefined;
      free({ ...entry, controller });
    }
  };
  const prefix = Math.random().toString(36).slice(2, 8);
  const held = createHeld({ composer, changed, drop });
  const find = (id: string): readonly [Batch, AttachmentEntry] | undefined => {
    for (const batch of batches()) {
      const entry = batch.entries.find(({ item }) => item.id === id);
      if (entry) return [batch, entry];
    }
    return undefined;
  };

  return {
    accept,
    get items() {
      return (items ??= composer.entries.map(({ item }) => item));
    },
    draft: restored.draft,
    add: (files) => {
      const entries = [...(files ?? [])].filter((file) => file instanceof Blob).map(take);
      if (!entries.length) return [];
      composer.entries = [...composer.entries, ...entries];
      pump();
      changed();
      return entries.map(({ item }) => item);
    },
    remove: (id) => {
      const [batch, entry] = find(id) ?? [];
      if (!batch || !entry) return;
      batch.entries = batch.entries.filter((one) => one !== entry);
      drop([entry]);
      pump();
      changed();
    },
    retry: (id) => {
      const entry = find(id)?.[1];
      if (!entry?.file || entry.item.error !== "upload") return;
      set(entry, { status: "uploading", progress: 0 });
      waiting.add(entry);
      pump();
      changed();
    },
    clear: () => {
      drop(composer.entries);
      composer.entries = [];
      changed();
    },
    parts: () => composer.entries.flatMap(({ part }) => part ?? []),
    subscribe: (listener) => {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    save: () => toSaved(composer.entries, held.list()),
    hold: held.hold,
    cancel: held.cancel,
    dispose: () => {
      held.cancelAll();
      drop(composer.entries);
      composer.entries = [];
      changed();
      listeners.clear();
    },
  };
}

// The uploads of a composer: a few at the same time, while the others wait.

import type { Attachment } from "../api/attachments.js";
import { reasonOf } from "../base/failure.js";
import { change, free, type AttachmentEntry } from "./entry.js";
import { runUpload, toPart, type Upload } from "./upload.js";

/** The options of uploads, and their listener. */
export interface UploadsOwner {
  readonly upload: Upload;
  readonly maxConcurrent: number;
  readonly stallMs: number;
  /** An item has changed. */
  changed(): void;
}

/** The uploads of one composer. None is in progress. */
export function createUploads({ upload, maxConcurrent, stallMs, changed }: UploadsOwner) {
  const waiting = new Set<AttachmentEntry>();
  let running = 0;

  const begin = (entry: AttachmentEntry): void => {
    const controller = new AbortController();
    entry.controller = controller;
    running++;
    const end = (next: Partial<Attachment>): void => {
      running--;
      // Removed, or begun again.
      if (entry.controller === controller) {
        entry.controller = undefined;
        change(entry, next);
      }
      beginNext();
      changed();
    };
    const onProgress = (progress: number): void => {
      if (entry.controller !== controller || progress === entry.item.progress) return;
      change(entry, { progress });
      changed();
    };
    runUpload(upload, entry.file!, stallMs, controller, onProgress)
      .then((uploaded) => void (entry.part = toPart(uploaded, entry.item)))
      .then(
        () => end({ status: "ready", progress: 1 }),
        (cause: unknown) => end({ status: "error", error: "upload", message: reasonOf(cause) }),
      );
  };
  /** Begins as many as may run. */
  const beginNext = (): void => {
    for (const entry of waiting) {
      if (running >= Math.max(maxConcurrent, 1)) return;
      waiting.delete(entry);
      begin(entry);
    }
  };

  return {
    /** Uploads these files, in order. */
    add: (entries: readonly AttachmentEntry[]): void => {
      for (const entry of entries) waiting.add(entry);
      beginNext();
    },
    /** Ends the uploads of these files, which are removed. */
    drop: (entries: readonly AttachmentEntry[]): void => {
      for (const entry of entries) {
        waiting.delete(entry);
        free(entry);
      }
    },
  };
}

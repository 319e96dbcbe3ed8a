// One upload: what the application's function, or the default that reads the file into the message, comes to.

import type { ContentPart, MediaPart } from "../api/types.js";

/** The second argument of an upload. */
export interface UploadContext {
  /** Aborted when the attachment is removed, or the upload takes too long. */
  readonly signal: AbortSignal;
  /** Reports how much is done, from 0 to 1. */
  onProgress(progress: number): void;
}

/** Where the file is now: an address that the agent can read, or its bytes as base64 or as a `data:` URL. */
export type Uploaded =
  | { readonly url: string; readonly mimeType?: string | undefined; readonly data?: undefined }
  | { readonly data: string; readonly mimeType?: string | undefined; readonly url?: undefined };

/** Brings a file to where the agent can read it. */
export type Upload = (file: Blob, context: UploadContext) => Uploaded | Promise<Uploaded>;

/** The file in the message itself, as base64. */
export async function readInline(file: Blob, { signal }: UploadContext): Promise<Uploaded> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  signal.throwIfAborted();
  let binary = "";
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return { data: btoa(binary) };
}

/** Base64 as it is, and that of a `data:` URL with its type, which may be another one than the file's. */
function readData(data: string): { readonly value: string; readonly type?: string | undefined } {
  const comma = data.indexOf(",");
  if (!data.startsWith("data:") || comma < 0) return { value: data };
  const [type, ...parameters] = data.slice(5, comma).split(";");
  const value = data.slice(comma + 1);
  if (parameters.includes("base64")) return { value, type: type || undefined };
  const bytes = value.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return { value: btoa(bytes), type: type || undefined };
}

/** The content part of a file that is there. Throws where the upload has given nothing of use. */
export function toPart(uploaded: unknown, file: { readonly name: string; readonly kind: MediaPart["type"]; readonly mimeType: string }): ContentPart {
  const { url, data, mimeType: uploadedType } = (uploaded ?? {}) as { [Member in "url" | "data" | "mimeType"]?: unknown };
  if (uploadedType !== undefined && typeof uploadedType !== "string") throw new TypeError("upload: expected a string as mimeType");
  const metadata = { filename: file.name };
  if (typeof url === "string" && url) return { type: file.kind, source: { type: "url", value: url, mimeType: uploadedType ?? file.mimeType }, metadata };
  if (typeof data !== "string") throw new TypeError("upload: expected { url } or { data } with a string");
  const { value, type = file.mimeType } = readData(data);
  return { type: file.kind, source: { type: "data", value, mimeType: uploadedType ?? type }, metadata };
}

/**
 * Uploads, and gives up when nothing has come for `stallMs`: each report of progress counts. Rejects when the signal is aborted, whether
 * the upload listens to it or not.
 */
export function runUpload(upload: Upload, file: Blob, stallMs: number, controller: AbortController, onProgress: (progress: number) => void): Promise<unknown> {
  const { signal } = controller;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    const wait = (): void => {
      clearTimeout(timer);
      if (Number.isFinite(stallMs))
        timer = setTimeout(() => controller.abort(new Error(`The upload made no progress for ${stallMs} ms`)), Math.min(stallMs, 1e9));
    };
    const end = <Value>(settle: (value: Value) => void) => (value: Value): void => {
      clearTimeout(timer);
      ended = true;
      settle(value);
    };
    signal.addEventListener("abort", () => end(reject)(signal.reason as unknown));
    wait();
    const report = (progress: number): void => {
      if (ended) return;
      wait();
      if (progress >= 0) onProgress(Math.min(progress, 1));
    };
    // An error that it throws at once is a rejection as well.
    Promise.resolve().then(() => upload(file, { signal, onProgress: report })).then(end(resolve), end(reject));
  });
}

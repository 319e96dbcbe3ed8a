/** The pictures of the composer, the same for all three pages: where they go, how they outlive a reload, and the words for them. */
import { createAttachments, type Attachment, type SavedAttachments, type UploadContext } from "ag-ui-wasm/attachments";
import type { Message, QueuedSubmit } from "ag-ui-wasm";
import { inPage } from "./endpoint.js";

const stored = "pictures";

export const files = createAttachments({ accept: "image/*", upload, restore: restored() });

// The page is left, perhaps for good: what is not sent is kept for the next one.
addEventListener("pagehide", () => {
  try {
    sessionStorage.setItem(stored, JSON.stringify(files.save()));
  } catch {
    // Without room, or without a store, a reload forgets them.
  }
});

function restored(): SavedAttachments | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(stored) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** To the demo's server; into the message itself where there is none. */
async function upload(file: Blob, context: UploadContext): Promise<{ url: string; mimeType: string } | { data: string }> {
  return (inPage ? undefined : await post(file, context)) ?? { data: await dataUrl(file) };
}

/** With `fetch` a page does not learn how much of an upload is done. Nothing: the server takes no files. */
function post(file: Blob, { signal, onProgress }: UploadContext): Promise<{ url: string; mimeType: string } | undefined> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const hold = new URLSearchParams(location.search).get("hold");
    const query = new URLSearchParams({ name: file instanceof File ? file.name : "", ...(hold !== null && { hold }) });
    request.open("POST", `/files?${query}`);
    request.setRequestHeader("content-type", file.type);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => {
      if (request.status === 404 || request.status === 405) resolve(undefined);
      else if (request.status === 200 && request.response) resolve(request.response);
      else reject(new Error(`The server answered ${request.status}`));
    };
    request.onerror = () => reject(new Error("The server cannot be reached"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function dataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** The label beside a picture of the composer; empty where it is ready. */
export function stateOf({ status, progress, error, message }: Attachment): string {
  if (status === "uploading") return progress < 1 ? `${Math.round(progress * 100)}%` : "Almost there";
  if (error === "type") return "Not a picture";
  if (error === "too-large") return "Too large";
  if (error === "lost") return "Add it again: the page was left before it was uploaded";
  return error === undefined ? "" : `Failed: ${message}`;
}

/** The reason why a submit of the queue waits. */
export function waitsFor({ attachments = [] }: QueuedSubmit): string {
  const left = attachments.filter(({ status }) => status !== "ready").length;
  return left === 0 ? "waiting" : `waiting for ${left === 1 ? "a picture" : `${left} pictures`}`;
}

/** A picture in a message. */
export interface Picture {
  readonly src: string;
  readonly name: string;
}

const none: readonly Picture[] = [];

/** The pictures of a message; only those that a browser may be sent to. */
export function picturesOf({ content }: Message): readonly Picture[] {
  if (!Array.isArray(content)) return none;
  return content.flatMap((part) => {
    if (part.type !== "image") return [];
    const { source, metadata } = part;
    const name = (metadata as { filename?: unknown } | undefined)?.filename;
    const src = source.type === "data" ? `data:${source.mimeType};base64,${source.value}` : source.value;
    return /^(https?:|data:image\/)/i.test(src) ? [{ src, name: typeof name === "string" ? name : "Picture" }] : [];
  });
}

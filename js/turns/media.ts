// Files: of AG-UI's content parts, and of chats that know an address, a type and a name.

import type { ContentPart } from "../api/types.js";

/** A file as most chats have it. */
export interface FileOfChat {
  readonly mediaType: string;
  /** An address, also a `data:` URL. */
  readonly url: string;
  readonly filename?: string | undefined;
}

/** The file of a content part. None for a text, for a file that only a provider can read, and for parts that no version of AG-UI has. */
export function fileOf(part: ContentPart): FileOfChat | undefined {
  if (part.type === "text") return undefined;
  const { source, metadata } = part;
  if (source?.type !== "data" && source?.type !== "url") return undefined;
  const mediaType = source.mimeType ?? (part.type === "document" ? "application/octet-stream" : `${part.type}/*`);
  const url = source.type === "data" ? `data:${mediaType};base64,${source.value}` : source.value;
  const name = (metadata as { readonly filename?: unknown } | null | undefined)?.filename;
  return { mediaType, url, ...(typeof name === "string" && { filename: name }) };
}

/** A file as the content part of its kind. */
export function partOf({ mediaType, url, filename }: FileOfChat): ContentPart {
  const kind = (["image", "audio", "video"] as const).find((type) => mediaType.startsWith(`${type}/`)) ?? "document";
  const data = /^data:([^;,]*)(?:;[^,]*)?;base64,/.exec(url);
  const mimeType = !mediaType || mediaType.endsWith("/*") ? undefined : mediaType;
  return {
    type: kind,
    source: data
      ? { type: "data", value: url.slice(data[0].length), mimeType: mimeType ?? (data[1] || "application/octet-stream") }
      : { type: "url", value: url, ...(mimeType !== undefined && { mimeType }) },
    ...(filename !== undefined && { metadata: { filename } }),
  };
}

/** Content parts as the content of a message: a text where all are text. */
export function contentOfParts(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : parts;
}

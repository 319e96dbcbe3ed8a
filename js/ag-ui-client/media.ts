// Attachments as servers before AG-UI 1.0 had them.

import type { Message } from "@ag-ui/core";

interface Binary {
  type: "binary";
  mimeType: string;
  url?: string;
  data?: string;
  filename?: string;
}

interface PartSource {
  type: "data" | "url";
  value: string;
  mimeType: string;
}

interface Media {
  type: string;
  source: PartSource;
  metadata?: { filename?: string };
}

/** The message with `binary` parts as image, audio, video and document; the same object where it has none. */
export function toModernContent<Value extends Message>(message: Value): Value {
  const { content } = message as { content?: unknown };
  if (!Array.isArray(content) || !content.some(isBinary)) return message;
  const parts = content.flatMap((part) => {
    const media = isBinary(part) ? toMedia(part) : undefined;
    // A message may have both spellings of one attachment.
    return media && content.some((other) => isSame(other, media)) ? [] : [media ?? part];
  });
  return { ...message, content: parts };
}

function isBinary(part: unknown): part is Binary {
  const { type, mimeType } = (part ?? {}) as Partial<Binary>;
  return type === "binary" && typeof mimeType === "string";
}

/** One that has only an id has no other spelling. */
function toMedia({ mimeType, data, url, filename }: Binary): Media | undefined {
  const value = data || url;
  if (!value) return undefined;
  const [kind = ""] = mimeType.split("/");
  return {
    type: ["image", "audio", "video"].includes(kind) ? kind : "document",
    source: { type: data ? "data" : "url", value, mimeType },
    ...(filename && { metadata: { filename } }),
  };
}

function isSame(part: Partial<Media> | null, { type, source, metadata }: Media): boolean {
  const other = part?.source;
  if (part?.type !== type || !other) return false;
  const equal = other.type === source.type && other.value === source.value && other.mimeType === source.mimeType;
  return equal && (!metadata || part.metadata?.filename === metadata.filename);
}

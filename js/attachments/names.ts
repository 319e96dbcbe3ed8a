// Names of files are foreign text: made harmless before anything shows or sends them.

/** Control characters, those that change the direction of what follows, and those that cannot be seen. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const most = 255;

/** A name to show and to send: no path, nothing that hides what it is, at most 255 characters with the extension kept. */
export function cleanName(value: unknown): string {
  // No name of a file system is longer: what is cut off first is not looked at.
  const text = typeof value === "string" ? value.slice(-4096) : "";
  const base = text.replace(hidden, "").split(/[/\\]/).at(-1)!.trim().replace(/\s+/g, " ");
  if (!base || /^\.+$/.test(base)) return "file";
  const characters = [...base];
  if (characters.length <= most) return base;
  const dot = characters.lastIndexOf(".");
  const end = dot > 0 && characters.length - dot <= 16 ? characters.slice(dot) : [];
  return [...characters.slice(0, most - end.length), ...end].join("");
}

const token = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/** Its media type without parameters; `application/octet-stream` where it has none that is one. */
export function cleanType(value: unknown): string {
  const [type = ""] = typeof value === "string" ? value.slice(0, 512).split(";") : [];
  const plain = type.trim().toLowerCase();
  return token.test(plain) ? plain : "application/octet-stream";
}

/** The kind of content part for a media type. */
export function kindOf(mimeType: string): "image" | "audio" | "video" | "document" {
  const [main] = mimeType.split("/");
  return main === "image" || main === "audio" || main === "video" ? main : "document";
}

/** Whether a file may be attached, as the attribute `accept` of an input says it. */
export function accepts(accept: string, name: string, mimeType: string): boolean {
  const wanted = accept.toLowerCase().split(",").map((one) => one.trim()).filter(Boolean);
  if (!wanted.length || wanted.includes("*/*")) return true;
  const lower = name.toLowerCase();
  return wanted.some((one) => (one.startsWith(".") ? lower.endsWith(one) : one.endsWith("/*") ? mimeType.startsWith(one.slice(0, -1)) : mimeType === one));
}

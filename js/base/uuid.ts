/** A random UUID, also where the page is no secure context and `randomUUID` is missing. */
export function uuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  // With the digits of the version and the variant.
  return hex.replace(/(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");
}

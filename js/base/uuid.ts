/** A random UUID, also where the page is no secure context and `randomUUID` is missing. */
export const uuid = (): string =>
  crypto.randomUUID?.() ??
    // With the digits of the version and the variant.
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
      .join("")
      .replace(/(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");

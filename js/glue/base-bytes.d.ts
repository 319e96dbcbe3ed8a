/** The base of the full module, without its add-ons: base64 of raw deflate. */
export const bytes: string;

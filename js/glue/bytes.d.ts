/** The module: base64 of raw deflate. */
export const bytes: string;

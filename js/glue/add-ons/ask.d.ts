/** An add-on of the full module (tools/split.mjs): base64 of raw deflate. */
export const bytes: string;

/** The module with the dialects and the guard: base64 of raw deflate. */
export const bytes: string;

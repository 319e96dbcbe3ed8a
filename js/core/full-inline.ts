// A chunk of its own: the full module with its bytes.

import { loadFull } from "./full.js";
import { bytes } from "../glue/full-bytes.js";
import { inflate } from "./loader.js";

export const inflated = (): Promise<ArrayBuffer> => inflate(bytes);
export const load = (): ReturnType<typeof loadFull> => loadFull(inflated);

// A chunk of its own: the small module with its bytes.

import { loadCore } from "./core.js";
import { bytes } from "../glue/bytes.js";
import { inflate, type Core } from "./loader.js";

export const load = (): Promise<Core> => loadCore(() => inflate(bytes));

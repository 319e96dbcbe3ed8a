// As `worker-main.ts`, with the module that has the dialects and the guard.

import { bytes } from "../glue/full-bytes.js";
import { inflate } from "../loader.js";
import { startWorker, type Scope } from "../worker-serve.js";
import { loadFull } from "./core.js";

startWorker(globalThis as unknown as Scope, () => loadFull(() => inflate(bytes)));

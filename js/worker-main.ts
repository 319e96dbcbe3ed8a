// The script of the worker. It carries the WebAssembly, so that nothing has to be configured.

import { loadCore } from "./core.js";
import { bytes } from "./glue/bytes.js";
import { inflate } from "./loader.js";
import { startWorker, type Scope } from "./worker-serve.js";

startWorker(globalThis as unknown as Scope, () => loadCore(() => inflate(bytes)));

// The script of the worker with the full module; `worker-main.ts` says more.

import { load } from "./core/full-inline.js";
import { startWorker, type Scope } from "./worker/serve.js";

startWorker(globalThis as unknown as Scope, load);

// The script of the worker. It carries the WebAssembly in the same file, which bundlers can make of every worker.

import { load } from "./core/core-inline.js";
import { startWorker, type Scope } from "./worker/serve.js";

startWorker(globalThis as unknown as Scope, load);

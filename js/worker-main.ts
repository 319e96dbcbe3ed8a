// The script of the worker. It carries the WebAssembly in the same file, which bundlers can make of every worker.

import { bytes, glue } from "./core/core-inline.js";
import { instantiate } from "./core/loader.js";
import { inflate } from "./core/unpack.js";
import { startWorker, type Scope } from "./worker/serve.js";

startWorker(globalThis as unknown as Scope, () => instantiate(glue, () => inflate(bytes)));

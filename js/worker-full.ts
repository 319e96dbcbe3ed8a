// The script of the worker with the full module; `worker-main.ts` says more.

import { bytes, glue } from "./core/full-inline.js";
import { instantiate } from "./core/loader.js";
import { sessionAddOns } from "./core/session-add-ons.js";
import { inflate } from "./core/unpack.js";
import { startWorker, type Scope } from "./worker/serve.js";

startWorker(globalThis as unknown as Scope, async () => {
  const module = await instantiate(glue, () => inflate(bytes));
  await Promise.all(sessionAddOns.map(async (each) => module.attach(inflate(each))));
  return module;
});

// How a module is loaded. All of it is in the page's first bundle, and the chunks of the modules import none of
// it: Vite preloads what a chunk imports, and WebKit never asks again for a preload that failed.

import { AgentError } from "../api/error.js";
import { internal } from "../base/failure.js";
import type init from "../glue/core.js";
import type { CoreSession, ModuleInput } from "../glue/core.js";
import type { askGuard, compact, Stepper } from "../glue/full.js";

/** The core, ready for use. */
export interface Core {
  readonly CoreSession: typeof CoreSession;
}

/** The core of the full module. */
export interface FullCore extends Core {
  readonly askGuard: typeof askGuard;
  readonly compact: typeof compact;
  readonly Stepper: typeof Stepper;
}

/** The glue that wasm-bindgen makes for a module. */
export interface Glue extends Core {
  readonly default: typeof init;
}

/** Turns the bytes that the package carries, as base64 text, into those of a module (unpack.ts). */
export type Inflate = (base64: string) => Promise<BufferSource>;

const instances = new Map<object, Promise<object>>();

/**
 * Instantiates the module of a glue, unless that is done or in progress: the glue holds one instance a page, whoever asks first. A load
 * that failed is forgotten. Its error is the platform's: `compiling` recognizes a policy by it.
 */
export function instantiate<Module extends Glue>(glue: Module, module: () => ModuleInput | Promise<ModuleInput>): Promise<Module> {
  let instance = instances.get(glue) as Promise<Module> | undefined;
  if (!instance) {
    instance = (async () => {
      await glue.default({ module_or_path: await module() });
      return glue;
    })();
    instances.set(glue, instance);
    instance.catch(() => instances.delete(glue));
  }
  return instance;
}

/** The module that the package carries in a chunk. */
export const unpacked = <Module extends Glue>(
  chunk: Promise<{ readonly glue: Module; readonly bytes: string }>,
  inflate: Inflate,
): Promise<Module> => chunk.then(({ glue, bytes }) => instantiate(glue, () => inflate(bytes)));

/**
 * A load, whose failures are `AgentError`s. The import of a chunk may fail as well: the page is offline, or a new version has
 * been deployed and the old chunk is gone.
 */
export async function loading<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if (AgentError.is(cause)) throw cause;
    throw internal("The WebAssembly core could not be loaded", cause, "load");
  }
}

// How a module is loaded, and what that fails with. All of it is in the page's first bundle: a chunk that imports nothing but what is
// there has no preload by Vite, after which WebKit never asks again for a chunk that failed.

import { AgentError } from "../api/error.js";
import type init from "../glue/core.js";
import type { ModuleInput, Session } from "../glue/core.js";
import type { compact, Stepper } from "../glue/full.js";

/** The core, ready for use. */
export interface Core {
  readonly Session: typeof Session;
}

/** The core of the full module. */
export interface FullCore extends Core {
  readonly compact: typeof compact;
  readonly Stepper: typeof Stepper;
}

/** The glue that wasm-bindgen makes for a module. */
export interface Glue extends Core {
  readonly default: typeof init;
}

/** Loads a module unless that is done or on the way. A failed load is forgotten. */
export type Load<Module extends Core = Core> = (module: () => ModuleInput | Promise<ModuleInput>) => Promise<Module>;

/** The glue holds one instance a page, so there is one load, whoever asks first. */
export function createLoad<Module extends Glue>(glue: Module): Load<Module> {
  let pending: Promise<Module> | undefined;
  const instantiate: Load<Module> = async (module) => {
    if (typeof WebAssembly !== "object") throw missing("WebAssembly");
    await glue.default({ module_or_path: await module() });
    return glue;
  };
  return (module) => {
    pending ??= instantiate(module).catch((cause: unknown) => {
      pending = undefined;
      throw toLoadError(cause);
    });
    return pending;
  };
}

/** The bytes of a module from base64 of raw deflate, sorted or as they are. */
export async function inflate(base64: string): Promise<ArrayBuffer> {
  if (typeof DecompressionStream !== "function") throw missing("DecompressionStream");
  const deflated = decode(base64);
  // A Blob's stream would do as well, but under jsdom a Blob has none.
  const inflated = new Response(deflated).body!.pipeThrough(new DecompressionStream("deflate-raw"));
  return unpack(await new Response(inflated).arrayBuffer());
}

/** The bytes that base64 stands for. A callback for each character would take half as long as all else that happens to the module. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  const native = Uint8Array as { fromBase64?(base64: string): Uint8Array<ArrayBuffer> };
  if (native.fromBase64) return native.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Puts the bytes of a module back in order, by the program that comes with them (tools/pack.mjs). */
async function unpack(packed: ArrayBuffer): Promise<ArrayBuffer> {
  const [program = 0, at = 0] = new Uint32Array(packed, 0, 2);
  // A module as it is begins with its name.
  if (program === 0x6d736100) return packed;
  const { instance } = await WebAssembly.instantiate(new Uint8Array(packed, 8, program));
  const { memory, unpack: unfold } = instance.exports as { memory: WebAssembly.Memory; unpack(from: number, to: number): void };
  const sorted = new Uint8Array(packed, at);
  const [size = 0] = new Uint32Array(packed, at, 1);
  const from = memory.grow(Math.ceil((sorted.length + size) / 65536)) * 65536;
  const to = from + sorted.length;
  new Uint8Array(memory.buffer).set(sorted, from);
  unfold(from, to);
  return memory.buffer.slice(to, to + size);
}

/** The platform has nothing of that name. */
function missing(what: string): AgentError {
  return new AgentError({ kind: "unsupported", code: "load", message: `This platform has no ${what}` });
}

/**
 * A load, whose failures are `AgentError`s. The import of a chunk may fail as well: the page is offline, or a new version has
 * been deployed and the old chunk is gone.
 */
export async function loading<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw toLoadError(cause);
  }
}

/** Any failure of a load as an `AgentError` of code `load`. */
function toLoadError(cause: unknown): AgentError {
  if (AgentError.is(cause)) return cause;
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  // The engines word it differently; Chromium's and Firefox's is a CompileError, WebKit's may be an EvalError. The last one is of
  // hosts that compile nothing at run time.
  if (name === "EvalError" || /content.security.policy|\bCSP\b|unsafe-eval|by embedder/i.test(message)) {
    return new AgentError({
      kind: "blocked",
      code: "load",
      message: "WebAssembly may not be compiled here: a page needs 'wasm-unsafe-eval' in script-src, a Cloudflare Worker ag-ui-wasm/slim",
      cause,
    });
  }
  return new AgentError({
    kind: "internal",
    code: "load",
    message: `The WebAssembly core could not be loaded: ${message}`,
    retryable: true,
    cause,
  });
}

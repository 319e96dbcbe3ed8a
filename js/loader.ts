import { AgentError } from "./error.js";
import init, { Session, type ModuleInput } from "./glue/core.js";

/** The core, ready for use. */
export interface Core {
  readonly Session: typeof Session;
}

// The glue holds one instance a page, so there is one load, whoever asks first.
let loading: Promise<Core> | undefined;

/** Loads the core from a module, unless that is done or on the way. A failed load is forgotten. */
export function loadCore(module: () => ModuleInput | Promise<ModuleInput>): Promise<Core> {
  loading ??= instantiate(module).catch((cause: unknown) => {
    loading = undefined;
    throw toLoadError(cause);
  });
  return loading;
}

async function instantiate(module: () => ModuleInput | Promise<ModuleInput>): Promise<Core> {
  if (typeof WebAssembly !== "object") throw missing("WebAssembly");
  await init({ module_or_path: await module() });
  return { Session };
}

/** The bytes of a module from base64 of raw deflate. */
export function inflate(base64: string): Promise<ArrayBuffer> {
  if (typeof DecompressionStream !== "function") throw missing("DecompressionStream");
  const deflated = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  // A Blob's stream would do as well, but under jsdom a Blob has none.
  const inflated = new Response(deflated).body!.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(inflated).arrayBuffer();
}

function missing(what: string): AgentError {
  return new AgentError({ kind: "unsupported", code: "load", message: `This platform has no ${what}` });
}

function toLoadError(cause: unknown): AgentError {
  if (AgentError.is(cause)) return cause;
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  // The engines word it differently; Chromium's and Firefox's is a CompileError, WebKit's may be an EvalError.
  if (name === "EvalError" || /content.security.policy|\bCSP\b|unsafe-eval/i.test(message)) {
    return new AgentError({
      kind: "blocked",
      code: "load",
      message: "The page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src",
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

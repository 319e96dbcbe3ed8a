// The errors of platforms that compile no WebAssembly. They come with the first code that has something compiled.

import { AgentError } from "../api/error.js";

/** Compiles something. Where the platform cannot, or may not, the error is an `AgentError` of code `load`. */
export async function compiling<Compiled>(compile: () => Promise<Compiled>): Promise<Compiled> {
  try {
    return await compile();
  } catch (cause) {
    throw toRefusal(cause);
  }
}

/** The reason why nothing was compiled; the cause itself where it is another one. */
function toRefusal(cause: unknown): unknown {
  if (AgentError.is(cause)) return cause;
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  const missing = name === "ReferenceError" && ["WebAssembly", "DecompressionStream"].find((global) => !(global in globalThis));
  if (missing) return new AgentError({ kind: "unsupported", code: "load", message: `This platform has no ${missing}`, cause });
  // The engines word it differently; Chromium's and Firefox's is a CompileError, WebKit's may be an EvalError. The last one is of
  // hosts that compile nothing at run time.
  if (name !== "EvalError" && !/content.security.policy|\bCSP\b|unsafe-eval|by embedder/i.test(message)) return cause;
  return new AgentError({
    kind: "blocked",
    code: "load",
    message: "WebAssembly may not be compiled here: a page needs 'wasm-unsafe-eval' in script-src, a Cloudflare Worker ag-ui-wasm/slim",
    cause,
  });
}

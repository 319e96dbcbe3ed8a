// Modules from where the application says that they are.

import { AgentError } from "../api/error.js";
import { compiling } from "./compiling.js";
import { instantiate, loading, type Core, type FullCore } from "./loader.js";
import type { Modules } from "./modules.js";
import { oneFile } from "./one-file.js";
import type { WasmSource, WasmSources } from "../api/types.js";

/** Loads of the modules at these places. One that stands alone is the module that is asked for. */
export function modulesAt(wasm: WasmSource | WasmSources): Modules {
  const { core, full } = isSources(wasm) ? wasm : { core: wasm, full: wasm };
  return {
    // The full module can do all that the small one can.
    core: () => (core ? loadSmall(core) : loadFull(full)),
    full: () => loadFull(full),
  };
}

function isSources(wasm: WasmSource | WasmSources): wasm is WasmSources {
  return ["core", "full"].some((name) => name in Object(wasm));
}

/** Loads at most once. The file and its glue are fetched side by side. */
function once<Module extends Core>(load: (found: ReturnType<typeof find>) => Promise<Module>): (wasm: WasmSource) => Promise<Module> {
  let last: Promise<Module> | undefined;
  return (wasm) => (last ??= loading(() =>
    compiling(() => {
      const found = find(wasm);
      // Perhaps nobody asks for it: the import may fail, or another entry may have loaded the module.
      found.catch(() => {});
      return load(found);
    })
  ).catch((cause: unknown) => {
    last = undefined;
    throw cause;
  }));
}

const loadSmall = /* @__PURE__ */ once(async (found) => instantiate((await import("./core.js")).glue, () => found));
const loadLarge = /* @__PURE__ */ once(async (found) => (oneFile.module = await instantiate((await import("./full.js")).glue, () => found)));

const loadFull = (wasm: WasmSource | undefined): Promise<FullCore> => {
  if (wasm) return loadLarge(wasm);
  const message = "This needs the full module: give its address as `wasm: { full }`";
  return Promise.reject(new AgentError({ kind: "unsupported", code: "load", message }));
};

async function find(wasm: WasmSource): Promise<Response | BufferSource | WebAssembly.Module> {
  const resolved = await wasm;
  const found = typeof resolved === "string" || resolved instanceof URL ? await fetch(resolved) : resolved;
  if (found instanceof Response && !found.ok) {
    const { status, url } = found;
    const message = `The WebAssembly core could not be loaded: HTTP ${status} from ${url}`;
    throw new AgentError({ kind: "internal", code: "load", message, retryable: true, status });
  }
  return found;
}

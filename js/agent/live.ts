// The parts of an agent that need the core: a chunk of its own, which comes beside the module. It imports only modules that the
// page has already, for the reason that js/core/loader.ts gives.

export { loadChecks } from "../core/checked.js";
export { openSession } from "../core/open.js";
export { inflate } from "../core/unpack.js";
export { stopped } from "../snapshot/cut-off.js";
export { openChannel, openRemote } from "./chunks.js";
export { fork, send } from "./late.js";
export { createOwn } from "./own.js";
export { head, withHead } from "./requests.js";

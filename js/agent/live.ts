// What an agent needs only once its core is there: a chunk of its own, which comes beside the module. It imports what the page has
// already and nothing of another chunk, for the reason that js/core/loader.ts gives.

export { openSession } from "../core/live.js";
export { changeQueued } from "../core/queued.js";
export { stopped } from "../snapshot/cut-off.js";
export { createWaker } from "../base/wake.js";
export { approve } from "./approve.js";
export { createCalls } from "./calls.js";
export { toFork } from "./fork.js";
export { createHistory } from "./history.js";
export { editQueued } from "./edit-queued.js";
export { tellOfStop, toRequest } from "./requests.js";
export { send } from "./send.js";
export { toSettings } from "./settings.js";

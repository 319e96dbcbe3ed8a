// What an agent needs only once its core is there (live.ts) comes as a chunk of its own, at the same time as the module.

import { loading } from "../core/loader.js";

/** All of live.ts. */
export type Beside = typeof import("./live.js");

let come: Beside | undefined;

/** What has come, if it has. */
export const beside = (): Beside | undefined => come;

/** Loads it unless it is there. */
export const loadBeside = (): Promise<Beside> => loading(async () => (come ??= await import("./live.js")));

// The core of an agent, and what the agent needs only once its core is there (live.ts): that comes as a chunk of its own, at the
// same time as the module.

import { loading, type Inflate } from "../core/loader.js";
import type { Own } from "./own.js";

/** All of live.ts. */
type LiveModule = typeof import("./live.js");

/** The part of it that one agent has. */
type LoadedParts = LiveModule & Own;

/** The core of one agent. */
export type CoreSource<Place> = ReturnType<typeof createSource<Place>>;

let liveModule: LiveModule | undefined;

/** Loads it unless it is there. */
export const loadLive = (): Promise<LiveModule> => loading(async () => (liveModule ??= await import("./live.js")));

/** Unpacks a module by what comes beside it. */
export const inflate: Inflate = async (bytes) => (await loadLive()).inflate(bytes);

/** The core that `core` loads, with what comes beside it, of which `own` is the agent's. `schemas`: there are some, whose checks come after that. */
export function createSource<Place>(core: (inflate: Inflate) => Promise<Place>, createOwn: (live: LiveModule) => Own, schemas: boolean) {
  let parts: LoadedParts | undefined;
  // The load that began with the agent, until something needs it.
  let early: Promise<Place> | undefined;

  const take = (live: LiveModule): LoadedParts => (parts ??= { ...live, ...createOwn(live) });

  /** The exports of the chunk, once it has come: another agent of the page may have loaded it. */
  const here = (): LoadedParts | undefined => parts ?? (liveModule && !schemas ? take(liveModule) : undefined);

  /** Loads what comes with the core. */
  const loadParts = async (): Promise<LoadedParts> => {
    const live = await loadLive();
    if (schemas) await loading(live.loadChecks);
    return take(live);
  };

  // The parts come before the module, which is much larger: they send the first request.
  const load = (): Promise<Place> => Promise.all([here() ?? loadParts(), core(inflate)]).then(([, place]) => place);

  return {
    ...{ parts: here, loadParts },
    /** Loads the core before anybody asks for it. */
    begin: (): void => {
      const begun = (early = load());
      // Nobody has asked for anything yet: whoever does tries again.
      begun.catch(() => early === begun && (early = undefined));
    },
    /** The core. A load that failed is tried again. */
    load: (): Promise<Place> => {
      const begun = early ?? load();
      early = undefined;
      return begun;
    },
  };
}

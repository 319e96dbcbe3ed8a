// The core of an agent, and what the agent needs only once its core is there (live.ts): that comes as a chunk of its own, at the
// same time as the module.

import type { AgentSchemas } from "../api/schemas.js";
import type { Parts } from "../core/client.js";
import { loading } from "../core/loader.js";
import type { CallsClient } from "./calls.js";

/** All of live.ts. */
type LiveModule = typeof import("./live.js");

/** The part of it that one agent has. */
type OwnParts = Parts & LiveModule & ReturnType<LiveModule["createOwn"]>;

/** The core of one agent. */
export interface CoreSource<Place> {
  /** Loads the core before anybody asks for it. */
  begin(): void;
  /** The core. A load that failed is tried again. */
  load(): Promise<Place>;
  /** Loads what comes with it. */
  beside(): Promise<OwnParts>;
  /** The exports of the chunk, once it has come. */
  parts(): OwnParts | undefined;
}

let come: LiveModule | undefined;

/** Loads it unless it is there. */
export const loadBeside = (): Promise<LiveModule> => loading(async () => (come ??= await import("./live.js")));

/** The core that `core` loads, with what comes beside it. `schemas`: their checks come after that. */
export function createSource<Place>(core: () => Promise<Place>, calls: CallsClient, schemas: AgentSchemas<never> | undefined): CoreSource<Place> {
  let parts: OwnParts | undefined;
  // The load that began with the agent, until something needs it.
  let early: Promise<Place> | undefined;

  const take = (live: LiveModule): OwnParts => (parts ??= { ...live, ...live.createOwn(calls, schemas) });

  const loadAll = async (): Promise<LiveModule> => {
    const live = await loadBeside();
    if (schemas) await loading(live.loadChecks);
    return live;
  };

  const load = (): Promise<Place> => {
    const loaded = core();
    if (come && !schemas) take(come);
    if (parts) return loaded;
    return Promise.all([loaded, loadAll()]).then(([place, live]) => {
      take(live);
      return place;
    });
  };

  return {
    begin: () => {
      const begun = (early = load());
      // Nobody has asked for anything yet: whoever does tries again.
      begun.catch(() => early === begun && (early = undefined));
    },
    load: () => {
      const begun = early ?? load();
      early = undefined;
      return begun;
    },
    beside: () => loadAll().then(take),
    // Another agent of the page may have loaded it.
    parts: () => parts ?? (come && !schemas ? take(come) : undefined),
  };
}

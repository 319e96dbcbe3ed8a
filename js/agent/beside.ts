// The core of an agent, and what the agent needs only once its core is there (live.ts): that comes as a chunk of its own, at the
// same time as the module.

import type { AgentSchemas } from "../api/schemas.js";
import type { Parts } from "../core/client.js";
import { loading } from "../core/loader.js";
import type { CallsClient } from "./calls.js";

/** All of live.ts. */
type Beside = typeof import("./live.js");

/** The part of it that one agent has. */
type Own = Parts & Beside & ReturnType<Beside["createOwn"]>;

/** The core of one agent. */
export interface Source<Place> {
  /** Loads the core before anybody asks for it. */
  begin(): void;
  /** The core. A load that failed is tried again. */
  load(): Promise<Place>;
  /** Loads what comes with it. */
  beside(): Promise<Own>;
  /** The exports of the chunk, once it has come. */
  parts(): Own | undefined;
}

let come: Beside | undefined;

/** Loads it unless it is there. */
export const loadBeside = (): Promise<Beside> => loading(async () => (come ??= await import("./live.js")));

/** The core that `core` loads, with what comes beside it. `schemas`: their checks come after that. */
export function createSource<Place>(core: () => Promise<Place>, calls: CallsClient, schemas: AgentSchemas<never> | undefined): Source<Place> {
  let parts: Own | undefined;
  // The load that began with the agent, until something needs it.
  let early: Promise<Place> | undefined;

  const take = (live: Beside): Own => (parts ??= { ...live, ...live.createOwn(calls, schemas) });

  const loadAll = async (): Promise<Beside> => {
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

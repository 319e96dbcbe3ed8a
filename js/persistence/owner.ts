// Decides who may write the save of a store: one thread at a time in this page and, where the platform has Web Locks, in all tabs
// of the origin. The owner of a store also sends the queue of its save, and executes its calls. A busy owner keeps the store.
//
//   waits ──first in line──► asked ──lock granted──► owns ──somebody else wants it, and nothing is in progress here──► waits
//
// A tab that wants the store says so over a BroadcastChannel; the owner lets go once it is idle.

import type { AgentStore } from "../api/saving.js";
import type { Free } from "./lock.js";
import type { Early, SavesKit } from "./open.js";
import type { First, Text } from "./record.js";

/** A thread, as the other users of its store see it. */
export interface StoreMember {
  /** A run or a call is in progress here. */
  busy(): boolean;
  /** Lets go: writes nothing and begins nothing from now on. */
  surrender(): void;
  /** It owns the store now. */
  own(): void;
  /** Somebody else owns the store, and this one waits. */
  denied(): void;
  /** Somebody looks at it. */
  mounted(): boolean;
  /** Somebody else, who owns the store, has written to it. */
  look(): void;
}

/** One thread's share in its store. */
export interface Claim {
  /** Whether the thread owns the store. */
  owns(): boolean;
  /** Asks for the store. */
  ask(): void;
  /** The thread has become idle. */
  rest(): void;
  /** The thread is over. */
  leave(): void;
  /** Reads the store. */
  read(): unknown;
  /**
   * Writes after everything that was written before, by any thread of this page. `done`: settled, or hanging for `waitMs`; `kept`: the
   * save or its record is there.
   */
  write(save: string, waitMs: number, failed: (cause: unknown) => void, done: (kept: boolean) => void): void;
  /** This thread will write once the store has answered. Returns what to call when it has begun to, or never will. */
  promise(): () => void;
  /** Resolves once the page's write is in the store, or hangs; `undefined` if it is there already, or will be before the store is read. */
  written(): Promise<void> | undefined;
  /** Whether other tabs may own the store. */
  shared(): boolean;
  /** How often the store was written in this page. */
  version(): number;
}

/** The state that the threads of a page with the same store share: as a rule there is one thread. */
interface SharedStore {
  readonly kit: SavesKit;
  readonly key: string | undefined;
  /** The first is the page's owner. Weak, so that what nobody uses can be collected. */
  line: WeakRef<StoreMember>[];
  /** Where there are no locks, this page has it. */
  lock: "none" | "asked" | "held";
  free?: Free | undefined;
  channel?: BroadcastChannel | undefined;
  /** This tab does not only wait for its turn. */
  wants?: boolean;
  /** Another tab wants the store. */
  wanted?: boolean;
  /** Lets the lock go once nothing is being written. */
  leaving?: (() => void) | undefined;
  version: number;
  readonly text: Text;
  job?: Job | undefined;
  busy: number;
  hangs?: boolean;
  /** So many threads that have ended wait for the store, to write then. */
  promised: number;
  /** They read the store once nothing is being written. */
  readers: (() => void)[];
}

interface Job {
  readonly save: string;
  readonly failed: (cause: unknown) => void;
  readonly done: ((kept: boolean) => void)[];
}

const keyed = new Map<string, SharedStore>();
const others = new WeakMap<AgentStore, SharedStore>();

// Of all writes, so that a place that was forgotten is never taken for one that nobody wrote to.
let writes = 0;

const placeOf = (store: AgentStore, kit: SavesKit, text: Text = {}): SharedStore => {
  const { key } = store;
  let place = key === undefined ? others.get(store) : keyed.get(key);
  if (!place) {
    place = { kit, key, line: [], lock: "none", version: writes, text, busy: 0, promised: 0, readers: [] };
    if (key === undefined) others.set(store, place);
    else keyed.set(key, place);
  }
  return place;
};

/** The threads that use the store, the owner first. */
const lineOf = (place: SharedStore): StoreMember[] => {
  place.line = place.line.filter((each) => each.deref());
  return place.line.flatMap((each) => each.deref() ?? []);
};

const hasLock = (place: SharedStore): boolean => place.lock === "held" || !place.kit.locksFor(place.key);

const say = (place: SharedStore, what: "want" | "held" | "saved"): void => {
  try {
    place.channel?.postMessage(what);
  } catch {
    // Closed meanwhile.
  }
};

/** Shows the save in the agents that somebody looks at. */
const look = (place: SharedStore): void => {
  for (const member of lineOf(place)) if (member.mounted()) member.look();
};

const listen = (place: SharedStore): void => {
  if (place.channel) return;
  let channel: BroadcastChannel;
  try {
    channel = place.channel = new BroadcastChannel(`ag-ui-wasm:${place.key}`);
  } catch {
    // There is none, or not for a page whose site data is blocked.
    return;
  }
  // Node would stay alive for it.
  (channel as { unref?(): void }).unref?.();
  channel.onmessage = ({ data }) => {
    if (data === "saved") return look(place);
    if (data === "want") place.wanted = place.lock === "held";
    // Somebody who waits longer has it now, and has not heard who else wants it.
    else if (place.lock === "asked" && place.wants) say(place, "want");
    pass(place);
  };
};

/** Gives the store to whoever waits for it, if the owner is idle. */
const pass = (place: SharedStore): void => {
  const [owner, next] = lineOf(place);
  if (!owner || owner.busy()) return;
  if (next) {
    owner.surrender();
    place.line.shift();
    return lead(place, next);
  }
  if (!place.wanted || place.lock !== "held") return;
  place.wanted = false;
  owner.surrender();
  drop(place);
  // Waits for its turn, should the other tab go.
  if (owner.mounted()) request(place);
};

/** This one is the first in line now. */
const lead = (place: SharedStore, member: StoreMember): void => {
  if (hasLock(place)) member.own();
  else request(place, true);
};

/** Something is being written, or is to be. */
const owing = (place: SharedStore): boolean => place.promised > 0 || (place.busy > 0 && !place.hangs);

/** Lets the lock go, once what was written is in the store. */
const drop = (place: SharedStore): void => {
  const { free } = place;
  place.lock = "none";
  place.free = undefined;
  if (owing(place)) place.leaving = free;
  else free?.();
};

/** Nothing is being written, or it hangs. */
const leave = (place: SharedStore): void => {
  place.leaving?.();
  place.leaving = undefined;
  for (const read of place.readers.splice(0)) read();
};

/** No thread of this page uses the store. */
const abandon = (place: SharedStore): void => {
  if (place.lock === "held") drop(place);
  place.channel?.close();
  place.channel = undefined;
  if (!place.busy && !place.promised && place.key !== undefined && keyed.get(place.key) === place) keyed.delete(place.key);
};

const granted = (place: SharedStore): void => {
  place.lock = "held";
  place.wants = false;
  say(place, "held");
  const [first] = lineOf(place);
  if (first) first.own();
  else abandon(place);
};

/** Asks for the lock, unless that was done before (`asked`). */
const request = (place: SharedStore, active = false, asked?: Promise<Free | undefined>): void => {
  const { kit: { locksFor, takeLock }, key } = place;
  const locks = locksFor(key);
  if (!locks) return;
  listen(place);
  if (active) {
    place.wants = true;
    say(place, "want");
  }
  if (place.lock !== "none") return void asked?.then((free) => free?.());
  place.lock = "asked";
  const wait = async (): Promise<void> => {
    let free = await (asked ?? takeLock(locks, key));
    if (!free && place.wants) lineOf(place)[0]?.denied();
    free ??= await takeLock(locks, key, true);
    place.free = free;
    granted(place);
  };
  void wait();
};

/** The writes of a place, one after the other. */
const start = (place: SharedStore, store: AgentStore): void => {
  const { job } = place;
  if (!job || (place.busy && !store.ordered)) return;
  place.job = undefined;
  place.busy++;
  place.version = ++writes;
  place.kit.writeStore(store, place.text, job.save, (failure, kept) => {
    if (failure) job.failed(failure.cause);
    place.busy--;
    place.hangs = false;
    for (const done of job.done.splice(0)) done(kept);
    if (place.lock === "held" || place.leaving) say(place, "saved");
    queueMicrotask(() => look(place));
    start(place, store);
    if (!owing(place)) leave(place);
  });
};

/** An owner that was collected keeps no other tab waiting. Must hold none: nothing else may be in reach of this function. */
const forgetting = (place: SharedStore) => (): void => void (lineOf(place).length || abandon(place));

/** A thread's claim to a store. Nothing is asked for yet. */
export function createClaim(kit: SavesKit, store: AgentStore, member: StoreMember, first: First, early?: Early): Claim {
  // Looked up every time: a place is forgotten when nobody holds it.
  const at = (): SharedStore => placeOf(store, kit, early?.text);
  const leads = (place: SharedStore): boolean => lineOf(place)[0] === member;
  if (early?.lock) request(at(), false, early.lock);

  return {
    owns: () => leads(at()) && hasLock(at()),
    ask: () => {
      const place = at();
      const line = lineOf(place);
      if (!line.includes(member)) {
        place.line.push(new WeakRef(member));
        kit.whenCollected(member, forgetting(place));
        if (!line.length) return lead(place, member);
      } else if (line[0] === member) {
        return hasLock(place) ? undefined : request(place, true);
      }
      member.denied();
      pass(place);
    },
    rest: () => {
      const place = at();
      if ((place.line.length > 1 || place.wanted) && leads(place)) pass(place);
    },
    leave: () => {
      const place = at();
      const led = leads(place);
      place.line = place.line.filter((each) => each.deref() !== member);
      if (!led) return;
      const [next] = lineOf(place);
      if (next) lead(place, next);
      else abandon(place);
    },
    read: () => kit.readStore(store, at().text, first),
    write: (save, waitMs, failed, done) => {
      const place = at();
      let timer: ReturnType<typeof setTimeout> | undefined;
      let settled = false;
      const once = (kept: boolean): void => {
        clearTimeout(timer);
        if (!settled) done(kept);
        settled = true;
      };
      const job = { save, failed, done: [...(place.job?.done ?? []), once] };
      place.job = job;
      start(place, store);
      if (settled) return;
      // A store that hangs is waited for once.
      if (place.hangs) return once(false);
      timer = setTimeout(() => {
        place.hangs = true;
        once(false);
        if (!owing(place)) leave(place);
      }, Math.min(waitMs, 1e9));
    },
    promise: () => {
      const place = at();
      place.promised++;
      let over = false;
      return () => {
        if (!over) place.promised--;
        over = true;
        if (!owing(place)) leave(place);
      };
    },
    written: () => {
      const place = at();
      if (!place.promised && (!owing(place) || store.ordered)) return undefined;
      return new Promise((resolve) => place.readers.push(resolve));
    },
    shared: () => !!kit.locksFor(store.key),
    version: () => at().version,
  };
}

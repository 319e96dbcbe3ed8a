// Who may write the save of a store: one agent at a time in this page and, where the platform has Web Locks, in all tabs
// of the origin. The owner of a store also sends the queue of its save, and executes its calls.
//
//   nobody ──ask──► asked ──granted──► owned ──another agent acts──► nobody's own, until it asks again
//                     ▲                  │
//                     └──another tab asks, and nothing is in progress here
//
// A tab that wants the store says so over a BroadcastChannel; the owner lets go once it is idle.

import { lockManager } from "../base/locks.js";
import type { AgentStore } from "../api/saving.js";
import { readStore, writeStore, type Text } from "./record.js";

/** An agent, as the other users of its store see it. */
export interface Member {
  /** A run or a call is in progress here. */
  busy(): boolean;
  /** Lets go: writes nothing and begins nothing from now on. Returns its save as it is now. */
  surrender(): string | undefined;
  /** It owns the store now. `save`: what the owner before it had, where that was an agent of this page. */
  own(save: string | undefined): void;
  /** Another agent owns the store, and this one waits. */
  denied(): void;
  /** Somebody looks at it. */
  mounted(): boolean;
  /** Somebody else, who owns the store, has written to it. */
  look(): void;
}

/** One agent's share in its store. */
export interface Claim {
  /** Whether the agent owns the store. */
  owns(): boolean;
  /** Asks for the store; `acts`: at once, also from an agent of this page that is busy. */
  ask(acts: boolean): void;
  /** The agent has become idle. */
  rest(): void;
  /** The agent is over; this was its last save. */
  leave(save: string | undefined): void;
  /** What the store has. */
  read(): unknown;
  /**
   * Writes after everything that was written before, by any agent of this page. `done`: settled, or hanging for `waitMs`; `kept`: the
   * save or its record is there.
   */
  write(save: string, waitMs: number, failed: (cause: unknown) => void, done: (kept: boolean) => void): void;
  /** This agent will write once the store has answered. Returns what to call when it has begun to, or never will. */
  promise(): () => void;
  /** What this page is writing is in the store, or hangs; nothing if it is there already, or will be before it is read. */
  written(): Promise<void> | undefined;
  /** Whether other tabs may own the store. */
  shared(): boolean;
  /** How often the store was written in this page, by any of its agents. */
  version(): number;
}

/** What the agents of a page share that have the same store. */
interface Place {
  readonly key: string | undefined;
  /** Weak, so that an agent that nobody uses can be collected. */
  holder?: WeakRef<Member> | undefined;
  /** All that have asked for the store, weak as well. */
  readonly members: Set<WeakRef<Member>>;
  /** Of this page: wait until the holder is idle, the first of them first. */
  readonly waiting: Set<Member>;
  /** Of this page: owned it before the holder. */
  before?: WeakRef<Member> | undefined;
  /** Where there are no locks, this page has it. */
  lock: "none" | "asked" | "held";
  free?: (() => void) | undefined;
  channel?: BroadcastChannel | undefined;
  /** Another tab wants the store. */
  wanted?: boolean;
  /** Lets the lock go once nothing is being written. */
  leaving?: (() => void) | undefined;
  version: number;
  readonly text: Text;
  job?: Job | undefined;
  busy: number;
  hangs?: boolean;
  /** So many agents that have ended wait for the store, to write then. */
  promised: number;
  /** The agents that read the store once nothing is being written. */
  readers: (() => void)[];
}

interface Job {
  readonly save: string;
  readonly failed: (cause: unknown) => void;
  readonly done: ((kept: boolean) => void)[];
}

const keyed = new Map<string, Place>();
const others = new WeakMap<AgentStore, Place>();

// Of all writes, so that a place that was forgotten is never taken for one that nobody wrote to.
let writes = 0;

const placeOf = (store: AgentStore): Place => {
  const { key } = store;
  let place = key === undefined ? others.get(store) : keyed.get(key);
  if (!place) {
    place = { key, lock: "none", version: writes, text: {}, busy: 0, promised: 0, readers: [], members: new Set(), waiting: new Set() };
    if (key === undefined) others.set(store, place);
    else keyed.set(key, place);
  }
  return place;
};

const locks = (place: Place): LockManager | undefined =>
  place.key !== undefined && ("document" in globalThis || "WorkerGlobalScope" in globalThis) ? lockManager() : undefined;

// An owner that was collected keeps no other tab waiting.
const collected = typeof FinalizationRegistry === "function" ? new FinalizationRegistry<Place>((place) => place.holder?.deref() || abandon(place)) : undefined;

const hasLock = (place: Place): boolean => place.lock === "held" || !locks(place);

const say = (place: Place, what: "want" | "held" | "saved"): void => {
  try {
    place.channel?.postMessage(what);
  } catch {
    // Closed meanwhile.
  }
};

/** Those that somebody looks at show what was saved. */
const look = ({ members }: Place): void => {
  for (const each of members) {
    const member = each.deref();
    if (!member) members.delete(each);
    else if (member.mounted()) member.look();
  }
};

const listen = (place: Place): void => {
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
    else if (place.lock === "asked" && wants.has(place)) say(place, "want");
    pass(place);
  };
};

// Those that do not only wait for their turn.
const wants = new WeakSet<Place>();

const lead = (place: Place, member: Member): void => {
  place.holder = new WeakRef(member);
  collected?.register(member, place);
};

/** An agent that nobody needs does not wait. */
const prune = ({ waiting }: Place): void => {
  for (const member of waiting) if (!member.busy() && !member.mounted()) waiting.delete(member);
};

/** The agent that has waited longest. */
const nextOf = (place: Place): Member | undefined => {
  prune(place);
  const [next] = place.waiting;
  return next;
};

/** The agent that owns the store after its holder is gone. */
const heirOf = (place: Place): Member | undefined => {
  const last = place.before?.deref();
  return nextOf(place) ?? (last?.mounted() ? last : undefined);
};

/** Gives the store to whoever waits for it, if the holder is idle. */
const pass = (place: Place): void => {
  const holder = place.holder?.deref();
  if (holder?.busy()) return;
  const next = nextOf(place);
  if (next) return hand(place, next);
  if (!place.wanted || place.lock !== "held") return;
  place.wanted = false;
  holder?.surrender();
  drop(place);
  // Waits for its turn, should the other tab go.
  if (holder?.mounted()) request(place);
};

/** Gives the store to another agent of the page. */
const hand = (place: Place, member: Member): void => {
  const holder = place.holder?.deref();
  place.waiting.delete(member);
  const save = holder?.surrender();
  // What was called there, and waits for the store as well, has its turn.
  if (save === undefined && holder?.busy()) place.waiting.add(holder);
  place.before = place.holder;
  lead(place, member);
  if (hasLock(place)) member.own(save);
  else request(place, true);
};

/** Something is being written, or is to be. */
const owing = (place: Place): boolean => place.promised > 0 || (place.busy > 0 && !place.hangs);

/** Lets the lock go, once what was written is in the store. */
const drop = (place: Place): void => {
  const { free } = place;
  place.lock = "none";
  place.free = undefined;
  if (owing(place)) place.leaving = free;
  else free?.();
};

/** Nothing is being written, or it hangs. */
const leave = (place: Place): void => {
  place.leaving?.();
  place.leaving = undefined;
  for (const read of place.readers.splice(0)) read();
};

const abandon = (place: Place): void => {
  place.holder = undefined;
  const next = heirOf(place);
  place.before = undefined;
  if (next) return hand(place, next);
  if (place.lock === "held") drop(place);
  place.channel?.close();
  place.channel = undefined;
  if (!place.busy && !place.promised && place.key !== undefined && keyed.get(place.key) === place) keyed.delete(place.key);
};

const granted = (place: Place): void => {
  place.lock = "held";
  wants.delete(place);
  say(place, "held");
  const holder = place.holder?.deref();
  if (holder) holder.own(undefined);
  else abandon(place);
};

/** Asks the platform for the lock. */
const request = (place: Place, active = false): void => {
  const manager = locks(place);
  if (!manager) return;
  listen(place);
  if (active) {
    wants.add(place);
    say(place, "want");
  }
  if (place.lock !== "none") return;
  place.lock = "asked";
  const name = `ag-ui-wasm:${place.key}`;
  const hold = (): Promise<void> =>
    new Promise((free) => {
      place.free = free;
      granted(place);
    });
  const wait = async (): Promise<void> => {
    const got = await manager.request(name, { ifAvailable: true }, (lock) => {
      if (lock) return hold().then(() => true);
      if (active) place.holder?.deref()?.denied();
      return false;
    });
    if (!got) await manager.request(name, hold);
  };
  wait().catch(() => {
    // An origin that may not have locks: one page at a time is all that can be seen to.
    if (place.lock === "asked") granted(place);
  });
};

/** The writes of a place, one after the other. */
const start = (place: Place, store: AgentStore): void => {
  const { job } = place;
  if (!job || (place.busy && !store.ordered)) return;
  place.job = undefined;
  place.busy++;
  place.version = ++writes;
  writeStore(store, place.text, JSON.parse(job.save), (failure, kept) => {
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

/** An agent's claim to a store. Nothing is asked for yet. */
export function createClaim(store: AgentStore, member: Member): Claim {
  // Looked up every time: a place is forgotten when nobody holds it.
  const at = (): Place => placeOf(store);
  const self = new WeakRef(member);
  const mine = (place: Place): boolean => place.holder?.deref() === member;

  return {
    owns: () => mine(at()) && hasLock(at()),
    ask: (acts) => {
      const place = at();
      place.members.add(self);
      if (mine(place)) {
        if (!hasLock(place)) request(place, true);
      } else if (place.holder?.deref()?.busy() && !acts) {
        prune(place);
        place.waiting.add(member);
        member.denied();
      } else hand(place, member);
    },
    rest: () => {
      const place = at();
      if ((place.waiting.size || place.wanted) && mine(place)) pass(place);
    },
    leave: (save) => {
      const place = at();
      place.waiting.delete(member);
      place.members.delete(self);
      if (!mine(place)) return;
      const next = heirOf(place);
      place.before = place.holder = undefined;
      if (!next) return abandon(place);
      place.waiting.delete(next);
      lead(place, next);
      if (hasLock(place)) next.own(save);
    },
    read: () => readStore(store, at().text),
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
      }, waitMs);
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
    shared: () => !!locks(at()),
    version: () => at().version,
  };
}

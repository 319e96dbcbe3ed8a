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
import { createWriter, type Write, type Writer } from "./writer.js";

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
export interface Claim extends Pick<Writer, "promise"> {
  /** Whether the thread owns the store. */
  owns(): boolean;
  /** Asks for the store. */
  ask(): void;
  /** The thread has become idle. */
  rest(): void;
  /** The thread is over. */
  leave(): void;
  /** Reads the store once the write that this page has begun is there, or hangs: a thread before this one may have just ended. */
  read(): unknown;
  write(write: Omit<Write, "store">, waitMs: number): void;
  /** Another number whenever the store may have become another one: a thread of this page has written, or another tab had the lock. */
  version(): number;
}

/** The store as the threads of a page share it: as a rule there is one thread. */
interface SharedStore {
  readonly kit: SavesKit;
  readonly key: string | undefined;
  readonly text: Text;
  readonly writer: Writer;
  version: number;
  /** The first is the page's owner. Weak, so that what nobody uses can be collected. */
  line: WeakRef<StoreMember>[];
  /** Waits for its turn, wants it at once, or has it; `wanted`: another tab wants it. Where there are no locks, the page has it. */
  lock: "none" | "waits" | "wants" | { readonly free: Free; wanted?: boolean };
  channel?: BroadcastChannel | undefined;
}

// Held by the threads that use them, by what is being written, and while the lock is held.
const places = new Map<string | AgentStore, WeakRef<SharedStore>>();

const placeOf = (store: AgentStore, kit: SavesKit, text: Text = {}): SharedStore => {
  const { key } = store;
  const known = places.get(key ?? store)?.deref();
  if (known) return known;
  const writer = createWriter(kit, text, () => void place.version++, () => {
    say(place, "saved");
    queueMicrotask(() => look(place));
  });
  const place: SharedStore = { kit, key, text, writer, version: 0, line: [], lock: "none" };
  for (const [other, held] of places) if (!held.deref()) places.delete(other);
  places.set(key ?? store, new WeakRef(place));
  return place;
};

/** The threads that use the store, the owner first. */
const lineOf = (place: SharedStore): StoreMember[] => {
  place.line = place.line.filter((each) => each.deref());
  return place.line.flatMap((each) => each.deref() ?? []);
};

const hasLock = ({ kit, key, lock }: SharedStore): boolean => typeof lock === "object" || !kit.locksFor(key);

/** Another thread of this page waits for the store, or another tab wants it. */
const isWanted = ({ line, lock }: SharedStore): unknown => line.length > 1 || (typeof lock === "object" && lock.wanted);

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
    const { lock } = place;
    if (data === "want" && typeof lock === "object") lock.wanted = true;
    // Somebody who waits longer has it now, and has not heard who else wants it.
    if (data === "held" && lock === "wants") say(place, "want");
    pass(place);
  };
};

/** Gives the store to whoever waits for it, if the owner is idle. */
const pass = (place: SharedStore): void => {
  const [owner, next] = lineOf(place);
  if (!owner || !isWanted(place) || owner.busy()) return;
  owner.surrender();
  if (next) {
    place.line.shift();
    return lead(place, next);
  }
  drop(place);
  // Waits for its turn, should the other tab go.
  if (owner.mounted()) request(place);
};

/** This one is the first in line now. */
const lead = (place: SharedStore, member: StoreMember): void => {
  if (hasLock(place)) member.own();
  else request(place, true);
};

/** Lets the lock go, once what was written is in the store. */
const drop = (place: SharedStore): void => {
  const { lock } = place;
  if (typeof lock !== "object") return;
  place.lock = "none";
  place.writer.whenDone(lock.free);
};

/** No thread of this page uses the store. */
const abandon = (place: SharedStore): void => {
  drop(place);
  place.channel?.close();
  place.channel = undefined;
};

/** Asks for the lock, `active` before its turn, unless that was done before (`early`). */
const request = (place: SharedStore, active = false, early?: Early): void => {
  const { kit: { locksFor, takeLock }, key, lock } = place;
  if (!locksFor(key)) return;
  listen(place);
  if (active) {
    place.lock = "wants";
    say(place, "want");
  }
  if (lock !== "none") return void early?.lock?.then((free) => free?.());
  if (!active) place.lock = "waits";
  const sure = early?.owns;
  const wait = async (): Promise<void> => {
    const free = await (early?.lock ?? takeLock(key));
    if (!free && place.lock === "wants") lineOf(place)[0]?.denied();
    place.lock = { free: free ?? (await takeLock(key, true))! };
    if (!sure) place.version++;
    say(place, "held");
    const [first] = lineOf(place);
    if (first) first.own();
    else abandon(place);
  };
  void wait();
};

/** An owner that was collected keeps no other tab waiting. Must hold none: nothing else may be in reach of this function. */
const forgetting = (place: SharedStore) => (): void => void (lineOf(place).length || abandon(place));

/** A thread's claim to a store. Nothing is asked for yet. */
export function createClaim(kit: SavesKit, store: AgentStore, member: StoreMember, first: First, early?: Early): Claim {
  const place = placeOf(store, kit, early?.text);
  const { writer } = place;
  const leads = (): boolean => lineOf(place)[0] === member;
  if (early?.lock) request(place, false, early);

  const read = (): unknown => {
    if (!writer.owes(store.ordered)) return kit.readStore(store, place.text, first);
    return new Promise<void>((done) => writer.whenDone(done)).then(read);
  };

  return {
    owns: () => leads() && hasLock(place),
    ask: () => {
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
      if (leads()) pass(place);
    },
    leave: () => {
      const led = leads();
      place.line = place.line.filter((each) => each.deref() !== member);
      if (!led) return;
      const [next] = lineOf(place);
      if (next) lead(place, next);
      else abandon(place);
    },
    read,
    write: (write, waitMs) => writer.write({ ...write, store }, waitMs),
    promise: writer.promise,
    version: () => place.version,
  };
}

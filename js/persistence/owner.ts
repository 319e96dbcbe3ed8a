// Decides who may write the save of a store: the thread that has its lock, one of all tabs of the origin. Where the platform has no Web
// Locks, or the store no key, the lock is this page's. The owner also sends the queue of the save, and executes its calls.
//
//   none ──asks──► waits ──its turn──► has ──another thread wants it, and nothing is in progress here──► none
//
// A thread whose calls wait for the lock says so to the others, in this page and over a BroadcastChannel. A busy owner keeps the lock.

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
  /** Its calls wait for the store. */
  denied(): void;
  /** Somebody looks at it. */
  mounted(): boolean;
  /** The owner of the store has written to it. */
  look(): void;
}

/** One thread's claim to its store. */
export interface Claim {
  /** Whether the thread owns the store. */
  owns(): boolean;
  /** Asks for the store. */
  ask(): void;
  /** The thread has become idle. */
  rest(): void;
  /** The thread is over, or nobody uses it. */
  leave(): void;
  /** Reads the store once the write that this page has begun is there, or hangs: a thread before this one may have just ended. */
  read(): unknown;
  write(write: Omit<Write, "store">, waitMs: number): void;
  /** Another number whenever another thread may have written to the store. */
  version(): number;
}

/** A store, as the threads of a page share it: as a rule there is one thread. */
interface Place {
  readonly kit: SavesKit;
  readonly key: string | undefined;
  readonly text: Text;
  readonly writer: Writer;
  version: number;
  readonly seats: Set<Seat>;
  /** Where the platform has no locks: the threads that have asked for the page's. The first has it. */
  readonly line: Seat[];
  channel?: BroadcastChannel | undefined;
}

/** A thread in its place. */
interface Seat {
  readonly place: Place;
  /** Weak, so that what nobody uses can be collected. */
  readonly member: WeakRef<StoreMember>;
  lock: "none" | "waits" | Free;
  /** Its calls wait for the lock. */
  wants: boolean;
  /** The calls of another thread do. */
  wanted: boolean;
}

// Held by the threads that use them, by what is being written, and while the lock is held.
const places = new Map<string | AgentStore, WeakRef<Place>>();

const placeOf = (store: AgentStore, kit: SavesKit, text: Text = {}): Place => {
  const { key } = store;
  const known = places.get(key ?? store)?.deref();
  if (known) return known;
  const writer = createWriter(kit, text, () => tell(place, "saved"));
  const place: Place = { kit, key, text, writer, version: 0, seats: new Set(), line: [] };
  for (const [other, held] of places) if (!held.deref()) places.delete(other);
  places.set(key ?? store, new WeakRef(place));
  return place;
};

type Word = "want" | "held" | "saved";

/** Says it to the other threads, of this page and of other tabs. */
const tell = (place: Place, what: Word, by?: Seat): void => {
  for (const seat of place.seats) if (seat !== by) queueMicrotask(() => hear(seat, what));
  try {
    place.channel?.postMessage(what);
  } catch {
    // Closed meanwhile.
  }
};

const hear = (seat: Seat, what: Word): void => {
  const member = seat.member.deref();
  if (what === "saved") return void (member?.mounted() && member.look());
  // Another thread that waits has it now, and has not heard who else wants it.
  if (what === "held") return void (seat.wants && tell(seat.place, "want", seat));
  seat.wanted = true;
  pass(seat);
};

const listen = (place: Place): void => {
  try {
    place.channel ??= new BroadcastChannel(`ag-ui-wasm:${place.key}`);
  } catch {
    // There is none, or not for a page whose site data is blocked.
    return;
  }
  // Node would stay alive for it.
  (place.channel as { unref?(): void }).unref?.();
  place.channel.onmessage = ({ data }) => {
    for (const seat of place.seats) hear(seat, data);
  };
};

const owns = ({ lock }: Seat): boolean => typeof lock === "function";

/** Lets the store go if another thread wants it, and nothing is in progress here. */
const pass = (seat: Seat): void => {
  const member = seat.member.deref();
  if (!member || !owns(seat) || !seat.wanted || member.busy()) return;
  member.surrender();
  drop(seat);
  // Waits for its turn, should the other thread go.
  if (member.mounted()) request(seat);
};

/** Lets the lock go, once what was written is in the store. */
const drop = (seat: Seat): void => {
  const { lock, place } = seat;
  if (typeof lock !== "function") return;
  seat.lock = "none";
  place.writer.whenDone(lock);
};

/** The thread uses its store no longer. */
const leave = (seat: Seat): void => {
  const { place } = seat;
  seat.wants = false;
  place.seats.delete(seat);
  drop(seat);
  if (place.seats.size) return;
  place.channel?.close();
  place.channel = undefined;
};

/** Asks for the lock, unless that was done before (`early`). */
const request = (seat: Seat, early?: Early): void => {
  const { place } = seat;
  const { kit, key } = place;
  place.seats.add(seat);
  if (seat.lock !== "none") return;
  seat.lock = "waits";
  const lock = early?.lock ?? kit.takeLock(key);
  if (!lock) return lineUp(seat);
  const sure = early?.owns;
  listen(place);
  void lock.then((free) => {
    if (!sure) place.version++;
    if (free) have(seat, free);
    else lineUp(seat);
  });
};

/** Has the page's lock now, or after those that have asked for it before. */
const lineUp = (seat: Seat): void => {
  const { line } = seat.place;
  line.push(seat);
  if (line[0] === seat) have(seat, () => next(seat.place));
};

const next = (place: Place): void => {
  place.version++;
  place.line.shift();
  const [seat] = place.line;
  if (seat) have(seat, () => next(place));
};

const have = (seat: Seat, free: Free): void => {
  const { place } = seat;
  const member = seat.member.deref();
  seat.lock = free;
  // It has left, or was collected.
  if (!member || !place.seats.has(seat)) return drop(seat);
  seat.wants = seat.wanted = false;
  tell(place, "held", seat);
  member.own();
};

/** A thread's claim to a store. Nothing is asked for yet. */
export function createClaim(kit: SavesKit, store: AgentStore, member: StoreMember, first: First, early?: Early): Claim {
  const place = placeOf(store, kit, early?.text);
  const seat: Seat = { place, member: new WeakRef(member), lock: "none", wants: false, wanted: false };
  // Must not hold the member: nothing else may be in reach of this function.
  kit.whenCollected(member, leaving(seat));
  if (early?.lock) request(seat, early);

  const read = (): unknown => {
    const { writer, text } = place;
    return writer.busy() ? new Promise<void>((done) => writer.whenDone(done)).then(read) : kit.readStore(store, text, first);
  };

  return {
    owns: () => owns(seat),
    ask: () => {
      request(seat);
      if (owns(seat) || seat.wants) return;
      seat.wants = true;
      tell(place, "want", seat);
      member.denied();
    },
    rest: () => pass(seat),
    leave: () => leave(seat),
    read,
    write: (write, waitMs) => place.writer.write({ ...write, store }, waitMs),
    version: () => place.version,
  };
}

/** An owner that was collected keeps nobody waiting. */
const leaving = (seat: Seat) => (): void => leave(seat);

// Decides who may write the save of a store: the thread that has its lock, one of all tabs of the origin. Where the platform has no Web
// Locks, or the store no key, the lock is this page's. The owner also sends the queue of the save, and executes its calls.
//
//   none ──asks──► waits ──its turn──► has ──another thread wants it, and nothing is in progress here──► none
//
// A thread whose calls wait for the lock says so to the others, in this page and over a BroadcastChannel. A busy owner keeps the lock.

import type { AgentStore } from "../api/saving.js";
import { kit } from "./kit.js";
import type { Free } from "./lock.js";
import type { Early } from "./open.js";
import type { StoredTexts } from "./record.js";
import type { StoredSaves } from "./saves.js";
import { createWriter, type Writer } from "./writer.js";

type Word = "want" | "held" | "saved";

/** A store, as the threads of a page share it: as a rule there is one thread. */
interface StorePlace {
  readonly key: string | undefined;
  readonly text: StoredTexts;
  readonly writer: Writer;
  /** Another number whenever another thread may have written to the store. */
  version: number;
  readonly claims: Set<Claim>;
  /** Where the platform has no locks: those that have asked for the page's. The first has it. */
  readonly line: (() => void)[];
  channel?: BroadcastChannel | undefined;
}

// Held by the threads that use them, by what is being written, and while the lock is held.
const places = new Map<string | AgentStore, WeakRef<StorePlace>>();

const placeOf = (store: AgentStore, text: StoredTexts): StorePlace => {
  const { key } = store;
  // A server has pages of several users.
  const name = (kit.inPage() && key) || store;
  const known = places.get(name)?.deref();
  if (known) return known;
  const place: StorePlace = { key, text, writer: createWriter(text, () => tell(place, "saved")), version: 0, claims: new Set(), line: [] };
  for (const [other, held] of places) if (!held.deref()) places.delete(other);
  places.set(name, new WeakRef(place));
  return place;
};

/** Tells the other threads, of this page and of other tabs. */
const tell = (place: StorePlace, what: Word, by?: Claim): void => {
  for (const claim of place.claims) if (claim !== by) queueMicrotask(() => claim.hear(what));
  place.channel?.postMessage(what);
};

const listen = (place: StorePlace): void => {
  try {
    const channel = place.channel ??= new BroadcastChannel(`ag-ui-wasm:${place.key}`);
    // Node would stay alive for it.
    (channel as { unref?(): void }).unref?.();
    channel.onmessage = ({ data }) => place.claims.forEach((claim) => claim.hear(data));
  } catch {
    // There is none, or not for a page whose site data is blocked.
  }
};

/** Gives the page's lock, now or after those that have asked for it before. */
const lineUp = (place: StorePlace, give: (free: Free) => void): void => {
  const free = (): void => {
    place.version++;
    place.line.shift();
    place.line[0]?.();
  };
  if (place.line.push(() => give(free)) === 1) give(free);
};

/** One thread's claim to its store. It holds the thread weakly, so that what nobody uses can be collected. */
export class Claim {
  #lock: "none" | "waits" | Free = "none";
  /** The calls of this thread wait for the lock. */
  #wants = false;
  /** The calls of another one do. */
  #wanted = false;
  /** The version of the store that was read last. */
  #seen: number;
  readonly #place: StorePlace;
  readonly writer: Writer;
  readonly #member: WeakRef<StoredSaves>;

  /** Nothing is asked for yet, unless that was done before (`early`). */
  constructor(private readonly store: AgentStore, member: StoredSaves, early: Early) {
    this.#place = placeOf(store, early.text);
    this.writer = this.#place.writer;
    this.#seen = this.#place.version;
    this.#member = new WeakRef(member);
    // A thread that was collected keeps nobody waiting.
    kit.whenCollected(member, this.leave);
    if (early.lock) this.#request(early.lock);
  }

  /** Whether the thread owns the store. */
  owns(): boolean {
    return typeof this.#lock === "function";
  }

  /** Whether it does, and nobody has written since it was read. */
  knows(): boolean {
    return this.owns() && this.#seen === this.#place.version;
  }

  /** Asks for the store. Says whether calls have to wait for it from now on. */
  ask(): boolean {
    this.#request();
    if (this.owns() || this.#wants) return false;
    tell(this.#place, "want", this);
    return this.#wants = true;
  }

  /** Whether another thread waits for the store, here or in another page. */
  async hasCompany(): Promise<boolean> {
    const { key, line } = this.#place;
    try {
      return line.length > 1 || (await navigator.locks.query()).pending!.some(({ name }) => name === `ag-ui-wasm:${key}`);
    } catch {
      // There are no locks: each page has the store at once.
      return false;
    }
  }

  /** The thread has become idle: lets the store go if another thread wants it. */
  readonly rest = (): void => {
    const member = this.#member.deref();
    if (!member || !this.owns() || !this.#wanted || member.busy()) return;
    member.letGo();
    this.#drop();
    // It waits for its next turn.
    if (member.thread.members.watched()) this.#request();
  };

  /** The thread uses its store no longer. */
  readonly leave = (): void => {
    const place = this.#place;
    this.#wants = false;
    place.claims.delete(this);
    this.#drop();
    if (place.claims.size) return;
    place.channel?.close();
    place.channel = undefined;
  };

  /** Reads the store once the write that this page has begun is there, or hangs: a thread before this one may have just ended. */
  readonly read = (): unknown => {
    const { writer, text, version } = this.#place;
    if (writer.busy()) return new Promise<void>(writer.whenDone).then(this.read);
    this.#seen = version;
    return kit.readStore(this.store, text);
  };

  /** Another thread has said it. */
  hear(what: Word): void {
    if (what === "saved") this.#member.deref()?.look();
    // Another one that waits has the lock now, and has not heard who else wants it.
    if (what === "held" && this.#wants) tell(this.#place, "want", this);
    this.#wanted ||= what === "want";
    this.rest();
  }

  #request(lock?: Early["lock"]): void {
    const place = this.#place;
    place.claims.add(this);
    if (this.#lock !== "none") return;
    this.#lock = "waits";
    const taken = lock ?? kit.takeLock(place.key);
    if (!taken) return lineUp(place, this.#have);
    listen(place);
    void taken.then((free) => {
      place.version++;
      if (free) this.#have(free);
      else lineUp(place, this.#have);
    });
  }

  readonly #have = (free: Free): void => {
    const member = this.#member.deref();
    this.#lock = free;
    // It has left, or was collected.
    if (!member || !this.#place.claims.has(this)) return this.#drop();
    this.#wants = this.#wanted = false;
    tell(this.#place, "held", this);
    member.own();
  };

  /** Lets the lock go, once what was written is in the store. */
  #drop(): void {
    const lock = this.#lock;
    if (typeof lock !== "function") return;
    this.#lock = "none";
    this.#place.writer.whenDone(lock);
  }
}

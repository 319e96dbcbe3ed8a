// The saves of a thread with the option `persist`: it owns its store before it acts (owner.ts), begins with what is there, and writes what the
// core or the page says: changes that came too late to be shown as well, and never over a save that was not read. The one place that
// decides what is written.
//
// Its calls wait until the store is its own and was read, and again once it has let go:
//
//   closed ──open──► open ──letGo──► closed       each ──the end──► ended
//
// The store, meanwhile:
//
//   known ──ask──► asked ──► known                         `late`: nothing is written until the answer comes
//                    ├──limit──► late ──answer──► known    `refused`: it is read once more before anything is written
//                    └──error──► refused

import type { AgentError } from "../api/error.js";
import type { Beginning, Saves, SavesClient, SavesOptions } from "../api/saves.js";
import type { SavedAgent } from "../api/saving.js";
import { later } from "../base/timer.js";
import { Inbox } from "./inbox.js";
import { kit } from "./kit.js";
import { mergeSaves, withoutLeft } from "./merge.js";
import type { Early, SavesKit } from "./open.js";
import { Claim } from "./owner.js";
import type { WriteFailure } from "./write.js";

const nothing = (): void => {};

/** A thread that was not read: all that is found next was there. */
const unread = "{}";

/** The saves of a thread in the store of its option `persist`. */
export class StoredSaves implements Saves {
  private readonly saving: NonNullable<SavesOptions["saving"]>;
  private readonly claim: Claim;
  private readonly inbox: Inbox;
  private gate: "closed" | "open" | "ended" = "closed";
  /** The calls that wait for it to open. */
  private readonly waiting: (() => void)[] = [];
  private store: "asked" | "late" | "refused" | "known" = "known";
  /** The last question to the store: the answer to an earlier one is of no use. */
  private question = {};
  /**
   * The save that the thread shows, or has written last: JSON text. While it works: the thread as it began, if a save that is late may still take
   * its place.
   */
  private last: string | undefined;
  /**
   * A save that was never in the store or in the thread: of the thread, as it let go of the store, for what is found there; or found too late, for the next
   * one that is written.
   */
  private aside: string | undefined;
  /** Whether another page waits for the store, while letters are taken. */
  private company: boolean | "asked" | undefined;
  /** The threads that were there as this one began anew, which the store may still have: JSON texts. */
  private left: readonly string[] = [];
  /** A save that the store has, and that is of no use: JSON text. */
  private unfit: string | undefined;
  /** The store had nothing when it was asked last. */
  private empty = false;
  /** The store cannot be read, which was reported: why. */
  private refusedFor: string | undefined;
  /** Something has changed that is not in the store. */
  private dirty = false;
  /** The state of the save that was found last, or of a thread without one: JSON text. */
  private state: string;
  /** The owner has written something since the store was asked. */
  private looks = false;
  /** The last warning: a store that is full is so all the time. */
  private reported: string | undefined;
  /** The store has taken nothing of the last save that the core has asked for. */
  private lost = false;
  /** The time to save, if something has changed, and how long that has taken the last time. */
  private timer: ReturnType<typeof setTimeout> | undefined;
  private cost = 0;
  /** The time after which nobody is expected back. */
  private lingering: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly given: SavesOptions, readonly thread: SavesClient, readonly beginning: Beginning, readonly early: Early) {
    this.saving = given.saving ?? {};
    this.last = early.shown;
    this.state = JSON.stringify(early.text.first?.state);
    if (early.left !== undefined) this.left = [early.left];
    this.claim = new Claim(given.persist!, this, early);
    this.inbox = new Inbox(early, given, thread);
  }

  begin(): void {
    const { early, claim, given: { restore } } = this;
    // The application's own save is not the store's, and may take its time.
    this.ask(() => ("answer" in early ? early.answer : (restore ?? claim.read())), restore == null ? undefined : Infinity);
  }

  readonly ready = async (): Promise<void> => {
    while (this.gate === "closed") await new Promise<void>((open) => this.waiting.push(open));
  };

  use(): void {
    if (this.gate === "ended" || !this.claim.ask()) return;
    later(1000, () => this.claim.owns() || this.#warn("not-owner", "Another agent or tab owns this save: calls wait for it, and are not saved"));
  }

  changed(): void {
    this.#touch();
    this.inbox.update();
    if (this.#isDeserted()) queueMicrotask(this.rest);
  }

  readonly alone = (): void => {
    const { linger = Infinity } = this.saving;
    clearTimeout(this.lingering);
    if (linger < Infinity) this.lingering = later(linger, () => this.#hangUp());
  };

  readonly rest = (): void => this.claim.rest();

  ended(): void {
    // The core says when there is something to save. A page that is left may be refused the core: what waits for that waits in the next page, too.
    if (!this.thread.link.live() && this.gate === "open") this.#touch();
  }

  readonly refusal = (): AgentError | undefined =>
    this.lost && this.saving.required ? kit.unsupported("not-saved", "The store keeps nothing of it, and saving.required is set") : undefined;

  readonly save = (): void => this.put();

  write(whole: string, done: () => void, changes?: string): void {
    const { claim, given: { persist } } = this;
    // The owner of the store begins the submits that wait in it.
    if (!claim.owns()) return;
    const wrote = (kept: boolean): void => {
      this.lost = !kept;
      done();
    };
    if (changes === undefined) return this.put(whole, wrote);
    if (this.store !== "known" || this.aside !== undefined || !claim.writer.follows(persist!, whole)) return this.put(undefined, wrote);
    this.put(changes, (kept) => (kept || this.gate !== "open" ? wrote(kept) : this.put(undefined, wrote)), true);
    // The text is written later.
    this.#touch();
  }

  quarantine(json: string): void {
    const { claim, given: { persist } } = this;
    if (!persist!.quarantine || !claim.owns()) return;
    const kept = (): void => this.#warn("quarantined", "The save of this thread is of no use: it is put aside, and the thread goes on without it");
    kit.settle(() => persist!.quarantine!(JSON.parse(json)), kept, (cause) => this.#report({ cause }));
  }

  renew(): void {
    const isWritten = this.gate === "open" && this.store === "known";
    if (!isWritten && (this.last !== undefined || (!this.left.length && !this.empty))) this.left = [...this.left, this.last ?? unread];
    this.last = undefined;
    this.aside = isWritten ? undefined : this.#saved();
    // Calls from now on still wait for the store.
    if (this.gate === "closed") this.thread.link.awaitSave();
    this.put();
  }

  /** Writes the last changes, if need be once the store has answered. */
  dispose(): void {
    const { claim, saving: { loadMs = 3000 } } = this;
    this.gate = "ended";
    if (claim.owns() && this.dirty) this.put(this.last = this.#saved());
    // A store that hangs is not waited for.
    if (claim.owns() && this.dirty && this.store !== "refused") later(loadMs, claim.leave);
    else claim.leave();
  }

  /** Whether the thread keeps its store. */
  busy(): boolean {
    const { remote, source, link } = this.thread;
    // A thread that could not be opened, and waits to be, may as well wait in another tab.
    const works = remote.thread?.hasFailed() ? source.parts()?.calls.works() : link.busy() || remote.thread?.isBusy();
    // Edits and calls also wait for the store, unless it has stopped responding.
    return (!!works && !this.#isDeserted()) || ((this.store === "asked" || this.company !== undefined) && (this.dirty || this.waiting.length > 0));
  }

  /** Ends what is in progress, and saves it: writes nothing and begins nothing from now on. */
  letGo(outcome?: "aborted"): void {
    const { gate, thread: { remote, channel } } = this;
    if (gate !== "open") return;
    remote.thread?.leave();
    // The runs that end with it are in this save as they were, and in no other.
    this.gate = "closed";
    const json = this.#suspend(outcome);
    channel?.current?.close();
    if (this.dirty) this.put(json);
    this.aside = this.dirty ? json : undefined;
    this.last = json;
  }

  /** It owns the store now. */
  own(): void {
    const knows = this.claim.knows();
    if (this.gate !== "closed" || (knows && this.store === "asked")) return;
    // A save that was read waits as long as the store is not this thread's.
    if (knows) this.#show(() => this.last);
    this.#proceed();
  }

  /** The owner of the store has written to it: that is shown. */
  look(): void {
    if (!this.thread.members.watched() || this.gate !== "closed" || this.claim.owns()) return;
    this.looks = this.store === "asked";
    if (!this.looks) this.ask(this.claim.read, Infinity);
  }

  /**
   * Asks the store, or for what the application gives. Where that takes time, calls wait meanwhile, but not for ever. The answer is begun with, or
   * has come too late for that: `late`, where the thread has begun already.
   */
  private ask(read: () => unknown = this.claim.read, limit = this.saving.loadMs ?? 3000, store: "asked" | "late" = "asked"): void {
    const question = this.question = {};
    this.store = store;
    const answer = (value: unknown, failure?: WriteFailure): void => {
      if (this.question !== question) return;
      const inTime = this.store === "asked" && this.gate !== "ended";
      this.store = failure ? "refused" : "known";
      if (inTime) this.#found(value, failure);
      else if (!failure) this.#arrived(value as SavedAgent | undefined);
      else if (this.dirty) this.#report(failure);
      if (this.gate === "ended") this.claim.leave();
      if (this.looks) this.look();
    };
    kit.settle(read, answer, (cause) => answer(undefined, { cause }));
    if (this.store !== "asked") return;
    this.thread.link.awaitSave();
    this.gate = "closed";
    const late = (): void => {
      if (this.question !== question || this.store !== "asked" || this.gate === "ended") return;
      this.store = "late";
      this.#warn("not-restored", `The store has not answered for ${limit} ms: the agent goes on without its save`);
      this.#found(undefined);
    };
    if (limit < Infinity) later(limit, late);
  }

  /** Continues from this save, or without one. */
  #found(value: unknown, failure?: WriteFailure): void {
    const { claim, thread: { link } } = this;
    this.empty = !value && this.store === "known";
    if (!failure) this.refusedFor = undefined;
    if (value) link.awaitSave();
    if (failure) this.#refused(failure);
    // The words of before this code came wait on, for whatever another tab writes.
    else if (value || claim.knows()) this.#show(() => mergeSaves(this.#since(value), this.aside, this.state));
    this.#proceed();
    // A save that is put aside was made on an earlier state, and is merged with the next save that is found as well.
    if (value && this.aside === undefined) this.state = JSON.stringify((value as SavedAgent).state);
  }

  /**
   * The store cannot be read: the owner goes on with the thread that was read before, and begins nothing of it, which another page may have done since. A tab
   * that only looks asks again, and what waits there waits on.
   */
  #refused({ cause }: { readonly cause: unknown }): void {
    const { claim, last, beginning, thread: { link } } = this;
    const begun = { queue: [], running: false, turn: undefined, replies: undefined, acts: undefined };
    if (claim.owns()) link.restore(undefined, last && JSON.stringify({ ...JSON.parse(last), ...begun }));
    else if (last !== undefined) return;
    const why = String(cause);
    if (why !== this.refusedFor) beginning.refuse(cause);
    this.refusedFor = why;
  }

  /** A save has come after the thread had begun without it: it is shown if nothing was done since, and goes into the next one otherwise. */
  #arrived(value: SavedAgent | undefined): void {
    const { gate, last, claim, thread: { link } } = this;
    // The store of another thread is read once it is this one's.
    if (!claim.owns()) return;
    if (value?.v === 1 && Array.isArray(value.messages)) {
      if (gate !== "ended" && !link.busy() && last === this.#saved()) {
        this.gate = "closed";
        return this.#found(value);
      }
      this.aside = mergeSaves(this.#since(value), this.left.length ? this.aside : undefined, this.state);
      this.left = [];
    }
    if (gate !== "ended") this.#touch();
    else if (this.dirty) this.put(last);
  }

  /** The save without what was there as the thread began anew; another tab may have said more since. JSON text. */
  #since(value: unknown): string | undefined {
    const text = value ? JSON.stringify(value) : undefined;
    if (!text || !this.left.length) return text;
    this.left = this.left.map((then) => (then === unread ? text : then));
    return withoutLeft(text, this.left, this.thread.shown.first.messages, this.aside);
  }

  /** Continues from the save that `find` returns, JSON text, or without one. */
  #show(find: () => string | undefined): void {
    const { dirty, thread: { link }, beginning } = this;
    let text: string | undefined;
    try {
      text = find();
      if (link.live()) this.#suspend();
      // A save that is shown already is not shown anew.
      beginning.show(text === undefined || text === this.last ? undefined : JSON.parse(text), text);
      this.last = text;
    } catch (cause) {
      link.restore();
      beginning.refuse(cause);
      this.unfit = text;
    }
    // That is no change.
    this.dirty = dirty;
  }

  /**
   * Ends the session, without a word to the server; its runs settle with this outcome. Calls from now on wait for the save that the thread continues from.
   * Returns the save.
   */
  #suspend(outcome: "disconnected" | "aborted" = "disconnected"): string {
    const { link: { shared }, source } = this.thread;
    const { pending, home: { live } } = shared;
    const last = this.#saved();
    // While it ends nobody finds it, or opens another one.
    shared.home = { at: "awaited", last };
    live?.end();
    // A session that was told has heard of all.
    pending.end(undefined, live ? [] : pending.list.filter(({ acts }) => acts));
    const left = pending.confirmed();
    // Before the core is there nothing streams that would be cut off.
    if (left.isLoading) pending.show((source.parts()?.stopped ?? kit.cancelled)(left));
    shared.settleAll(outcome);
    return last;
  }

  /** Opens the gate if the thread owns its store, and has what is there: the calls that wait continue. */
  #proceed(): void {
    const { claim, gate, store, thread: { link, jobs, members, channel, options } } = this;
    if (gate !== "closed") return;
    // Its owner may write more: that is read once this thread owns it.
    if (!claim.owns()) return link.awaitSave();
    if (!claim.knows()) return this.ask();
    if (store === "known" && !this.#takeLetters()) return;
    const { dirty, last } = this;
    const { resume, autoAttach } = options();
    // The run that was in progress when the page was left, if it is to be joined; one that the application has started itself comes first.
    const joins = last !== undefined && resume && autoAttach !== false && !link.busy();
    const { running, runId } = joins ? JSON.parse(last) : {};
    this.last = store === "late" && !dirty ? this.#saved() : undefined;
    this.aside = undefined;
    if (store === "known") this.left = [];
    this.gate = "open";
    // The next save takes its place.
    if (this.unfit !== undefined) this.quarantine(this.unfit);
    this.unfit = undefined;
    if (running && runId !== undefined) jobs.rejoin(runId);
    else if (members.watched()) void link.load();
    channel?.reconnect();
    for (const action of this.waiting.splice(0)) action();
    // Saves the changes from before the store was this thread's.
    if (this.dirty) this.put();
    // Not before what the store was asked for has begun.
    queueMicrotask(this.rest);
  }

  /**
   * Writes the save if the thread may. `done` is called within a bounded time; `kept`: the store has it, or its record. `part`: it is what has changed
   * since the text that is there.
   */
  private put(save = this.#saved(), done: (kept: boolean) => void = nothing, part = false): void {
    const { claim, given: { persist: store }, saving: { waitMs = 300 } } = this;
    if (!part && this.timer) this.#wake(undefined, "removeEventListener");
    this.dirty = true;
    // A good save may be there.
    if (claim.owns() && this.store === "refused") this.ask(undefined, undefined, "late");
    if (!claim.owns() || this.store !== "known") {
      this.inbox.post();
      return done(false);
    }
    this.dirty = false;
    const taken = this.inbox.next();
    const end = (kept: boolean): void => {
      if (kept) taken();
      done(kept);
    };
    claim.writer.write({ store: store!, save: mergeSaves(this.aside, save, this.state)!, part, ended: this.#report, done: end }, waitMs);
  }

  /** Puts the letters of pages that have gone into the next save, which has what this page says. Says whether it is known which have gone. */
  #takeLetters(): boolean {
    const { inbox, claim, company, thread: { link } } = this;
    if (company === "asked") return false;
    if (company === undefined && inbox.hasOthers()) {
      this.company = "asked";
      void claim.hasCompany().then((has) => {
        this.company = has;
        this.#proceed();
        this.company = undefined;
      });
      return false;
    }
    const back = (): void => {
      this.#suspend();
      this.last = undefined;
    };
    const last = inbox.take(this.last, !!company, back);
    if (last !== this.last) {
      link.awaitSave();
      this.#show(() => last);
    }
    this.dirty ||= inbox.isTaken;
    return true;
  }

  /** The thread as it is: JSON text. */
  readonly #saved = (): string => this.thread.link.save();

  /** Something has changed. */
  #touch(): void {
    this.dirty = true;
    const { everyMs = 1000 } = this.saving;
    // Of the time of a run, saves are worth a thirtieth.
    if (this.gate === "open" && !this.timer) this.#wake(later(Math.max(everyMs, 30 * this.cost), this.#due), "addEventListener");
  }

  /** Saves what has changed: it was a while ago, or the page is hidden. */
  readonly #due = ({ type }: Partial<Event> = {}): void => {
    if (type === "visibilitychange" && document.visibilityState !== "hidden") return;
    const begin = performance.now();
    this.put();
    this.cost = performance.now() - begin;
  };

  /** Sets the time to save, or none. Nothing of the page knows a thread that has nothing to save. */
  #wake(timer: typeof this.timer, change: "addEventListener" | "removeEventListener"): void {
    clearTimeout(this.timer);
    this.timer = timer;
    globalThis.document?.[change]("visibilitychange", this.#due);
    globalThis[change]?.("pagehide", this.#due);
  }

  readonly #report = (failure: WriteFailure): void => {
    const message = failure && `The agent could not be saved: ${(failure.cause as Partial<Error> | undefined)?.message ?? failure.cause}`;
    if (message !== undefined && message !== this.reported) this.#warn("not-saved", message);
    this.reported = message;
  };

  #warn(code: string, message: string): void {
    const { thread } = this;
    // The application has no agent to listen to before.
    queueMicrotask(() => thread.disposed() || thread.emitter.emit("warning", { code, message }));
  }

  /** Nobody is here for the calls that are left: another tab that wants the store gets it, and they are over. */
  readonly #isDeserted = (): boolean => !!this.thread.source.parts()?.calls.unclaimed();

  /** Nobody has come back in time: hangs up and lets the store go. Whoever comes next begins with the save. */
  #hangUp(): void {
    const { gate, waiting, claim, thread: { link, members } } = this;
    // A save has nothing of what still waits for the store: that comes first.
    if (gate === "closed") return void waiting.push(() => this.#hangUp());
    if (gate === "ended" || members.present().length) return;
    this.letGo("aborted");
    claim.leave();
    // The submits that waited are in the queue of the save, and no longer in the thread that is shown.
    const { last } = this;
    this.last = undefined;
    this.#show(() => last);
    link.awaitSave();
  }
}

/** Takes the kit, and returns what opens the saves of a thread in the store of its option `persist`. */
export function start(given: SavesKit) {
  Object.assign(kit, given);
  return (...thread: ConstructorParameters<typeof StoredSaves>): Saves => new StoredSaves(...thread);
}

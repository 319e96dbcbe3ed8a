// The saves of a thread, until what works on them has come (saves.ts, a chunk of its own): what the store has is shown at once, and calls
// wait.

import type { OpenSaves, Saves } from "../api/saves.js";
import { inPage } from "../base/place.js";
import { settle } from "../base/promise.js";
import { askStore, readAnswer, type StoreAnswer } from "./read.js";

type OpenSavesNow = typeof import("./saves.js").openSaves;

/** The part that is done by then. */
export interface Early {
  /** The answers of the store, once it was asked. */
  readonly answer?: StoreAnswer | Promise<StoreAnswer> | undefined;
  /** The save that is shown: JSON text. */
  readonly shown?: string | undefined;
}

/** The methods that can wait; until then nothing is refused. */
const names = ["use", "refusal", "changed", "alone", "rest", "ended", "save", "write", "renew", "dispose"] as const;

const nothing = (): void => {};

let openSaves: OpenSavesNow | undefined;

/** Loads the rest. */
export const loadSaves = async (): Promise<OpenSavesNow> => (openSaves ??= (await import("./saves.js")).openSaves);

/** Opens the saves of a thread in the store of its option `persist`. */
export const openStored: OpenSaves = (given, thread, beginning) => {
  if (openSaves) return openSaves(given, thread, beginning);
  const store = given.persist!;
  const { link } = thread;
  let saves: Saves | undefined;
  let answer: StoreAnswer | Promise<StoreAnswer> | undefined;
  let shown: string | undefined;
  // The calls that wait, each once.
  const calls = new Map<string, () => void>();

  const come = async (): Promise<Saves> => {
    const open = await loadSaves();
    if (saves) return saves;
    saves = open(given, thread, beginning, { answer, shown });
    saves.begin();
    for (const call of calls.values()) call();
    return saves;
  };
  // Whoever asks next tries again what has failed.
  const start = (): unknown => come().catch(nothing);
  const methods = names.map((name) => [name, (...args: never[]): unknown => {
    const call = (): unknown => (saves![name] as (...args: never[]) => unknown)(...args);
    if (saves) return call();
    calls.set(name, call);
    return name === "use" ? start() : undefined;
  }]);

  return {
    ...(Object.fromEntries(methods) as Pick<Saves, (typeof names)[number]>),
    ready: async () => (await come()).ready(),
    begin: () => {
      link.awaitSave();
      if (given.restore == null) {
        const show = (found: StoreAnswer): void => {
          const { save } = readAnswer(store, found, thread.shown.first);
          if (!save || saves) return;
          const text = JSON.stringify(save);
          beginning.show(save, text);
          link.awaitSave();
          shown = text;
        };
        // A save that is refused is read again later, and reported then.
        settle(() => (answer = askStore(store)), (found) => settle(() => show(found), nothing, nothing), nothing);
      }
      if (inPage()) start();
    },
  };
};

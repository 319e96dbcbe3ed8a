// An agent's question to its store, which answers at once, later, too late or never. One at a time: the answer to an earlier one
// is of no use.

import type { SavesKit } from "./open.js";
import { later } from "../base/timer.js";

/** The answers to a question: `found` or `refused`, at once or later; or `late`, and then perhaps `arrived`. */
export interface Answers {
  /** It was answered at once. */
  now(value: unknown): void;
  /** It takes time. */
  waits(): void;
  found(value: unknown): void;
  refused(cause: unknown): void;
  /** Nothing has come within the limit. */
  late?(): void;
  /** Something has come after that, or after the end. */
  arrived(value: unknown): void;
  /** It was refused after that. */
  lost?(): void;
}

export interface StoreRead {
  /** There is no answer yet, and it is waited for. */
  readonly open: boolean;
  /** `limit`: milliseconds, perhaps `Infinity`. */
  ask(read: () => unknown, limit: number, answers: Answers): void;
  /** From now on, answers come too late. `answered` is called once the one that is on its way has come. */
  end(answered: () => void): void;
}

/** Nothing is asked yet. */
export function createStoreRead({ isPromise }: Pick<SavesKit, "isPromise">): StoreRead {
  let asked = 0;
  let open = false;
  let ended: (() => void) | undefined;

  return {
    get open() {
      return open;
    },
    ask: (read, limit, answers) => {
      const number = ++asked;
      open = false;
      let value: unknown;
      try {
        value = read();
      } catch (cause) {
        return answers.refused(cause);
      }
      if (!isPromise(value)) return answers.now(value);
      open = true;
      answers.waits();
      let late = false;
      const timer = later(limit, () => {
        if (number !== asked || ended) return;
        late = true;
        open = false;
        answers.late?.();
      });
      /** Does what the answer asks for, if it is the last one's. */
      const settle = (inTime: () => void, tooLate: () => void): void => {
        clearTimeout(timer);
        if (number === asked) {
          open = false;
          if (late || ended) tooLate();
          else inTime();
        }
        ended?.();
      };
      value.then(
        (found) => settle(() => answers.found(found), () => answers.arrived(found)),
        (cause: unknown) => settle(() => answers.refused(cause), () => answers.lost?.()),
      );
    },
    end: (answered) => void (ended = answered),
  };
}

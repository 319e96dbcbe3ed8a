// Asynchronous work on a stream, one value after another.

import { concatMap, dematerialize, materialize, of, type Observable, type ObservableInput } from "rxjs";

/**
 * `concatMap`, but for a stream that fails: the work on what came before is done first. By itself `concatMap` would drop what
 * waits as soon as the stream fails.
 */
export function inTurn<Value, Result>(
  work: (value: Value) => ObservableInput<Result>,
): (source$: Observable<Value>) => Observable<Result> {
  return (source$) =>
    source$.pipe(
      materialize(),
      concatMap((notification) => {
        if (notification.kind === "N") return of(notification).pipe(concatMap(({ value }) => work(value!)), materialize(), withoutEnd());
        return of(notification);
      }),
      dematerialize(),
    ) as Observable<Result>;
}

/** The end of one piece of work is not that of the stream; its failure is. */
function withoutEnd<T extends { kind: string }>(): (source$: Observable<T>) => Observable<T> {
  return (source$) => source$.pipe(concatMap((notification) => (notification.kind === "C" ? [] : [notification])));
}

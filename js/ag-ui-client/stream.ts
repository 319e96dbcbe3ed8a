// Streams of events as observables, read and judged by the core.

import { EventType, type BaseEvent } from "@ag-ui/core";
import { concat, defer, finalize, from, mergeAll, Observable, of, throwError } from "rxjs";
import { inTurn } from "./in-turn.js";
import type { Stepper } from "../glue/full.js";
import { createStepper, failureOf, reportWarnings, type StepperOptions } from "./core.js";
import type { DebugLoggerInput } from "./debug.js";
import { HttpEventType, type HttpEvent } from "./request.js";

type Stream = Observable<BaseEvent>;

/** A stepper that is made when the first value comes, which may name the media type of a body, and freed when the last one has. */
function withStepper<Value>(
  source$: Observable<Value>,
  options: StepperOptions,
  step: (stepper: Stepper, value: Value) => BaseEvent[],
  last: (stepper: Stepper) => BaseEvent[] = () => [],
  mediaType?: (first: Value) => string,
): Stream {
  return defer(() => {
    let made: Promise<Stepper> | undefined;
    let over = false;
    const make = async (first: Value): Promise<Stepper> => {
      const stepper = await createStepper(options, [], {}, mediaType?.(first));
      stepper.want("*");
      return stepper;
    };
    const run = async (making: Promise<Stepper>, read: (stepper: Stepper) => BaseEvent[]): Promise<Stream> => {
      const stepper = await making;
      if (over) return of();
      const events = read(stepper);
      reportWarnings(stepper, options.onWarning);
      const failure = failureOf(stepper);
      return failure ? concat(from(events), throwError(() => failure)) : from(events);
    };
    const each = source$.pipe(inTurn((value) => run(made ??= make(value), (stepper) => step(stepper, value))));
    const end = defer(() => (made ? from(run(made, last)) : of<Stream>()));
    return concat(each, end).pipe(
      mergeAll(),
      finalize(() => {
        over = true;
        void made?.then((stepper) => stepper.free(), () => {});
      }),
    );
  });
}

/** The events that a stepper has. None of them counts here: the thread is another stepper's. */
function take(stepper: Stepper, pushed?: BaseEvent): BaseEvent[] {
  const events: BaseEvent[] = [];
  for (let json; (json = stepper.next()) !== undefined; stepper.settle(false)) {
    events.push(json === "" ? pushed! : JSON.parse(json));
  }
  return events;
}

/** Events after a stage of the core: judged, expanded. */
export function through(options: StepperOptions): (source$: Stream) => Stream {
  return (source$) =>
    withStepper(source$, options, (stepper, event) => {
      stepper.push(JSON.stringify(event) ?? "null");
      return take(stepper, event);
    });
}

/** Chunks made full events: START, content, END. */
export function transformChunks(_debug?: DebugLoggerInput): (source$: Stream) => Stream {
  return through({ stage: "chunks", rules: "strict", onWarning: () => {} });
}

/** Fails where events break the protocol's rules of order. */
export function verifyEvents(_debug?: DebugLoggerInput): (source$: Stream) => Stream {
  return through({ rules: "strict" });
}

/** Drops events of no known type, and fails for malformed ones. */
export const enforceEvents = transformChunks;

/** The events of a body, of any framing that the core knows. */
export function transformHttpEventStream(source$: Observable<HttpEvent>, _debug?: DebugLoggerInput): Stream {
  return readEvents(source$, {});
}

/** An aborted body ends the run with this event. */
export function abortEvent(reason: unknown): BaseEvent & Record<string, unknown> {
  const message = (reason as { message?: string } | undefined)?.message || "Request aborted";
  return { type: EventType.RUN_ERROR, message, code: "abort", rawEvent: reason };
}

export function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | undefined)?.name === "AbortError";
}

/** The events of a body, as they came; framed as `format` says, or as its head does. */
export function readEvents(source$: Observable<HttpEvent>, options: StepperOptions, format?: string): Stream {
  return defer(() => {
    let opened = false;
    const mediaType = (event: HttpEvent): string => format ?? (event.type === HttpEventType.HEADERS ? event.headers.get("content-type") : undefined) ?? "";
    const step = (stepper: Stepper, event: HttpEvent): BaseEvent[] => {
      if (event.type === HttpEventType.ABORTED) return [...take(stepper), abortEvent(event.reason)];
      if (!opened) stepper.open(mediaType(event));
      opened = true;
      if (event.type === HttpEventType.DATA && event.data) stepper.feed(event.data);
      return take(stepper);
    };
    const last = (stepper: Stepper): BaseEvent[] => {
      stepper.finish();
      return take(stepper);
    };
    return withStepper(untilAborted(source$), { ...options, stage: "frames" }, step, last, mediaType);
  });
}

/** A body that is aborted ends with an event that says so. Before the answer there is nothing to end. */
function untilAborted(source$: Observable<HttpEvent>): Observable<HttpEvent> {
  return new Observable((subscriber) => {
    let begun = false;
    return source$.subscribe({
      next: (event) => {
        begun = true;
        subscriber.next(event);
      },
      complete: () => subscriber.complete(),
      error: (error) => {
        if (!begun || !isAbort(error)) return subscriber.error(error);
        subscriber.next({ type: HttpEventType.ABORTED, reason: error });
        subscriber.complete();
      },
    });
  });
}

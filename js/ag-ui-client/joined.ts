// One event a frame for the deltas that a message or a call gets, on the exact way.

import { EventType, type BaseEvent } from "@ag-ui/core";
import { Observable, type MonoTypeOperatorFunction } from "rxjs";
import { createScheduler } from "../snapshot/notify.js";
import type { AnyEvent } from "./events.js";

/** The member with the id of what a delta extends. */
const idOf: Record<string, string> = {
  [EventType.TEXT_MESSAGE_CONTENT]: "messageId",
  [EventType.REASONING_MESSAGE_CONTENT]: "messageId",
  [EventType.TOOL_CALL_ARGS]: "toolCallId",
};

/** Joins deltas that follow each other within a frame. Any other event comes after them at once, and so does the end. */
export function joined(): MonoTypeOperatorFunction<BaseEvent> {
  return (source$) =>
    new Observable((subscriber) => {
      let waiting: AnyEvent[] = [];
      const release = (): void => {
        scheduler.clear();
        const [first, ...others] = waiting;
        waiting = [];
        if (!first) return;
        const { type, [idOf[first.type]!]: id } = first;
        const delta = (): string => [first, ...others].map((event) => event["delta"]).join("");
        subscriber.next(others.length ? ({ type, [idOf[type]!]: id, delta: delta() } as BaseEvent) : (first as BaseEvent));
      };
      const scheduler = createScheduler(undefined, release);
      const source = source$.subscribe({
        next: (incoming) => {
          const event = incoming as AnyEvent;
          const id = idOf[event.type];
          const [first] = waiting;
          if (first && (first.type !== event.type || first[id!] !== event[id!])) release();
          if (!id) return subscriber.next(incoming);
          waiting.push(event);
          scheduler.schedule();
        },
        error: (error) => (release(), subscriber.error(error)),
        complete: () => (release(), subscriber.complete()),
      });
      return () => {
        scheduler.clear();
        source.unsubscribe();
      };
    });
}

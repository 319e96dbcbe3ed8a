// The surfaces of activities: which operations a processor has, and which are new.

import { AgentError } from "../api/error.js";
import type { ActivityMessage } from "../api/types.js";

/** As much of a `MessageProcessor` of `@a2ui/web_core` as is used. */
export interface SurfaceProcessor {
  // Methods, so that processors of any catalog fit.
  processMessages(messages: never): void;
  readonly model: {
    getSurface(id: string): unknown;
    deleteSurface(id: string): void;
    readonly onAction: { subscribe(listener: (action: unknown) => void): { unsubscribe(): void } };
  };
}

type SurfaceOperation = Readonly<Record<string, unknown>>;

/** The operations of one activity so far. */
interface Applied {
  readonly operations: readonly unknown[];
  /** The surfaces that it has created. */
  readonly surfaces: Set<string>;
}

const kinds = ["createSurface", "updateComponents", "updateDataModel", "deleteSurface"] as const;

/** The kind of an operation, what it says, and the surface that it is about. */
function read(operation: unknown): { readonly kind: string; readonly body: SurfaceOperation; readonly id: string } | undefined {
  const kind = kinds.find((name) => typeof operation === "object" && operation !== null && Object.hasOwn(operation, name));
  const body = kind && (operation as SurfaceOperation)[kind];
  const id = (body as SurfaceOperation | undefined)?.surfaceId;
  return kind && typeof id === "string" && id ? { kind, body: body as SurfaceOperation, id } : undefined;
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The ids of an operation's components. */
const components = (
  { components: listed }: SurfaceOperation,
): unknown[] => (Array.isArray(listed) ? listed.map((one) => (one as SurfaceOperation | null)?.id) : []);

/** Whether an operation says what another one said, and perhaps more: applied after it, it leaves nothing of it. */
function grows(before: unknown, now: unknown): boolean {
  if (before === now) return true;
  const [old, next] = [read(before), read(now)];
  if (!old || !next || old.kind !== next.kind || old.id !== next.id) return same(before, now);
  if (old.kind === "updateDataModel") return same(old.body.path, next.body.path);
  if (old.kind !== "updateComponents") return same(before, now);
  const ids = new Set(components(next.body));
  return components(old.body).every((id) => ids.has(id));
}

/** Keeps a processor up to date with the activities of a thread. */
export function createSurfaces(processor: SurfaceProcessor, report: (error: AgentError) => void) {
  const applied = new Map<string, Applied>();
  const { model } = processor;

  const apply = (operation: unknown, surfaces: Set<string>): void => {
    const of = read(operation);
    try {
      // A later surface takes the place of one with its id.
      if (of?.kind === "createSurface" && model.getSurface(of.id)) model.deleteSurface(of.id);
      if (!of) throw new TypeError(`expected an object with one of ${kinds.join(", ")} and a surfaceId`);
      processor.processMessages([operation] as never);
      if (of.kind === "createSurface") surfaces.add(of.id);
      if (of.kind === "deleteSurface") surfaces.delete(of.id);
    } catch (cause) {
      report(
        new AgentError({
          kind: "protocol",
          code: "a2ui-operation",
          message: `An A2UI operation was not applied: ${cause instanceof Error ? cause.message : String(cause)}`,
          cause,
        }),
      );
    }
  };
  const remove = (surfaces: Set<string>, by: ReadonlySet<string>): void => surfaces.forEach((id) => by.has(id) || model.deleteSurface(id));

  const update = (id: string, operations: readonly unknown[]): void => {
    const old = applied.get(id);
    if (old?.operations === operations) return;
    const before = old?.operations ?? [];
    const isGrown = before.length <= operations.length && before.every((operation, at) => grows(operation, operations[at]));
    const first = isGrown ? before.findIndex((operation, at) => !same(operation, operations[at])) : 0;
    if (old && !isGrown) remove(old.surfaces, new Set());
    const surfaces = isGrown && old ? old.surfaces : new Set<string>();
    applied.set(id, { operations, surfaces });
    const start = first < 0 ? before.length : first;
    operations.slice(start).forEach((operation, at) => {
      // In a list that has grown, a surface that is there was created by it.
      if (start + at < before.length && read(operation)?.kind === "createSurface" && isGrown) return;
      apply(operation, surfaces);
    });
  };

  return {
    /** The activities of the thread that have surfaces. */
    show: (activities: readonly ActivityMessage[]): void => {
      const ids = new Set(activities.map(({ id }) => id));
      const gone = [...applied].filter(([id]) => !ids.has(id));
      const remaining = new Set([...applied].filter(([id]) => ids.has(id)).flatMap(([, { surfaces }]) => [...surfaces]));
      for (const [id, { surfaces }] of gone) {
        applied.delete(id);
        remove(surfaces, remaining);
      }
      for (const { id, content } of activities) {
        const operations = (content as SurfaceOperation | null)?.a2ui_operations;
        update(id, Array.isArray(operations) ? operations : []);
      }
    },
  };
}

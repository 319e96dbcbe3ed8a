// A page that takes patches as an agent with `notify: "sync"` does, and reads what is shown each time.

import { folder, load } from "../js/lib.mjs";

const { createPatches } = await load("core/patches");
const { createHistory } = await load("agent/history");
const { initialSnapshot } = await load("snapshot/initial");
const { applyPatch } = await load("snapshot/mirror");

/** The modules whose work counts. */
export const modules = ["core/patches", "agent/history", "snapshot/mirror", "snapshot/notify"].map((name) => new URL(`${name}.js`, folder).href);

/** Two patches as one. */
const joined = (one, other) => (one && other ? `${one.slice(0, -1)},${other.slice(1)}` : one || other);

/** Plays patches to a page that has `before`, with a frame after so many of them. */
export function play(before, patches, eventsOfFrame) {
  let snapshot = initialSnapshot("t");
  if (before) snapshot = applyPatch(snapshot, before);
  let frame;
  Object.assign(globalThis, { requestAnimationFrame: (callback) => ((frame = callback), 1), cancelAnimationFrame: () => (frame = undefined) });
  const history = createHistory(100);
  let [waiting, notified] = ["", 0];
  const session = {
    shows: () => true,
    takePatch: () => {
      const patch = waiting;
      waiting = "";
      return patch || undefined;
    },
    checkpoint: history.add,
    explain: () => {},
    check: () => {},
    fail: (error) => {
      throw error;
    },
  };
  const publish = (next) => {
    snapshot = next;
    notified++;
  };
  const shown = createPatches({ options: { notify: "sync" }, read: () => snapshot, publish }, session);
  return () => {
    patches.forEach((patch, at) => {
      // Changes after the notification are taken with the next patch.
      const told = waiting !== "";
      waiting = joined(waiting, patch);
      if (!told && waiting) shown.schedule();
      if (at % eventsOfFrame === eventsOfFrame - 1) frame?.();
    });
    shown.show(Infinity);
    return { snapshot, history, notified };
  };
}

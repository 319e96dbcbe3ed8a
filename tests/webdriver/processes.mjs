// Child processes that never outlive the one that started them.

/** @type {Set<() => void>} */
const atExit = new Set();
let watching = false;

/**
 * Kills the process group of `child` when this process ends, by whatever way. The child must have
 * been spawned with `detached: true`, which makes it the leader of a group: a driver's browser is
 * in it too.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {() => void} [after] what is to do when the group is gone
 * @returns {() => void} kills the group now
 */
export function killGroupAtExit(child, after) {
  watch();
  const kill = () => {
    if (!atExit.delete(kill)) return;
    try {
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group has ended by itself.
    }
    after?.();
  };
  atExit.add(kill);
  return kill;
}

function watch() {
  if (watching) return;
  watching = true;
  process.on("exit", () => atExit.forEach((kill) => kill()));
  // A signal ends Node without an "exit" event unless someone listens.
  for (const [signal, code] of /** @type {const} */ ([["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]])) {
    process.once(signal, () => process.exit(code));
  }
}

/**
 * The runs that the server plays, for tests: `GET /control/runs` shows them, `POST /control/release` lets a run that
 * waits at a mark continue. A release that comes before its run is kept, so a test never has to win a race.
 */
const KEPT = 200;

export class Runs {
  #runs = [];
  #valves = new Map();

  /** Enters a run; the caller writes its progress into the record it gets back. `received`: what was asked. */
  open(system, scenario, { threadId, runId }, received, hold) {
    const run = { runId, threadId, system, scenario, hold, waitingAt: undefined, events: 0, ended: undefined, received };
    this.#runs.push(run);
    if (this.#runs.length > KEPT) this.#runs.shift();
    return run;
  }

  /** Waits at a mark until the valve of that name is released, or until `signal` aborts. */
  async pass(run, mark, signal) {
    const valve = this.#valve(run.hold);
    if (valve.steps > 0) {
      valve.steps -= 1;
      return;
    }
    run.waitingAt = mark;
    await new Promise((resolve, reject) => {
      const leave = () => {
        valve.waiting.delete(go);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      valve.waiting.add(go);
    }).finally(() => {
      run.waitingAt = undefined;
    });
  }

  /** Opens a valve for `steps` marks; `Infinity` opens it for good. */
  release(hold, steps) {
    const valve = this.#valve(hold);
    for (const go of valve.waiting) {
      if (steps === 0) break;
      valve.waiting.delete(go);
      steps -= 1;
      go();
    }
    valve.steps += steps;
  }

  /** The kept runs, oldest first, and how many streams are open. */
  report() {
    return { open: this.#runs.filter((run) => run.ended === undefined).length, runs: this.#runs };
  }

  #valve(name) {
    let valve = this.#valves.get(name);
    if (valve === undefined) this.#valves.set(name, valve = { steps: 0, waiting: new Set() });
    return valve;
  }
}

/** Plays a scenario into a response: frames, pacing, back-pressure, and the end when the client goes away. */
import { once } from "node:events";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { streamHead } from "./http.mjs";

/** How a scenario is played for a request: see `play`. */
export function wayOf(system, scenario, input, query, lastEventId) {
  const write = scenario.frame ?? system.frame;
  const numbered = scenario.numbered === true;
  return {
    frame: (event) => write(event, input),
    speed: Number(query.get("speed") ?? 1),
    numbered,
    after: numbered && lastEventId !== undefined ? Number(lastEventId) : undefined,
  };
}

/**
 * @param {Iterable<object>} script events and the steps of `steps.mjs`
 * @param {object} way
 * @param {(event: object) => string} way.frame how an event is written
 * @param {number} way.speed 1 is normal, 2 twice as fast, 0 without waiting
 * @param {boolean} way.numbered whether frames have ids, from 1
 * @param {number | undefined} way.after how far a client that joins the run has read it; that is not sent again
 * @param response where it goes
 * @param run the record to keep of it, see `Runs.open`
 * @param runs the registry whose marks it waits at
 */
export async function play(script, { frame, speed, numbered, after }, response, run, runs) {
  const gone = new AbortController();
  const { signal } = gone;
  response.on("close", () => {
    run.ended ??= "aborted";
    gone.abort();
  });
  const pass = (name) => (run.hold === undefined ? undefined : runs.pass(run, name, signal));

  const write = async (bytes) => {
    if (!response.write(bytes)) await once(response, "drain", { signal });
  };
  let count = 0;
  const steps = {
    wait: ({ ms }) => (speed > 0 ? sleep(ms / speed, undefined, { signal }) : undefined),
    mark: ({ name }) => pass(name),
    until: ({ promise }) => abortable(promise, signal),
    raw: async ({ bytes }) => {
      await write(bytes);
      await breathe(); // so that the two halves of a split reach the network apart
    },
    cut: () => {
      run.ended = "cut";
      response.destroy();
    },
    end: () => {
      run.ended = "ended";
      response.end();
    },
  };

  try {
    if (after !== undefined) await pass("joined");
    response.writeHead(200, streamHead);
    response.flushHeaders();
    for (const step of script) {
      if (step.step === undefined) {
        count += 1;
        if (count <= after) continue;
        await write(numbered ? `id: ${count}\n${frame(step)}` : frame(step));
        run.events += 1;
        if (run.events % 64 === 0) await breathe(); // a run without waits must still notice that the client has left
      } else if (after === undefined || count >= after) await steps[step.step](step);
      if (signal.aborted || run.ended !== undefined) return;
    }
    run.ended = "finished";
    response.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A promise that is not waited for any longer than `signal` lets it. */
function abortable(promise, signal) {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}

/** Plays a scenario into a response: frames, pacing, back-pressure, and the end when the client goes away. */
import { once } from "node:events";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";

const frame = (event) => `data: ${JSON.stringify(event)}\n\n`;

/**
 * @param scenario what to play
 * @param input the `RunAgentInput` of the request
 * @param response where it goes
 * @param run the record to keep of it, see `Runs.open`
 * @param runs the registry whose marks it waits at
 * @param speed 1 is normal, 2 twice as fast, 0 without waiting
 */
export async function play(scenario, input, response, run, runs, speed) {
  const gone = new AbortController();
  const { signal } = gone;
  response.on("close", () => {
    run.ended ??= "aborted";
    gone.abort();
  });
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  response.flushHeaders();

  const write = async (bytes) => {
    if (!response.write(bytes)) await once(response, "drain", { signal });
  };
  const steps = {
    wait: ({ ms }) => (speed > 0 ? sleep(ms / speed, undefined, { signal }) : undefined),
    mark: ({ name }) => (run.hold === undefined ? undefined : runs.pass(run, name, signal)),
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
    for (const step of scenario.run(input)) {
      if (step.type === undefined) await steps[step.step](step);
      else {
        await write((scenario.frame ?? frame)(step));
        run.events += 1;
        if (run.events % 64 === 0) await breathe(); // a run without waits must still notice that the client has left
      }
      if (signal.aborted || run.ended !== undefined) return;
    }
    run.ended = "finished";
    response.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * The systems that the server speaks as, in the order in which the demo lists them. A system is
 *
 * - `name`;
 * - `paths`: its routes with `*` for the scenario; the first is the one that the demo asks;
 * - `scenarios`: each `{ name, title, about, prompt }` and either `run(input)`, a generator of the system's events and of
 *   the steps of `steps.mjs`, or `reply`, a plain answer that is no stream;
 * - `read(text, request)`: the body of a request as the input of a scenario, with a `threadId` and a `runId` for the
 *   record, or an error with a status;
 * - `frame(event, input)`: an event as the system writes it;
 * - and where it needs them, `received(input)`: what the record shows of a request; `refuse(error, response)`: its own way
 *   to refuse one; `socket` and `take(input, text)`: it is asked with a WebSocket, and takes the page's frames; `methods`, if not POST alone; `cards` and `card(scenario, site)`: routes of its agent cards, and one;
 *   `unary` and `send(input)`: routes that are answered with one JSON value, and that.
 */
import { agUi } from "./systems/ag-ui.mjs";
import { agentOs } from "./systems/agent-os.mjs";
import { chio, chioSession, chioSocket } from "./systems/chio.mjs";
import { hector, hector2 } from "./systems/hector.mjs";
import { ngaf } from "./systems/ngaf.mjs";
import { openSearch } from "./systems/open-search.mjs";

export const systems = [agUi, agentOs, ngaf, openSearch, chio, chioSession, chioSocket, hector, hector2];

/** The system that a path belongs to, the scenario it names, and what it gives: a `stream`, a `card`, or a `unary` answer. */
export function find(path) {
  for (const system of systems) {
    for (const [kind, patterns] of Object.entries({ stream: system.paths, card: system.cards ?? [], unary: system.unary ?? [] })) {
      for (const pattern of patterns) {
        const name = between(path, pattern);
        if (name !== undefined) return { system, name, kind };
      }
    }
  }
  return undefined;
}

/** The text that stands for the `*` of a pattern. */
function between(path, pattern) {
  const [before, after] = pattern.split("*");
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const name = path.slice(before.length, path.length - after.length);
  return /^[\w-]+$/.test(name) ? name : undefined;
}

/** The list of the demo: by system, `[{ name, title, about, prompt, path }]`. */
export const catalogue = () =>
  Object.fromEntries(
    systems.map(({ name, paths, scenarios }) => [
      name,
      scenarios.map(({ name: scenario, title, about, prompt }) => ({ name: scenario, title, about, prompt, path: paths[0].replace("*", scenario) })),
    ]),
  );

/**
 * The scenarios of AG-UI, in the order in which the demo lists them. A scenario is `{ name, title, about, prompt }` and
 * either `run(input)`, a generator of events and steps, or `reply`, a plain answer that is no event stream. `frame(event)`
 * replaces the usual way to write an event. The frames of one that is `numbered` have ids; who has lost its connection may
 * ask for the rest with `Last-Event-ID`, and `input.joins` says so.
 */
import { activity } from "./scenarios/activity.mjs";
import { echo, long, short, slow } from "./scenarios/answers.mjs";
import { custom } from "./scenarios/custom.mjs";
import { auth, busy, cut, eof, error, html } from "./scenarios/faults.mjs";
import { interrupt } from "./scenarios/interrupt.mjs";
import { odd } from "./scenarios/odd.mjs";
import { color, reconnect, screen } from "./scenarios/page.mjs";
import { pictures } from "./scenarios/pictures.mjs";
import { reasoning } from "./scenarios/reasoning.mjs";
import { state } from "./scenarios/state.mjs";
import { subagents } from "./scenarios/subagents.mjs";
import { thread } from "./scenarios/thread.mjs";
import { tools } from "./scenarios/tools.mjs";
import { unicode } from "./scenarios/unicode.mjs";
import { usage } from "./scenarios/usage.mjs";
import { chunks, crlf } from "./scenarios/wire.mjs";

export const scenarios = [
  short,
  tools,
  reasoning,
  state,
  long,
  interrupt,
  color,
  screen,
  pictures,
  subagents,
  activity,
  custom,
  usage,
  unicode,
  thread,
  echo,
  slow,
  chunks,
  crlf,
  odd,
  reconnect,
  error,
  cut,
  eof,
  busy,
  auth,
  html,
];

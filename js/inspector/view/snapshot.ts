// The snapshot, as it is or as it was at a checkpoint of `agent.history`.

import type { Agent, AgentSnapshot, Checkpoint, Message } from "../../api/types.js";
import { clock, count, cut, line } from "../model/text.js";
import { facts } from "./detail.js";
import { button, h, say, set } from "./dom.js";
import { tree, type OpenBranches } from "./json.js";
import type { Panel } from "./panels.js";

/** Messages that are listed: the newest. */
const maxMessages = 100;

/** The panel of an agent; `moved` is called with the time of the checkpoint that is looked at. */
export function snapshotPanel(agent: () => Agent | undefined, moved: (at: number | undefined) => void, announce: (text: string) => void): Panel {
  let chosen: Checkpoint | undefined;
  let live: AgentSnapshot | undefined;

  const range = h("input", { type: "range", min: 0, step: 1, "aria-label": "Checkpoint", input: () => choose(points()[Number(range.value)]) });
  const where = h("output", { class: "where" });
  const back = button("Live", () => choose(undefined), { class: "small" });
  const fork = button("Go back here", () => {
    if (!chosen) return;
    agent()?.fork(chosen);
    announce("The agent is back at the checkpoint");
    choose(undefined);
  }, { class: "small", title: "agent.fork(checkpoint): the thread continues from there" });
  const scrubber = h("div", { class: "scrubber", hidden: true }, h("span", { class: "label" }, "History"), range, where, back, fork);
  const sections = (["Run", "Messages", "State", "Interrupts", "Queue", "Steps", "Subagents", "Usage"] as const).map((title) => section(title));
  const node = h("div", { class: "panel snapshot" }, scrubber, ...sections.map(({ node: body }) => body));

  const points = (): readonly Checkpoint[] => agent()?.history ?? [];
  const choose = (point: Checkpoint | undefined): void => {
    chosen = point;
    moved(point?.at);
    update(live);
  };
  const update = (snapshot: AgentSnapshot | undefined): void => {
    live = snapshot;
    const list = points();
    if (chosen && !list.includes(chosen)) chosen = undefined;
    scrubber.hidden = list.length === 0;
    set(range, "max", String(list.length));
    range.value = String(chosen ? list.indexOf(chosen) : list.length);
    const text = chosen ? nameOf(chosen) : `live, ${count(list.length)} checkpoint${list.length === 1 ? "" : "s"}`;
    say(where, text);
    set(range, "aria-valuetext", text);
    back.hidden = fork.hidden = !chosen;
    const shown = chosen ? agent()?.at(chosen) : snapshot;
    const parts = shown ? partsOf(shown) : undefined;
    for (const one of sections) one.update(parts?.[one.title]);
  };
  return { node, update };
}

function nameOf({ kind, stepName, runId, at }: Checkpoint): string {
  return `${kind}${stepName === undefined ? "" : ` “${cut(stepName, 60)}”`} · ${cut(runId, 40)} · ${clock(at)}`;
}

type Title = "Run" | "Messages" | "State" | "Interrupts" | "Queue" | "Steps" | "Subagents" | "Usage";

function partsOf(snapshot: AgentSnapshot): Record<Title, unknown> {
  const { messages, state, interrupts, queue, steps, subagents, usage } = snapshot;
  return { Run: snapshot, Messages: messages, State: state, Interrupts: interrupts, Queue: queue, Steps: steps, Subagents: subagents, Usage: usage };
}

function section(title: Title): { readonly title: Title; readonly node: HTMLElement; update(value: unknown): void } {
  const opened: OpenBranches = new Map();
  const heading = h("h3", {}, title);
  const body = h("div");
  const node = h("section", {}, heading, body);
  let drawn: unknown = body;
  return {
    title,
    node,
    update: (value) => {
      const list = Array.isArray(value);
      // Only what a run may leave out is left out.
      node.hidden = value === undefined || (list && value.length === 0 && title !== "Messages");
      if (value === drawn) return;
      drawn = value;
      say(heading, list ? `${title} (${count(value.length)})` : title);
      if (title === "Run") body.replaceChildren(...(value ? [run(value as AgentSnapshot)] : []));
      else if (title === "Messages" && list) body.replaceChildren(...messageRows(value as readonly Message[], opened));
      else body.replaceChildren(tree(value, 2, opened));
    },
  };
}

function run({ threadId, runId, status, outcome, timing, error, connection }: AgentSnapshot): HTMLElement {
  const ms = (value: number | undefined): string => (value === undefined ? "–" : `${Math.round(value)} ms`);
  return facts([
    ["Thread", cut(threadId, 100)],
    ["Run", cut(runId ?? "", 100)],
    ["Status", outcome === undefined ? status : `${status}, last outcome ${outcome}`],
    ["Connection", connection.phase],
    ...(timing ? [["First token", ms(timing.firstTokenMs)] as const, ["Duration", ms(timing.durationMs)] as const] : []),
    ...(error ? [["Error", `${error.kind}: ${cut(error.message, 500)}`] as const] : []),
  ]);
}

function messageRows(messages: readonly Message[], opened: OpenBranches): Node[] {
  if (!messages.length) return [h("p", { class: "none" }, "No messages.")];
  const first = Math.max(0, messages.length - maxMessages);
  const earlier = first ? [h("p", { class: "none" }, `${count(first)} earlier messages are not listed.`)] : [];
  return [...earlier, ...messages.slice(first).map((message) => messageRow(message, opened))];
}

function messageRow(message: Message, opened: OpenBranches): HTMLElement {
  const { id, role, content } = message as { id: string; role: string; content?: unknown };
  const { delivery } = message as { delivery?: string };
  const text = typeof content === "string" ? line(content) : "";
  const node = h(
    "details",
    { class: "message" },
    h("summary", {}, h("span", { class: "role" }, role), h("span", { class: "phase" }, delivery ?? ""), h("span", { class: "short", dir: "auto" }, text)),
  );
  const place = `message ${id}`;
  node.open = opened.get(place) ?? false;
  const fill = (): void => {
    opened.set(place, node.open);
    if (node.open && node.childElementCount === 1) node.append(tree(message, 2));
  };
  node.addEventListener("toggle", fill);
  fill();
  return node;
}

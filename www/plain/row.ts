import { createBlocks, type Block, type Blocks } from "ag-ui-wasm/blocks";
import type { Agent, ToolCall } from "ag-ui-wasm";
import { picturesOf, type Picture } from "../shared/files.js";
import { duration, fate } from "../shared/format.js";
import { linesOf, renderBlock } from "../shared/markdown.js";
import { checklistOf, reasoningOf, textOf, type Row, type Source } from "../shared/rows.js";
import { h, icon, list, maybe, say, set, slot, type View } from "./dom.js";
import { picturesView } from "./files.js";
import { jsonView } from "./json-view.js";
import { toolCard } from "./tool-card.js";

type Reasoning = NonNullable<ReturnType<typeof reasoningOf>>;

/** One message, whatever its role. The role can change: reasoning becomes the answer that shares its id. */
export function rowView(agent: Agent, row: Row): View<Row> {
  const slots = { speaker: slot(), reasoning: slot(), pictures: slot(), text: slot(), calls: slot(), waiting: slot(), sources: slot(), end: slot() };
  const node = h("article", { class: "row", "data-testid": "message" }, ...Object.values(slots));
  const speaker = maybe<string>(slots.speaker, (name) => paragraph("speaker", name));
  const reasoning = maybe<Reasoning>(slots.reasoning, reasoningView);
  const pictures = maybe<readonly Picture[]>(slots.pictures, picturesView);
  const text = maybe<Row>(slots.text, textView);
  const calls = list<ToolCall>(slots.calls, ({ id }) => id, (call) => toolCard(agent, call));
  const waiting = maybe<true>(slots.waiting, () => waitingView());
  const sources = maybe<readonly Source[]>(slots.sources, sourcesView);
  const end = maybe<string>(slots.end, (words) => paragraph("fate", words, "fate"));

  const update = (next: Row): void => {
    const { message } = next;
    const { role, delivery } = message;
    set(node, "data-role", role);
    set(node, "data-delivery", delivery);
    set(node, "aria-label", role === "user" ? "You" : role);
    const thought = reasoningOf(message);
    const empty = role === "assistant" && !message.content;
    speaker(next.speaker);
    reasoning(thought);
    const seen = role === "user" ? picturesOf(message) : [];
    pictures(seen.length > 0 ? seen : undefined);
    text(role === "reasoning" || empty ? undefined : next);
    calls(next.calls);
    waiting(empty && delivery === "streaming" && next.calls.length === 0 && thought === undefined ? true : undefined);
    sources(next.sources.length === 0 ? undefined : next.sources);
    end(fate(message));
  };
  update(row);
  return { node, update };
}

export const waitingView = (testid?: string): View<unknown> => ({
  node: h("div", { class: "waiting", "data-testid": testid }, h("i"), h("i"), h("i")),
  update() {},
});

function paragraph(name: string, words: string, testid?: string): View<string> {
  const node = h("p", { class: name, "data-testid": testid, dir: "auto" }, words);
  return { node, update: (next) => say(node, next) };
}

function sourcesView(sources: readonly Source[]): View<readonly Source[]> {
  const node = h("ol", { class: "sources", "aria-label": "Sources" });
  const update = list<Source>(node, ({ url }) => url, ({ title, url }) => ({
    node: h("li", {}, h("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow", "data-testid": "citation" }, title)),
    update() {},
  }));
  update(sources);
  return { node, update };
}

function textView(row: Row): View<Row> {
  const { message } = row;
  if (message.role === "assistant") return markdownView(row);
  if (message.role === "activity") return activityView(row);
  const { node, update } = message.role === "user" ? paragraph("bubble", textOf(message), "text") : paragraph("note", textOf(message));
  return { node, update: (next) => update(textOf(next.message)) };
}

function markdownView(row: Row): View<Row> {
  const source = createBlocks();
  const node = h("div", { class: "text", "data-testid": "text" });
  const views = new Map<number, () => void>();
  const blocks = list<Block>(node, ({ id }) => id, (block) => blockView(source, block, views));
  let defined = 0;
  const update = ({ message }: Row): void => {
    blocks(source.update(textOf(message), { complete: message.delivery !== "streaming" }));
    if (source.definitionCount === defined) return;
    defined = source.definitionCount;
    for (const show of views.values()) show(); // a link may be defined after its use
  };
  update(row);
  return { node, update };
}

function blockView(source: Blocks, block: Block, views: Map<number, () => void>): View<Block> {
  const node = h("div", { class: "block", dir: "auto" });
  let shown: readonly [Block, string] | undefined;
  const update = (next: Block): void => {
    const definitions = source.definitionsFor(next);
    if (shown?.[0] === next && shown[1] === definitions) return;
    shown = [next, definitions];
    set(node, "data-settled", String(next.settled));
    node.style.setProperty("--lines", String(linesOf([next])));
    node.innerHTML = renderBlock(next, definitions);
  };
  update(block);
  views.set(block.id, () => update(shown?.[0] ?? block));
  return { node, update };
}

let ids = 0;

function reasoningView(reasoning: Reasoning): View<Reasoning> {
  const id = `reasoning-${++ids}`;
  let wanted: boolean | undefined;
  let last = reasoning;
  const label = h("span");
  const toggle = h(
    "button",
    { type: "button", class: "fold", "data-testid": "reasoning-toggle", "aria-controls": id, onclick: () => choose() },
    icon("fold"),
    label,
  );
  const text = h("div", { class: "reasoning-text", id, dir: "auto", "data-testid": "reasoning-text" });
  const node = h("div", { class: "reasoning", "data-testid": "reasoning" }, toggle, text);

  const update = (next: Reasoning): void => {
    last = next;
    const { done, durationMs } = next;
    const open = wanted ?? !done;
    set(node, "data-done", String(done));
    set(toggle, "aria-expanded", String(open));
    text.hidden = !open;
    say(label, !done ? "Thinking" : durationMs === undefined ? "Thought" : `Thought for ${duration(durationMs)}`);
    say(text, next.text);
  };
  const choose = (): void => {
    wanted = text.hasAttribute("hidden");
    update(last);
  };
  update(reasoning);
  return { node, update };
}

function activityView(row: Row): View<Row> {
  const title = h("h2");
  const steps = h("ul", { class: "checklist" });
  const json = jsonView(undefined);
  const node = h("div", { class: "card plan", "data-testid": "activity" }, title, steps, json.node);
  type Step = { readonly label: string; readonly status: string };
  const checklist = list<Step>(steps, (_, index) => index, (step) => {
    const status = h("span", { class: "unseen" });
    const label = h("span");
    const item = h("li", {}, label, status);
    const update = (next: Step): void => {
      say(label, next.label);
      say(status, next.status);
      set(item, "data-status", next.status);
    };
    update(step);
    return { node: item, update };
  });
  const update = ({ message }: Row): void => {
    if (message.role !== "activity") return;
    const plan = checklistOf(message.content);
    set(node, "data-type", message.activityType);
    say(title, plan?.title ?? message.activityType);
    checklist(plan?.steps ?? []);
    steps.hidden = plan === undefined;
    json.node.toggleAttribute("hidden", plan !== undefined);
    if (plan === undefined) json.update(message.content);
  };
  update(row);
  return { node, update };
}

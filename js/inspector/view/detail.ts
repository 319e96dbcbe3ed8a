// The details of the selected row, beside its changes.

import type { AgentRequest } from "../../api/types.js";
import { parseJson } from "../../base/json.js";
import type { Changes, Entry, Item, MessageChange, MessageState } from "../model/entry.js";
import { deltaOf } from "../model/entry.js";
import { ruleOf } from "../model/rules.js";
import { clock, count, cut, duration } from "../model/text.js";
import { h } from "./dom.js";
import { tree, type OpenBranches } from "./json.js";

const maxText = 4000;

/** The element that shows a row. */
export function detail(entry: Entry, startedAt: number, opened: OpenBranches): HTMLElement {
  const { items, times, type, at } = entry;
  const last = times[times.length - 1] ?? at;
  const when = `${clock(at)} · +${((at - startedAt) / 1000).toFixed(3)} s${last > at ? ` · for ${duration(last - at)}` : ""}`;
  return h(
    "div",
    { class: "detail" },
    h("h2", {}, h("span", { class: "dot", "data-kind": entry.kind }), cut(type, 100)),
    h("p", { class: "facts" }, items.length > 1 ? `${count(items.length)} events · ${count(entry.length)} characters · ${when}` : when),
    ...changes(entry.changes),
    ...(items.length > 1 ? joined(entry, opened) : one(items[0]!, opened)),
  );
}

const part = (title: string, ...children: readonly Node[]): HTMLElement => h("section", {}, h("h3", {}, title), ...children);

function joined({ items }: Entry, opened: OpenBranches): Node[] {
  let text = "";
  for (const item of items) if (text.length <= maxText) text += deltaOf(item);
  return [
    part("Text", h("pre", { class: "text", dir: "auto" }, cut(text, maxText))),
    part("Events", tree(items.map((item) => ("event" in item ? item.event : item)), 0, opened)),
  ];
}

function one(item: Item, opened: OpenBranches): Node[] {
  if ("event" in item) return [part("Event", tree(item.event, 3, opened))];
  if ("request" in item) return [request(item.request, opened)];
  if ("response" in item) return [response(item.response)];
  if ("warning" in item) return [warning(item.warning), part("Warning", tree(item.warning, 1, opened))];
  if ("error" in item) return [warning(item.error), part("Error", tree(item.error, 1, opened))];
  if ("local" in item) return [h("p", {}, cut(item.local, maxText))];
  return [part("Details", tree(Object.values(item)[0], 2, opened))];
}

/** The text of the rule that was broken. */
export function warning(
  { code, rule, message: text }: { readonly code?: string | undefined; readonly rule?: string | undefined; readonly message: string },
): HTMLElement {
  const found = ruleOf({ code, rule });
  return h(
    "section",
    { class: "rule" },
    h("h3", {}, [rule, code].filter(Boolean).join(" · ") || "Message"),
    h("p", { dir: "auto" }, cut(text, maxText)),
    ...(found?.asks ? [h("p", {}, h("b", {}, found.tags.length ? "The rule: " : "What was odd: "), found.asks)] : []),
    ...(found?.becomes ? [h("p", {}, h("b", {}, "What happens: "), found.becomes)] : []),
  );
}

function request({ method, url, body, runId, resume }: AgentRequest, opened: OpenBranches): HTMLElement {
  return part(
    "Request",
    facts([["Method", method], ["Address", cut(url, 1000)], ["Run", runId], ...(resume ? [["Purpose", "rejoins a run in progress"] as const] : [])]),
    ...(body === undefined ? [] : [h("h3", {}, "Body"), tree(parseJson(body, body), 1, opened)]),
  );
}

function response({ status, headMs, contentType, error }: AgentRequest): HTMLElement {
  return part(
    "Response",
    facts([
      ...(status === undefined ? [] : [["Status", String(status)] as const]),
      ...(error === undefined ? [] : [["Failed with", cut(error, 1000)] as const]),
      ...(contentType === undefined ? [] : [["Content type", cut(contentType, 200)] as const]),
      ...(headMs === undefined ? [] : [["After", duration(headMs)] as const]),
    ]),
  );
}

/** Names and values in two columns. */
export function facts(pairs: readonly (readonly [string, string])[]): HTMLElement {
  return h("dl", {}, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value || "–")]));
}

function changes(changed: Changes | undefined): Node[] {
  if (!changed) return [];
  const { state = [], messages = [], more, shared } = changed;
  const notes = [
    ...(shared ? ["Together with other events that were shown at the same time."] : []),
    ...(more ? ["More of the state has changed than is listed."] : []),
  ];
  return [
    ...(state.length ? [part("Changed in the state", h("ul", { class: "changes" }, ...state.map((change) => difference(change))))] : []),
    ...(messages.length ? [part("Changed messages", h("ul", { class: "changes" }, ...messages.map(message)))] : []),
    ...notes.map((text) => h("p", { class: "note" }, text)),
  ];
}

function difference({ path, before, after }: { readonly path: string; readonly before?: string; readonly after?: string }): HTMLElement {
  return h(
    "li",
    {},
    h("code", { class: "path" }, cut(path, 200) || "(all)"),
    ...(before === undefined ? [] : [sided("del", "before", before)]),
    ...(after === undefined ? [] : [sided("ins", "after", after)]),
  );
}

const sided = (name: "del" | "ins", label: string, text: string): HTMLElement =>
  h(name, { dir: "auto" }, h("span", { class: "unseen" }, `${label} `), cut(text, 600));

function message({ id, role, before, after, tail }: MessageChange): HTMLElement {
  const what = !before ? "added" : !after ? "removed" : "changed";
  return h(
    "li",
    {},
    h("span", { class: "path" }, `${role} ${cut(id, 60)}`),
    h("span", { class: "facts" }, ` ${what}: ${how(before, after)}`),
    ...(tail ? [h("pre", { class: "text", dir: "auto" }, cut(tail, 400))] : []),
  );
}

function how(before: MessageState | undefined, after: MessageState | undefined): string {
  const arrow = (old: string | undefined, next: string | undefined): string => [...new Set([old, next].filter((side) => side !== undefined))].join(" → ");
  const text = `${arrow(before && count(before.length), after && count(after.length))} characters`;
  const calls = before?.calls || after?.calls ? `${arrow(before && String(before.calls ?? 0), after && String(after.calls ?? 0))} calls` : "";
  return [arrow(before?.delivery, after?.delivery), text, calls].filter(Boolean).join(", ");
}

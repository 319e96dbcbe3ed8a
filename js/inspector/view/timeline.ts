// The timeline: a search, kinds to filter by, the rows, and what the selected row is about.

import type { Entry, Kind } from "../model/entry.js";
import { kinds, summary } from "../model/entry.js";
import { createFilter } from "../model/filter.js";
import type { Log } from "../model/log.js";
import { count } from "../model/text.js";
import { detail } from "./detail.js";
import { button, h, rove, say, set } from "./dom.js";
import type { OpenBranches } from "./json.js";
import { list } from "./rows.js";

/** Rows that are looked at for a search between two frames. */
const perFrame = 2000;

/** The timeline of a log. `announce` is called with what a search has found, `ask` for an update in the next frame. */
export function timeline(log: Log, announce: (text: string) => void, ask: () => void) {
  const filter = createFilter(log);
  const bar = createFilterBar(() => search());
  const rows = list<Entry>("Events", ({ id }) => id, (row, entry) => draw(row, entry, log.startedAt ?? entry.at), () => showDetail(true));
  const side = createSide(log);
  const none = h("p", { class: "none" }, "No events yet.");
  const node = h("div", { class: "timeline" }, bar.node, h("div", { class: "split" }, h("div", { class: "main" }, rows.node, none), side.node));
  moveFocusByKeys(bar.field, rows, side.node);
  let announced = true;

  const search = (): void => {
    filter.set({ hidden: bar.hidden, search: bar.field.value });
    announced = false;
    filter.step(perFrame);
    showRows();
    ask();
  };
  const showRows = (): void => {
    const { rows: wanted } = filter;
    rows.show({ length: wanted.length, at: (index) => wanted[index]! });
    bar.report(wanted.length, log);
    none.hidden = wanted.length > 0;
    say(none, log.entries.length ? "Nothing fits the search and the filter." : "No events yet.");
  };
  const showDetail = (moved = false): void => side.show(rows.selected < 0 ? undefined : filter.rows[rows.selected], moved);
  search();
  return {
    node,
    update: (): boolean => {
      filter.step(perFrame);
      showRows();
      showDetail();
      if (!filter.searching && !announced) {
        announced = true;
        if (bar.field.value) announce(`${count(filter.rows.length)} of ${count(log.entries.length)} rows found`);
      }
      return filter.searching;
    },
    focus: rows.focus,
    search: (): void => (bar.field.focus(), bar.field.select()),
    /** Handles Escape. Returns false where there is nothing to close. */
    escape: (): boolean => {
      const { activeElement } = node.getRootNode() as ShadowRoot;
      if (bar.field.value && (activeElement === bar.field || (rows.selected < 0 && node.contains(activeElement)))) {
        bar.field.value = "";
        search();
        rows.focus();
        return true;
      }
      if (rows.selected < 0) return false;
      rows.select(-1, true);
      return true;
    },
    /** Selects the newest row that is not younger. */
    show: (at: number): void => {
      let index = filter.rows.length - 1;
      while (index > 0 && filter.rows[index]!.at > at) index--;
      rows.select(index);
    },
    close: filter.close,
  };
}

/** Arrow keys and Enter move the focus: from the search to the rows, from these to the details, and back. */
function moveFocusByKeys(field: HTMLElement, rows: ReturnType<typeof list<Entry>>, side: HTMLElement): void {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    rows.focus();
  });
  rows.node.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== "ArrowRight") || side.hidden) return;
    event.preventDefault();
    side.focus();
  });
  side.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" || event.target !== side) return;
    event.preventDefault();
    rows.focus();
  });
}

/** A bar that shows all. `changed` is called when a person filters in another way. */
function createFilterBar(changed: () => void) {
  const field = h("input", {
    type: "search",
    placeholder: "Search  /",
    "aria-label": "Search events",
    spellcheck: "false",
    autocomplete: "off",
    part: "search",
    input: changed,
  });
  const chips = createChips(changed);
  const found = h("span", { class: "found" });
  return {
    node: h("div", { class: "filter" }, field, chips.node, found),
    field,
    hidden: chips.hidden,
    /** Shows how many rows of the log fit. */
    report: (shown: number, { entries, events, dropped }: Log): void => {
      say(found, shown === entries.length ? `${count(events)} events` : `${count(shown)} of ${count(entries.length)} rows`);
      set(found, "title", dropped ? `${count(dropped)} older rows were dropped` : undefined);
    },
  };
}

/** The toolbar in which kinds of events are hidden; `changed` is called when one is hidden or shown. */
function createChips(changed: () => void): { readonly node: HTMLElement; readonly hidden: ReadonlySet<Kind> } {
  const hidden = new Set<Kind>();
  const chip = (kind: Kind): HTMLElement => {
    const toggle = button(kind, () => {
      if (!hidden.delete(kind)) hidden.add(kind);
      set(toggle, "aria-pressed", String(!hidden.has(kind)));
      changed();
    }, { class: "chip", "aria-pressed": "true", "data-kind": kind });
    toggle.prepend(h("span", { class: "dot", "data-kind": kind }));
    return toggle;
  };
  const node = h("div", { class: "chips", role: "toolbar", "aria-label": "Kinds of events" }, ...kinds.map(chip));
  rove(node, "button");
  return { node, hidden };
}

/** The details of an entry, beside the rows. */
function createSide(log: Log): { readonly node: HTMLElement; show(entry: Entry | undefined, moved: boolean): void } {
  const node = h("div", { class: "side", role: "region", "aria-label": "Details of the event", tabindex: -1, hidden: true });
  let drawn: { entry: Entry; items: number; changes: Entry["changes"] } | undefined;
  let opened: OpenBranches = new Map();
  return {
    node,
    /** Draws the entry, unless it is drawn as it is. `moved`: it was selected. */
    show: (entry, moved) => {
      const same = entry && drawn?.entry === entry && drawn.items === entry.items.length && drawn.changes === entry.changes;
      if (same && !moved) return;
      if (drawn?.entry !== entry) opened = new Map();
      drawn = entry && { entry, items: entry.items.length, changes: entry.changes };
      node.hidden = !entry;
      const { scrollTop } = node;
      node.replaceChildren(...(entry ? [detail(entry, log.startedAt ?? entry.at, opened)] : []));
      if (!moved) node.scrollTop = scrollTop;
    },
  };
}

/** Fills a row's element: time, dot, type, summary, how many. */
function draw(node: HTMLElement, entry: Entry, startedAt: number): void {
  if (!node.firstChild) {
    node.append(...["time", "dot", "type", "sum", "marks", "count"].map((name) => h("span", { class: name })));
  }
  const [time, dot, type, sum, marks, many] = node.children as unknown as [Element, Element, Element, Element, Element, Element];
  const { state, messages } = entry.changes ?? {};
  set(node, "data-kind", entry.kind);
  set(dot, "data-kind", entry.kind);
  say(time, `+${((entry.at - startedAt) / 1000).toFixed(3)}`);
  say(type, entry.type.length > 60 ? `${entry.type.slice(0, 60)}…` : entry.type);
  say(sum, summary(entry));
  const labels = [state?.length ? "state" : "", messages?.length ? (messages.length > 1 ? `${messages.length} messages` : "message") : ""].filter(Boolean);
  say(marks, labels.length ? `Δ ${labels.join(", ")}` : "");
  say(many, entry.items.length > 1 ? `×${count(entry.items.length)}` : "");
}

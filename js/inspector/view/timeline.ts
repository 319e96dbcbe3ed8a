// The timeline: a search, kinds to filter by, the rows, and what the selected row is about.

import type { Entry, Kind } from "../model/entry.js";
import { kinds, summary } from "../model/entry.js";
import { createFilter } from "../model/filter.js";
import type { Log } from "../model/log.js";
import { count } from "../model/text.js";
import { detail } from "./detail.js";
import { button, h, rove, say, set } from "./dom.js";
import type { OpenBranches } from "./json.js";
import type { Panel } from "./panels.js";
import { list } from "./rows.js";

/** Rows that are looked at for a search between two frames. */
const perFrame = 2000;

/** The panel. */
export interface Timeline extends Panel {
  focus(): void;
  search(): void;
  /** Handles Escape. Returns false where there is nothing to close. */
  escape(): boolean;
  /** Selects the newest row that is not younger. */
  show(at: number): void;
  close(): void;
}

/** The timeline of a log. `announce` is called with what a search has found, `ask` for an update in the next frame. */
export function timeline(log: Log, announce: (text: string) => void, ask: () => void): Timeline {
  const filter = createFilter(log);
  let announced = true;

  const field = h("input", {
    type: "search",
    placeholder: "Search  /",
    "aria-label": "Search events",
    spellcheck: "false",
    autocomplete: "off",
    part: "search",
    input: () => wish(),
  });
  const chips = createChips(() => wish());
  const found = h("span", { class: "found" });
  const rows = list<Entry>("Events", ({ id }) => id, (node, entry) => draw(node, entry, log.startedAt ?? entry.at), () => showDetail(true));
  const side = createSide(log);
  const none = h("p", { class: "none" }, "No events yet.");
  const node = h(
    "div",
    { class: "timeline" },
    h("div", { class: "filter" }, field, chips.node, found),
    h("div", { class: "split" }, h("div", { class: "main" }, rows.node, none), side.node),
  );
  const wish = (): void => {
    filter.set({ hidden: chips.hidden, search: field.value });
    announced = false;
    filter.step(perFrame);
    draft();
    ask();
  };
  const draft = (): void => {
    const { rows: wanted } = filter;
    rows.show({ length: wanted.length, at: (index) => wanted[index]! });
    const all = log.entries.length;
    say(found, wanted.length === all ? `${count(log.events)} events` : `${count(wanted.length)} of ${count(all)} rows`);
    set(found, "title", log.dropped ? `${count(log.dropped)} older rows were dropped` : undefined);
    none.hidden = wanted.length > 0;
    say(none, all ? "Nothing fits the search and the filter." : "No events yet.");
  };
  const showDetail = (moved = false): void => side.show(rows.selected < 0 ? undefined : filter.rows[rows.selected], moved);

  rows.node.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== "ArrowRight") || side.node.hidden) return;
    event.preventDefault();
    side.node.focus();
  });
  side.node.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" || event.target !== side.node) return;
    event.preventDefault();
    rows.focus();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    rows.focus();
  });
  wish();

  return {
    node,
    update: () => {
      filter.step(perFrame);
      draft();
      showDetail();
      if (!filter.searching && !announced) {
        announced = true;
        if (field.value) announce(`${count(filter.rows.length)} of ${count(log.entries.length)} rows found`);
      }
      return filter.searching;
    },
    focus: rows.focus,
    search: () => (field.focus(), field.select()),
    escape: () => {
      if (field.value && node.contains(field.getRootNode() instanceof ShadowRoot ? (field.getRootNode() as ShadowRoot).activeElement : null)) {
        if ((field.getRootNode() as ShadowRoot).activeElement === field || rows.selected < 0) {
          field.value = "";
          wish();
          rows.focus();
          return true;
        }
      }
      if (rows.selected < 0) return false;
      rows.select(-1, true);
      return true;
    },
    show: (at) => {
      const { rows: wanted } = filter;
      let index = wanted.length - 1;
      while (index > 0 && wanted[index]!.at > at) index--;
      rows.select(index);
    },
    close: filter.close,
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

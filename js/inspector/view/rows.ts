// A long list of which only the rows in sight, and the one with the focus, are in the document.

import { h, set } from "./dom.js";

/** A row's height in pixels; the styles have the same. */
export const rowHeight = 26;
/** Rows that are made above and below what is in sight. */
const margin = 8;

/** A list of rows. */
export interface Rows<Row> {
  readonly length: number;
  readonly at: (index: number) => Row;
}

/** A list. `key` names a row; `draw` fills its element; `chosen` is called as a row is selected, with -1 for none. */
export function list<Row>(label: string, key: (row: Row) => number, draw: (node: HTMLElement, row: Row) => void, chosen: (index: number) => void) {
  const space = h("div", { class: "space", role: "presentation" });
  const node = h("div", { class: "rows", role: "listbox", "aria-label": label, tabindex: 0 }, space);
  const painter = createPainter(space, key, draw);
  const viewport = createViewport(node, space);
  let rows: Rows<Row> = { length: 0, at: () => undefined as never };
  let selected = -1;
  let selectedKey: number | undefined;

  const paint = (): void => {
    const [first, end] = viewport.inSight(rows.length);
    const wanted = new Set<number>();
    for (let i = first; i < end; i++) wanted.add(i);
    if (selected >= 0 && selected < rows.length) wanted.add(selected);
    painter.paint(rows, wanted, selected);
    node.tabIndex = selected >= 0 ? -1 : 0;
  };
  const focusSelected = (options?: FocusOptions): void => (selectedKey === undefined ? node : painter.get(selectedKey))?.focus(options);
  const select = (index: number, focus = false): void => {
    const within = Math.min(index, rows.length - 1);
    const moved = within !== selected;
    selected = within;
    selectedKey = within < 0 ? undefined : key(rows.at(within));
    if (within >= 0) viewport.reveal(within);
    viewport.following = within === rows.length - 1;
    paint();
    if (focus) focusSelected({ preventScroll: true });
    if (moved) chosen(within);
  };

  node.addEventListener("scroll", () => (viewport.scrolled(), paint()), { passive: true });
  node.addEventListener("click", ({ target }) => {
    const index = (target as Element).closest<HTMLElement>(".row")?.dataset["index"];
    if (index !== undefined) select(Number(index), true);
  });
  node.addEventListener("keydown", (event) => {
    const step = stepOf(event, viewport.rowsPerPage());
    if (step === undefined || !rows.length) return;
    event.preventDefault();
    select(Math.max(0, Math.min(rows.length - 1, selected < 0 && step === -1 ? rows.length - 1 : selected + step)), true);
  });
  return {
    node,
    /** Draws the rows in sight again. */
    show: (next: Rows<Row>): void => {
      rows = next;
      if (selectedKey !== undefined) selected = find(rows, selectedKey, key);
      if (selected < 0) selectedKey = undefined;
      viewport.resized(rows.length, selected);
      paint();
    },
    /** Selects a row; `focus` moves the focus there too. */
    select,
    get selected(): number {
      return selected;
    },
    focus: (): void => (selected < 0 && rows.length ? select(rows.length - 1, true) : focusSelected()),
  };
}

/** How many rows a key moves the selection by. */
function stepOf({ key, altKey, ctrlKey, metaKey }: KeyboardEvent, page: number): number | undefined {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  return altKey || ctrlKey || metaKey ? undefined : steps[key];
}

/** The part of a list that is in sight. */
function createViewport(node: HTMLElement, space: HTMLElement) {
  // A row was selected while the list could not be seen.
  let unseen = false;
  const viewport = {
    /** Whether new rows at the end are scrolled to. */
    following: true,
    /** The first row in sight and the one after the last, with a margin. */
    inSight: (length: number): [number, number] => {
      const first = Math.floor(node.scrollTop / rowHeight) - margin;
      const last = Math.ceil((node.scrollTop + (node.clientHeight || 400)) / rowHeight) + margin;
      return [Math.max(0, first), Math.min(length, last)];
    },
    rowsPerPage: (): number => Math.max(1, Math.floor(node.clientHeight / rowHeight) - 1),
    scrolled: (): void => {
      viewport.following = node.scrollTop + node.clientHeight >= space.offsetHeight - rowHeight;
    },
    /** Scrolls to a row as little as is needed. */
    reveal: (index: number): void => {
      const [top, height] = [index * rowHeight, node.clientHeight];
      unseen = height === 0;
      if (top < node.scrollTop) node.scrollTop = top;
      else if (top + rowHeight > node.scrollTop + height) node.scrollTop = top + rowHeight - height;
    },
    /** Scrolls to the selected row where that is due, or to the end. */
    resized: (length: number, selected: number): void => {
      space.style.height = `${length * rowHeight}px`;
      if (selected >= 0) { if (unseen) viewport.reveal(selected); }
      else if (viewport.following) node.scrollTop = length * rowHeight;
    },
  };
  return viewport;
}

/** The elements of the rows in sight, by the keys of these. */
function createPainter<Row>(space: HTMLElement, key: (row: Row) => number, draw: (node: HTMLElement, row: Row) => void) {
  const made = new Map<number, HTMLElement>();

  const paintRow = (rows: Rows<Row>, index: number, selected: number): HTMLElement => {
    const data = rows.at(index);
    const id = key(data);
    const element = made.get(id) ?? h("div", { class: "row", role: "option" });
    made.set(id, element);
    element.dataset["index"] = String(index);
    element.style.transform = `translateY(${index * rowHeight}px)`;
    element.tabIndex = index === selected ? 0 : -1;
    set(element, "aria-selected", String(index === selected));
    set(element, "aria-posinset", String(index + 1));
    set(element, "aria-setsize", String(rows.length));
    draw(element, data);
    return element;
  };

  return {
    get: (id: number): HTMLElement | undefined => made.get(id),
    /** Draws these rows, and removes all others. */
    paint: (rows: Rows<Row>, wanted: ReadonlySet<number>, selected: number): void => {
      const keys = new Set([...wanted].map((index) => key(rows.at(index))));
      for (const [id, element] of made) {
        if (keys.has(id)) continue;
        element.remove();
        made.delete(id);
      }
      // From the last one on: elements stand in the order of their rows, as a screen reader reads them.
      let before: Element | null = null;
      for (const index of [...wanted].sort((a, b) => b - a)) {
        const element = paintRow(rows, index, selected);
        if (element.parentNode !== space || element.nextElementSibling !== before) space.insertBefore(element, before);
        before = element;
      }
    },
  };
}

/** Where the row with this key is, or -1. Keys grow. */
function find<Row>(rows: Rows<Row>, wanted: number, key: (row: Row) => number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(rows.at(middle)) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < rows.length && key(rows.at(low)) === wanted ? low : -1;
}

/** Just enough to make elements and keep them up to date. */

/** A piece of the page and the way to show another value in it. */
export interface View<Value> {
  readonly node: Element;
  update(value: Value): void;
}

type Child = Node | string;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

/** Makes an element: `on…` listens, `true` and `false` set and leave out an attribute, everything else is one. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else set(element, name, value);
  }
  element.append(...children);
  return element;
}

/** Sets an attribute, or takes it away. */
export function set(element: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** Replaces the text of an element, unless it is the same. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export const icon = (name: string): HTMLElement => h("span", { class: "icon", "data-icon": name });

/** A place for something that may or may not be there. */
export const slot = (): HTMLElement => h("div", { class: "slot" });

/**
 * Keeps the children of `parent` in step with a list. A child stays as long as its key is there, and hears of its item
 * only when that is another object.
 */
export function list<Item>(
  parent: Element,
  keyOf: (item: Item, index: number) => string | number,
  make: (item: Item) => View<Item>,
): (items: readonly Item[]) => void {
  const known = new Map<string | number, { view: View<Item>; item: Item }>();
  return (items) => {
    const keys = new Set(items.map(keyOf));
    for (const [key, { view }] of known) {
      if (keys.has(key)) continue;
      view.node.remove();
      known.delete(key);
    }
    let place = parent.firstElementChild;
    for (const [index, item] of items.entries()) {
      const key = keyOf(item, index);
      let entry = known.get(key);
      if (entry === undefined) known.set(key, entry = { view: make(item), item });
      else if (entry.item !== item) {
        entry.item = item;
        entry.view.update(item);
      }
      if (entry.view.node === place) place = place.nextElementSibling;
      else parent.insertBefore(entry.view.node, place);
    }
  };
}

/** As `list`, for one thing or none. */
export function maybe<Item>(parent: Element, make: (item: Item) => View<Item>): (item: Item | undefined) => void {
  const update = list<Item>(parent, () => 0, make);
  return (item) => update(item === undefined ? [] : [item]);
}

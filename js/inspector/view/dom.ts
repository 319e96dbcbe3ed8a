// Elements. Data from the network is put in as text, never as HTML.

type Props = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>;

/** An element with attributes; a function is a listener, `true` an empty attribute, `false` and `undefined` are left out. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  props: Props = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(key, value as unknown as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** Sets an attribute where it differs. */
export function set(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Sets the text where it differs. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** A button. */
export function button(label: string, click: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", click, ...props }, label);
}

/** Arrow keys move the focus among the elements of a toolbar or a list of tabs; only one of them is a stop of the Tab key. */
export function rove(container: HTMLElement, selector: string, moved: (element: HTMLElement) => void = () => {}): void {
  const all = (): HTMLElement[] => [...container.querySelectorAll<HTMLElement>(selector)].filter((element) => !element.hidden);
  const stop = (chosen: HTMLElement): void => {
    for (const element of all()) element.tabIndex = element === chosen ? 0 : -1;
  };
  container.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(selector)) stop(target);
  });
  container.addEventListener("keydown", (event) => {
    const elements = all();
    const at = elements.indexOf(event.target as HTMLElement);
    const places: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: elements.length - 1 };
    const place = places[event.key];
    if (at < 0 || place === undefined) return;
    const next = elements[(place + elements.length) % elements.length]!;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
    moved(next);
  });
  const [first] = all();
  if (first) stop(all().find((element) => element.getAttribute("aria-selected") === "true") ?? first);
}

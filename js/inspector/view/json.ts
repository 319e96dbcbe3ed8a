// A value as a tree that opens level by level: what is not open is not made, so that its depth and size do not matter.

import { count, cut, preview } from "../model/text.js";
import { button, h } from "./dom.js";

/** Members that a level shows at once, and characters of a string. */
const maxMembers = 100;
const maxText = 4000;

/** The branches of a tree that a person has opened or closed, by their place, so that they stay so when the value is drawn again. */
export type OpenBranches = Map<string, boolean>;

/** The tree. `open`: how many levels are open at first. */
export function tree(value: unknown, open = 1, opened: OpenBranches = new Map()): HTMLElement {
  return h("div", { class: "tree" }, node(undefined, value, { open, opened, path: "" }));
}

/** Where a node stands. */
interface TreePlace {
  readonly open: number;
  readonly opened: OpenBranches;
  readonly path: string;
}

function node(key: string | undefined, value: unknown, { open, opened, path }: TreePlace): HTMLElement {
  const name = key === undefined ? [] : [h("span", { class: "key" }, cut(key, 200)), ": "];
  const keys = keysOf(value);
  const size = keys ? keys.length : Array.isArray(value) ? value.length : undefined;
  if (size === undefined || size === 0) return h("div", { class: "leaf" }, ...name, leaf(value));
  const list = Array.isArray(value);
  const about = `${list ? "[" : "{"}${count(size)}${list ? "]" : "}"}`;
  const short = h("span", { class: "short" }, preview(value, 80, 2));
  const children = h("div", { class: "children" });
  const details = h("details", {}, h("summary", {}, ...name, h("span", { class: "size" }, about), " ", short), children);
  let made = false;
  const fill = (): void => {
    if (made || !details.open) return;
    made = true;
    more(children, value as object, keys, 0, { open: open - 1, opened, path });
  };
  details.addEventListener("toggle", () => {
    // Programs open it too, and are heard of later.
    if (details.open !== (opened.get(path) ?? open > 0)) opened.set(path, details.open);
    fill();
  });
  details.open = opened.get(path) ?? open > 0;
  fill();
  return details;
}

function more(into: HTMLElement, value: object, keys: readonly string[] | undefined, from: number, place: TreePlace): void {
  const all = keys?.length ?? (value as readonly unknown[]).length;
  const end = Math.min(all, from + maxMembers);
  // A wide value stays folded below its first level.
  const open = all > 20 ? 0 : place.open;
  for (let i = from; i < end; i++) {
    const key = keys ? keys[i]! : String(i);
    into.append(node(key, (value as Record<string, unknown>)[key], { ...place, open, path: `${place.path}/${key}` }));
  }
  if (end === all) return;
  const next = button(`${count(all - end)} more`, () => {
    next.remove();
    more(into, value, keys, end, place);
  }, { class: "more" });
  into.append(next);
}

/** The names of an object's members, without those that JSON would not have. */
function keysOf(value: unknown): readonly string[] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.keys(value).filter((key) => (value as Record<string, unknown>)[key] !== undefined);
}

function leaf(value: unknown): HTMLElement {
  if (typeof value === "string") return h("span", { class: "string", dir: "auto" }, JSON.stringify(cut(value, maxText)));
  if (typeof value === "object" && value !== null) return h("span", { class: "size" }, Array.isArray(value) ? "[]" : "{}");
  return h("span", { class: "literal" }, String(value));
}

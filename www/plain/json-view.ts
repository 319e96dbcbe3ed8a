import { tree } from "../shared/json.js";
import { h, list, maybe, type View } from "./dom.js";

type Leaf = { readonly type: string; readonly text: string };

/** A JSON value as a tree. A leaf that changes is a new element, whose animation shows it. */
export function jsonView(value: unknown): View<unknown> {
  const node = h("div", { class: "slot" });
  const leaf = list<Leaf>(node, ({ text }) => `leaf ${text}`, leafView);
  const branch = maybe<object>(node, branchView);
  const update = (next: unknown): void => {
    const shape = tree(next);
    leaf(shape.kind === "leaf" ? [shape] : []);
    branch(shape.kind === "node" ? (next as object) : undefined);
  };
  update(value);
  return { node, update };
}

function leafView({ type, text }: Leaf): View<Leaf> {
  return { node: h("span", { class: "json-value", "data-type": type }, text), update() {} };
}

function branchView(value: object): View<object> {
  const node = h("ul", { class: "json" });
  const entries = list<readonly [string, unknown]>(node, ([key]) => key, entryView);
  const more = h("li", { class: "json-size" });
  const update = (next: object): void => {
    const shape = tree(next);
    if (shape.kind !== "node") return;
    more.remove();
    entries(shape.entries);
    if (shape.more > 0) node.append(Object.assign(more, { textContent: `and ${shape.more} more` }));
  };
  update(value);
  return { node, update };
}

function entryView([key, value]: readonly [string, unknown]): View<readonly [string, unknown]> {
  const size = h("span", { class: "json-size" });
  const child = jsonView(value);
  const show = (next: unknown): void => {
    const shape = tree(next);
    size.textContent = shape.kind === "node" ? shape.label : "";
  };
  show(value);
  let last = value;
  return {
    node: h("li", {}, h("span", { class: "json-key" }, key), size, child.node),
    update([, next]) {
      if (next === last) return;
      last = next;
      show(next);
      child.update(next);
    },
  };
}

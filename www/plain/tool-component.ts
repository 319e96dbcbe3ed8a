import type { ToolView } from "../shared/tool-views.js";
import { h, icon, type View } from "./dom.js";

/** The component of a tool's call. It is small, so it is drawn anew. */
export function toolComponent(view: ToolView): View<ToolView> {
  const node = h("div", {});
  const update = (next: ToolView): void => {
    node.className = `tool-view ${next.kind}`;
    node.dataset["testid"] = next.kind;
    node.replaceChildren(...(next.kind === "trains" ? trains(next) : forecast(next)));
  };
  update(view);
  return { node, update };
}

function trains({ from, to, date, trains: found }: Extract<ToolView, { kind: "trains" }>): Element[] {
  const row = ({ number, departs, arrives, price }: NonNullable<typeof found>[number]): Element =>
    h(
      "li",
      { "data-testid": "train" },
      h("span", {}, `${departs} – ${arrives}`),
      h("span", { class: "number" }, number),
      h("span", { class: "price" }, price),
    );
  const title = h("p", { class: "trip", dir: "auto" }, `${from} → ${to} `, h("small", {}, date));
  return [title, found === undefined ? h("p", { class: "none" }, "Looking for trains") : h("ul", {}, ...found.map(row))];
}

function forecast({ place, days }: Extract<ToolView, { kind: "forecast" }>): Element[] {
  const title = h("p", { class: "trip", dir: "auto" }, `${place} `, h("small", {}, "weather"));
  const day = ({ sky, label, high }: NonNullable<typeof days>[number]): Element =>
    h("li", { "data-testid": "day" }, icon(sky), h("b", {}, high), h("small", {}, label));
  return [title, days === undefined ? h("p", { class: "none" }, "Looking at the sky") : h("ol", {}, ...days.map(day))];
}

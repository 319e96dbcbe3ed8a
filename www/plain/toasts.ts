import type { Notice, Notices } from "../shared/notices.js";
import { h, icon, list } from "./dom.js";

export function toasts(notices: Notices): Element {
  const node = h("div", { class: "toasts", role: "region", "aria-label": "Notices", "aria-live": "polite" });
  const update = list<Notice>(node, ({ id }) => id, ({ id, level, title, text }) => ({
    node: h(
      "div",
      { class: "toast", "data-testid": "notice", "data-level": level },
      h("div", {}, h("b", {}, title), ...(text === "" ? [] : [h("span", {}, text)])),
      h(
        "button",
        { type: "button", class: "icon-button", "aria-label": "Close this notice", onclick: () => notices.settle(id) },
        icon("close"),
      ),
    ),
    update() {},
  }));
  notices.subscribe((all) => update(all.filter(({ fresh }) => fresh)));
  return node;
}

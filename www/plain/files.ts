import type { Attachment } from "ag-ui-wasm/attachments";
import { files, stateOf, type Picture } from "../shared/files.js";
import { h, icon, list, maybe, say, set, slot, type View } from "./dom.js";

/** The pictures of the composer. */
export function filesView(items: readonly Attachment[]): View<readonly Attachment[]> {
  const node = h("ul", { class: "files", "aria-label": "Pictures to send", "data-testid": "files" });
  const update = list<Attachment>(node, ({ id }) => id, fileView);
  update(items);
  return { node, update };
}

function fileView(item: Attachment): View<Attachment> {
  const { id, name, previewUrl } = item;
  const state = h("span", { "data-testid": "file-state" });
  const retrySlot = slot();
  const retry = maybe<true>(retrySlot, () => ({
    node: h("button", { type: "button", class: "button", "data-testid": "file-retry", onclick: () => files.retry(id) }, "Try again"),
    update() {},
  }));
  const remove = h("button", {
    type: "button",
    class: "icon-button",
    "data-testid": "file-remove",
    "aria-label": `Remove ${name}`,
    onclick: () => files.remove(id),
  }, icon("close"));
  const preview = previewUrl === undefined ? [] : [h("img", { src: previewUrl, alt: "" })];
  const node = h("li", { "data-testid": "file" }, ...preview, h("b", { dir: "auto" }, name), state, retrySlot, remove);
  const update = (next: Attachment): void => {
    set(node, "data-status", next.status);
    say(state, stateOf(next));
    retry(next.error === "upload" ? true : undefined);
  };
  update(item);
  return { node, update };
}

/** The pictures of a message. */
export function picturesView(pictures: readonly Picture[]): View<readonly Picture[]> {
  const node = h("div", { class: "pictures" });
  const update = list<Picture>(node, (_, index) => index, ({ src, name }) => ({ node: h("img", { src, alt: name, "data-testid": "picture" }), update() {} }));
  update(pictures);
  return { node, update };
}

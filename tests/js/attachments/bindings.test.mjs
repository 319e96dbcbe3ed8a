// The bindings of attachments for React, Svelte, Vue and pages without a framework, in jsdom.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { bundled } from "../bundle.mjs";
import { components } from "../components.mjs";
import { load, until } from "../lib.mjs";
import { openPage } from "../page.mjs";

const closePage = openPage();
for (const name of ["SVGElement", "MathMLElement", "ShadowRoot", "Comment", "HTMLMediaElement"]) globalThis[name] ??= window[name];
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const { act, createElement, StrictMode, useState } = await import("react");
const { createRoot } = await import("react-dom/client");
const vue = await import("vue");
const { createAttachments, listenForFiles } = await load("attachments/index");
const svelte = await bundled("attachments/svelte-page.mjs", "attachments-svelte", { plugins: [components("client")], conditions: ["browser", "svelte"] });
const { useAttachments: useReact } = await load("attachments/react");
const { useAttachments: useVue } = await load("attachments/vue");

const file = (name) => new File(["x"], name, { type: "image/png" });
const shown = (items, dragging) => `${items.map(({ name, status }) => `${name} ${status}`).join()}${dragging ? " dragging" : ""}`;
const begun = [];
const aborted = [];
const never = (file, { signal }) => {
  begun.push(file.name);
  return new Promise(() => signal.addEventListener("abort", () => aborted.push(file.name)));
};

/** An event of a browser with files, which jsdom has not. */
function event(type, files) {
  const made = new window.Event(type, { bubbles: true, cancelable: true });
  const items = files.map((file) => ({ kind: "file", webkitGetAsEntry: () => ({ isDirectory: file.name === "folder" }) }));
  const data = { files, items, types: files.length ? ["Files"] : ["text/plain"] };
  return Object.assign(made, type === "paste" ? { clipboardData: data } : { dataTransfer: data });
}

/** Each shows the files, a picker, and a field; `options` may be files that were made elsewhere. */
const frameworks = {
  React: (options) => {
    const host = document.body.appendChild(document.createElement("div"));
    let leave;
    function Files() {
      const { items, dragging, inputProps, dropProps, onPaste } = useReact(options);
      return createElement(
        "form",
        dropProps,
        createElement("p", {}, shown(items, dragging)),
        createElement("input", inputProps),
        createElement("textarea", { onPaste }),
      );
    }
    function Page() {
      const [here, setHere] = useState(true);
      leave = () => setHere(false);
      return here && createElement(Files);
    }
    const root = createRoot(host);
    act(() => root.render(createElement(StrictMode, {}, createElement(Page))));
    return { host, does: (action) => act(async () => action()), leave: () => act(() => leave()) };
  },
  Vue: (options) => {
    const host = document.body.appendChild(document.createElement("div"));
    const app = vue.createApp({
      setup() {
        const { items, dragging, inputProps, dropProps, onPaste } = useVue(options);
        return () => vue.h("form", dropProps, [vue.h("p", shown(items.value, dragging.value)), vue.h("input", inputProps), vue.h("textarea", { onPaste })]);
      },
    });
    app.mount(host);
    return { host, does: async (action) => (action(), await vue.nextTick()), leave: () => app.unmount() };
  },
  Svelte: (options) => {
    const host = document.body.appendChild(document.createElement("div"));
    const { flush, leave } = svelte.show(host, { options, shown });
    return { host, does: async (action) => (action(), flush()), leave };
  },
  "plain pages": (options) => {
    const host = document.body.appendChild(document.createElement("div"));
    host.innerHTML = "<form><p></p><input><textarea></textarea></form>";
    const [form, text, input, field] = ["form", "p", "input", "textarea"].map((css) => host.querySelector(css));
    const files = "add" in options ? options : createAttachments(options);
    let hovers = false;
    const show = () => (text.textContent = shown(files.items, hovers));
    const ends = [
      files.subscribe(show),
      listenForFiles(files, { input, drop: form, paste: field, onDragging: (dragging) => ((hovers = dragging), show()) }),
      () => files === options || files.dispose(),
    ];
    show();
    return { host, does: async (action) => action(), leave: () => ends.forEach((end) => end()) };
  },
};
after(closePage);

for (const [name, render] of Object.entries(frameworks)) {
  describe(name, () => {
    it("takes files that are picked, dropped and pasted, leaves text alone, and ends with the component", async () => {
      begun.length = 0;
      const { host, does, leave } = render({ upload: never, accept: "image/*" });
      const [form, text, input, field] = ["form", "p", "input", "textarea"].map((css) => host.querySelector(css));
      assert.deepEqual([input.type, input.multiple, input.accept], ["file", true, "image/*"]);
      Object.defineProperty(input, "files", { value: [file("picked")], configurable: true });
      await does(() => input.dispatchEvent(new window.Event("change", { bubbles: true })));
      assert.equal(text.textContent, "picked uploading");

      const enter = event("dragenter", [file("x")]);
      await does(() => (form.dispatchEvent(enter), field.dispatchEvent(event("dragenter", [file("x")])), form.dispatchEvent(event("dragleave", [file("x")]))));
      assert.equal(enter.defaultPrevented, true);
      assert.match(text.textContent, / dragging$/);
      const drop = event("drop", [file("dropped"), file("folder")]);
      await does(() => form.dispatchEvent(drop));
      assert.equal(drop.defaultPrevented, true);
      assert.equal(text.textContent, "picked uploading,dropped uploading");

      const pasted = event("paste", [file("pasted")]);
      const words = event("paste", []);
      const link = event("drop", []);
      await does(() => (field.dispatchEvent(pasted), field.dispatchEvent(words), form.dispatchEvent(link)));
      assert.deepEqual([pasted, words, link].map(({ defaultPrevented }) => defaultPrevented), [true, false, false]);
      assert.equal(text.textContent, "picked uploading,dropped uploading,pasted uploading");
      await until(() => begun.length === 3);
      aborted.length = 0;
      await leave();
      await until(() => aborted.length === 3);
      field.dispatchEvent(event("paste", [file("late")]));
      form.dispatchEvent(event("drop", [file("late")]));
      assert.doesNotMatch(host.textContent, /late/);
      await Promise.resolve();
      assert.deepEqual(begun, ["picked", "dropped", "pasted"], "nothing is uploaded for a page that has gone");
    });

    it("leaves files that were made elsewhere as they are", async () => {
      const files = createAttachments({ upload: never });
      files.add([file("a")]);
      const { host, does, leave } = render(files);
      assert.equal(host.querySelector("p").textContent, "a uploading");
      await does(() => files.add([file("b")]));
      assert.equal(host.querySelector("p").textContent, "a uploading,b uploading");
      const field = host.querySelector("textarea");
      await leave();
      // The page without a framework still has its field.
      if (field.isConnected) field.dispatchEvent(event("paste", [file("late")]));
      assert.equal(files.items.length, 2);
      files.dispose();
    });
  });
}

// Bundled once with React 18 and once with React 19 by blocks-react.test.mjs.

import { useBlocks } from "ag-ui-wasm/blocks/react";
import assert from "node:assert/strict";
import { it } from "node:test";
import { act, createElement as h, memo, StrictMode, version } from "react";
import { createRoot } from "react-dom/client";

export function suite() {
  it(`React ${version}: under memo only the open block is rendered again, and elements stay`, async () => {
    const rendered = [];
    const Part = memo(({ block }) => {
      rendered.push(block.text);
      return h("p", { className: block.settled ? "settled" : "open" }, block.definitions + block.text);
    });
    const Answer = ({ message }) => useBlocks(message).map((block) => h(Part, { key: block.id, block }));
    const container = document.createElement("div");
    const root = createRoot(container);
    const show = (content, delivery = "streaming") => {
      rendered.length = 0;
      return act(async () => root.render(h(StrictMode, null, h(Answer, { message: { role: "assistant", content, delivery } }))));
    };
    const shown = () => [...container.children].map(({ className, textContent }) => `${className}: ${textContent.trim()}`);

    await show("One [a]\n\nTw");
    const [first, second] = container.children;
    await show("One [a]\n\nTwo\n\nThr");
    assert.deepEqual(new Set(rendered), new Set(["Two\n\n", "Thr"]));
    assert.deepEqual(shown(), ["settled: One [a]", "settled: Two", "open: Thr"]);
    await show("One [a]\n\nTwo\n\nThree");
    assert.deepEqual(new Set(rendered), new Set(["Three"]));
    assert.ok(container.children[0] === first && container.children[1] === second);
    await show("One [a]\n\nTwo\n\nThree\n\n[a]: /u", "complete");
    assert.deepEqual(new Set(rendered), new Set(["One [a]\n\n", "Three\n\n", "[a]: /u"]), "a definition reaches the block that uses it, and no other");
    assert.equal(container.querySelectorAll(".open").length, 0);
    await show([{ type: "text", text: "One" }, { type: "image" }, { type: "text", text: "Two" }], "complete");
    assert.deepEqual(shown(), ["settled: One", "settled: Two"]);
    await act(async () => root.unmount());
  });
}

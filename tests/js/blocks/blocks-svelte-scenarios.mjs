// Bundled with Svelte's client by blocks-svelte.test.mjs, which compiles the component.

import assert from "node:assert/strict";
import { it } from "node:test";
import { flushSync, mount, unmount } from "svelte";
import Answer from "./components/Answer.svelte";

export function suite() {
  it("Svelte: only the open block is rendered again, and elements stay", () => {
    const rendered = [];
    const target = document.createElement("div");
    const shown = mount(Answer, { target, props: { start: { content: "One\n\nTw", delivery: "streaming" }, rendered } });
    flushSync();
    const [first, second] = target.children;
    rendered.length = 0;
    shown.show({ content: "One\n\nTwo\n\nThr", delivery: "streaming" });
    flushSync();
    assert.deepEqual(rendered.filter((text) => text.startsWith("One")), []);
    assert.deepEqual([...target.children].map(({ className, textContent }) => [className, textContent.trim()]), [["settled", "One"], ["settled", "Two"], ["open", "Thr"]]);
    assert.ok(target.children[0] === first && target.children[1] === second);
    shown.show({ content: "One\n\nTwo\n\nThree", delivery: "complete" });
    flushSync();
    assert.equal(target.querySelectorAll(".open").length, 0);
    unmount(shown);
  });
}

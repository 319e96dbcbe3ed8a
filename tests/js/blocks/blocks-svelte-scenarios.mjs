// Bundled with Svelte's client by blocks-svelte.test.mjs, which compiles the component.

import assert from "node:assert/strict";
import { it } from "node:test";
import { flushSync, mount, unmount } from "svelte";
import Answer from "./components/Answer.svelte";
import Groups from "./components/Groups.svelte";

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
    assert.deepEqual([...target.children].map(({ className, textContent }) => [className, textContent.trim()]), [["settled", "One"], ["settled", "Two"], [
      "open",
      "Thr",
    ]]);
    assert.ok(target.children[0] === first && target.children[1] === second);
    shown.show({ content: "One\n\nTwo\n\nThree", delivery: "complete" });
    flushSync();
    assert.equal(target.querySelectorAll(".open").length, 0);
    unmount(shown);
  });

  it("Svelte: in groups, what comes before the open one stays", () => {
    const target = document.createElement("div");
    const shown = mount(Groups, { target, props: { start: { content: "1\n\n2\n\n3\n\nfou", delivery: "streaming" } } });
    flushSync();
    const texts = () => [...target.children].map((group) => [...group.children].map(({ textContent }) => textContent.trim()));
    assert.deepEqual(texts(), [["1", "2"], ["3", "fou"]]);
    const [first, second] = target.children;
    const [three] = second.children;
    shown.show({ content: "1\n\n2\n\n3\n\nfour\n\nfive", delivery: "complete" });
    flushSync();
    assert.deepEqual(texts(), [["1", "2"], ["3", "four"], ["five"]]);
    assert.ok(target.children[0] === first && target.children[1] === second && second.children[0] === three);
    unmount(shown);
  });
}

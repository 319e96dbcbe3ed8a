// Bundled with Svelte by bindings.test.mjs.

import { flushSync, mount, unmount } from "svelte";
import Files from "./Files.svelte";

/** Shows the files of `options` in the element. Returns what shows changes, and what ends it. */
export function show(target, props) {
  const page = mount(Files, { target, props });
  flushSync();
  return { flush: () => flushSync(), leave: () => unmount(page) };
}

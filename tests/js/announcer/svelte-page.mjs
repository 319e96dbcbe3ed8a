// Bundled with Svelte by components.test.mjs.

import { flushSync, mount, unmount } from "svelte";
import Page from "./Page.svelte";

/** Shows an announcer in the element. Returns what gives it another agent, and what ends it. */
export function show(target, props) {
  const page = mount(Page, { target, props });
  flushSync();
  return {
    turn: (agent) => {
      page.turn(agent);
      flushSync();
    },
    leave: () => unmount(page),
  };
}

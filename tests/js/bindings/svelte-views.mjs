// Components of Svelte that show a thread, for the plays of tabs.mjs, as react-views.mjs.

import { flushSync, mount, unmount } from "svelte";
import Ids from "./components/Ids.svelte";

/** A page with places for components, each of which makes an agent of options by `make`. */
export function openViews() {
  return {
    add: (make, options) => {
      let chat;
      let shown;
      const target = document.createElement("div");
      const hide = () => void unmount(shown);
      const show = () => {
        shown = mount(Ids, { target, props: { create: make, options, take: (made) => (chat = made) } });
        flushSync();
        return hide;
      };
      return {
        agent: () => chat?.agent,
        shown: () => (flushSync(), JSON.parse(target.textContent)),
        show,
        change: () => {
          hide();
          show();
          return "made";
        },
        rest: () => {},
      };
    },
    close: () => {},
  };
}

// Components of React that show a thread, for the plays of tabs.mjs: they come, go, are hidden, wait and are made anew as these say.
// Bundled once with React 18 and once with React 19.

import { useAgentOf } from "ag-ui-wasm/bindings/react";
import { Activity, createElement as h, StrictMode, Suspense, useEffect } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";

function Chat({ view }) {
  const { agent, messages } = useAgentOf(view.make, view.options);
  useEffect(() => {
    view.agent = agent;
    view.shown = messages.map(({ id }) => id);
  });
  return h("p", null, messages.map(({ content }) => content).join(" | "));
}

function Beside({ view }) {
  if (view.waits) throw view.waits;
  return null;
}

function Place({ view }) {
  const chat = h(Suspense, { fallback: "waits" }, view.there && h(Chat, { key: view.made, view }), h(Beside, { view }));
  return Activity ? h(Activity, { mode: view.hidden ? "hidden" : "visible" }, chat) : chat;
}

/** A page with places for components, each of which makes an agent of options by `make`. `pick`: chance. */
export function openViews(pick) {
  const root = createRoot(document.createElement("div"));
  const views = [];
  const render = () => flushSync(() => root.render(h(StrictMode, null, views.map((view, key) => h(Place, { key, view })))));
  const changed = (view, change) => {
    Object.assign(view, change);
    render();
  };
  return {
    add: (make, options) => {
      const view = { make, options, made: 0, there: false };
      views.push(view);
      /** The component goes, or is hidden. */
      const hide = () => changed(view, Activity && pick(2) ? { hidden: true } : { there: false });
      const ways = [
        { made: () => view.made + 1 },
        { options: () => ({ ...view.options }) },
        { waits: () => new Promise(() => {}) },
        { waits: () => undefined },
      ];
      return {
        agent: () => view.agent,
        shown: () => view.shown,
        show: () => {
          changed(view, { there: true, hidden: false, waits: undefined, made: view.made + pick(2) });
          return hide;
        },
        /** It is made anew, rendered anew, or waits for something. */
        change: () => {
          const [[name, next]] = Object.entries(ways[pick(ways.length)]);
          changed(view, { [name]: next() });
          return name;
        },
        /** It waits for nothing. */
        rest: () => changed(view, { waits: undefined }),
      };
    },
    close: () => root.unmount(),
  };
}

// Panels with tabs, of which one is shown.

import { button, h, rove, set } from "./dom.js";
import type { Panel } from "./panels.js";

/** Tabs of which the first is shown. `turned` is called when another one is. */
export function createTabs<Name extends string>(panels: Readonly<Record<Name, Panel>>, turned: () => void) {
  const names = Object.keys(panels) as Name[];
  let current = names[0]!;
  const tabs = names.map((name, index) =>
    button(name, () => turnTo(name), { role: "tab", id: `tab-${index}`, "aria-controls": `panel-${index}`, "aria-selected": String(index === 0) })
  );
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "Views" }, ...tabs);
  const bodies = names.map((name, index) =>
    h("div", { class: "tab", role: "tabpanel", id: `panel-${index}`, "aria-labelledby": `tab-${index}`, hidden: index !== 0 }, panels[name].node)
  );
  rove(bar, "button", (tab) => tab.click());

  const turnTo = (name: Name): void => {
    current = name;
    for (const [index, tab] of tabs.entries()) {
      set(tab, "aria-selected", String(names[index] === name));
      bodies[index]!.hidden = names[index] !== name;
    }
    turned();
  };
  return {
    /** The row of tabs. */
    bar,
    /** The elements of the panels. */
    bodies,
    /** The panel that is shown. */
    get current(): Panel {
      return panels[current];
    },
    turnTo,
  };
}

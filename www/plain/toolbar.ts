import { protocols } from "../shared/protocols.js";
import { h, icon, set } from "./dom.js";

/** The actions of the toolbar. */
export interface ToolbarActions {
  /** Another protocol is wanted. */
  speak(name: string): void;
  inspect(): void;
  restart(): void;
  /** Opens or closes the panel. */
  toggle(): void;
}

/** The row above the conversation. `address`: where the agent is. */
export function toolbar(protocol: string, address: Element, { speak, inspect, restart, toggle }: ToolbarActions) {
  const picker = h(
    "select",
    { id: "protocol", "aria-label": "Protocol", "data-testid": "protocol", onchange: () => speak(picker.value) },
    ...protocols.map(({ name, title }) => h("option", { value: name, selected: name === protocol }, title)),
  );
  const panelToggle = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "data-testid": "panel-toggle",
      "aria-label": "Details of the run",
      "aria-controls": "panel",
      onclick: toggle,
    },
    icon("panel"),
  );
  const node = h(
    "div",
    { class: "toolbar" },
    h("h1", { class: "unseen" }, "Chat"),
    h("p", { class: "where" }, h("span", { class: "dot" }), picker, address),
    h("button", { type: "button", class: "button", "data-testid": "inspect", onclick: inspect }, "Inspect"),
    h(
      "button",
      { type: "button", class: "button", "data-testid": "new", onclick: restart },
      icon("plus"),
      h("span", { class: "words" }, "New chat"),
    ),
    panelToggle,
  );
  return {
    node,
    /** Says whether the panel is open. */
    expanded: (open: boolean): void => set(panelToggle, "aria-expanded", String(open)),
  };
}

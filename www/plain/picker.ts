import { endpoint, OTHER, scenarioOf, type Scenario } from "../shared/endpoint.js";
import { h, slot } from "./dom.js";

/** The choices in the composer, which outlive an agent. */
export interface Choice {
  scenario: string;
  url: string;
}

/** The choice of the agent to write to: a scenario, or another address. */
export interface Picker {
  readonly nodes: readonly Element[];
  /** The address to ask; empty: none yet. */
  url(): string;
  /** The prompt of the scenario. */
  prompt(): string | undefined;
  choose(name: string): void;
  offer(scenarios: readonly Scenario[]): void;
}

/** @param onChange called after every choice, and when the address is changed */
export function picker(choice: Choice, onChange: () => void): Picker {
  let scenarios: readonly Scenario[] = [];
  const scenario = (): Scenario | undefined => scenarioOf(scenarios, choice.scenario);
  const select = h("select", { "aria-label": "Agent", "data-testid": "scenario", onchange: () => choose(select.value) });
  const address = h("input", {
    type: "text",
    inputmode: "url",
    "aria-label": "Address of an AG-UI agent",
    placeholder: "https://",
    "data-testid": "url",
    value: choice.url,
    oninput: () => {
      choice.url = address.value;
      onChange();
    },
  });
  const addressSlot = slot();

  function choose(name: string): void {
    choice.scenario = name;
    select.value = scenario()?.name ?? name;
    addressSlot.replaceChildren(...(name === OTHER ? [address] : []));
    onChange();
  }

  return {
    nodes: [select, addressSlot],
    url: () => endpoint(scenario(), address.value),
    prompt: () => scenario()?.prompt,
    choose,
    offer(offered) {
      scenarios = offered;
      select.replaceChildren(
        ...scenarios.map(({ name, title }) => h("option", { value: name }, title)),
        h("option", { value: OTHER }, "Another address"),
      );
      choose(scenarios.length === 0 ? OTHER : choice.scenario);
    },
  };
}

/** Where the page asks: one of the demo server's scenarios, or any other address. */

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly prompt: string;
  readonly path: string;
}

/** The server's scenarios, by the system whose they are. */
export type Catalogue = Readonly<Record<string, readonly Scenario[]>>;

/** The choice in the picker that opens the field for another address. */
export const OTHER = "other";

const query = new URLSearchParams(location.search);

/** The parameters of the page's address: `?url=…` for any agent, `?scenario=…` for one of ours, `?protocol=…` for its protocol. */
export const initial = {
  url: query.get("url") ?? "",
  scenario: query.has("url") ? OTHER : (query.get("scenario") ?? "short"),
  protocol: query.get("protocol") ?? "ag-ui",
};

/** The scenario of that name, or the first where there is none; no scenario at another address. */
export function scenarioOf(scenarios: readonly Scenario[], choice: string): Scenario | undefined {
  return choice === OTHER ? undefined : (scenarios.find(({ name }) => name === choice) ?? scenarios[0]);
}

/** The address to ask: the scenario's, or the text of the field. `speed` and `hold` are handed on from the address of the page. */
export function endpoint(scenario: Scenario | undefined, field: string): string {
  if (scenario === undefined) return field.trim();
  const url = new URL(scenario.path, location.origin);
  for (const key of ["speed", "hold"]) {
    const value = query.get(key);
    if (value !== null) url.searchParams.set(key, value);
  }
  return url.pathname + url.search;
}

/** The scenarios that an empty conversation suggests. */
export function featured(scenarios: readonly Scenario[]): readonly Scenario[] {
  const names = ["short", "tools", "reasoning", "state", "screen", "error"];
  const picked = names.flatMap((name) => scenarios.find((scenario) => scenario.name === name) ?? []);
  return picked.length === names.length ? picked : scenarios;
}

/** On the site no server answers: the scripted agents are in the page. */
export const inPage = import.meta.env.MODE === "site" ? await import("../server/in-page.mjs") : undefined;

/** The scenarios; none where the page is served by something else than the demo's server. */
export async function loadScenarios(): Promise<Catalogue> {
  if (inPage) return inPage.catalogue;
  try {
    const response = await fetch("/scenarios");
    return response.ok ? ((await response.json()) as Catalogue) : {};
  } catch {
    return {};
  }
}

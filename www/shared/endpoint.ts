/** Where the page asks: one of the demo server's scenarios, or any other AG-UI address. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly prompt: string;
}

/** The choice in the picker that opens the field for another address. */
export const OTHER = "other";

/** The scenarios that an empty conversation suggests. */
export const FEATURED = ["short", "tools", "reasoning", "state", "interrupt", "error"];

const query = new URLSearchParams(location.search);

/** What the address of the page asks for: `?url=…` for any agent, `?scenario=…` for one of ours. */
export const initial = {
  url: query.get("url") ?? "",
  scenario: query.has("url") ? OTHER : (query.get("scenario") ?? "short"),
};

/** The address of a scenario. `speed` and `hold` are handed on from the address of the page. */
export function scenarioUrl(name: string): string {
  const url = new URL(`/agent/${encodeURIComponent(name)}`, location.origin);
  for (const key of ["speed", "hold"]) {
    const value = query.get(key);
    if (value !== null) url.searchParams.set(key, value);
  }
  return url.pathname + url.search;
}

/** The address to ask, given the picker's choice and the text of the field. */
export function endpoint(choice: string, field: string): string {
  return choice === OTHER ? field.trim() : scenarioUrl(choice);
}

/** The server's scenarios; none where the page is served by something else. */
export async function loadScenarios(): Promise<readonly Scenario[]> {
  try {
    const response = await fetch("/agent");
    return response.ok ? ((await response.json()) as Scenario[]) : [];
  } catch {
    return [];
  }
}

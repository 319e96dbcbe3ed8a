/** The inspector of the package, loaded when somebody asks for it. */
import type { Agent } from "ag-ui-wasm";
import type { InspectorHandle } from "ag-ui-wasm/inspector";

let open: { readonly agent: Agent; readonly handle: InspectorHandle } | undefined;

/** Opens the inspector of this agent, or closes it. One that shows another agent goes over to this one. */
export async function toggleInspector(agent: Agent): Promise<void> {
  const { inspect } = await import("ag-ui-wasm/inspector");
  if (open) {
    const { handle } = open;
    const same = open.agent === agent;
    if (same) return handle.close();
    handle.element.agent = agent;
    open = { agent, handle };
    return;
  }
  open = { agent, handle: inspect(agent, { onClose: () => (open = undefined), theme: themeOfPage() }) };
}

/** The page's own switch decides, not the system alone. */
function themeOfPage(): "light" | "dark" {
  return document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";
}

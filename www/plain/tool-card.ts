import type { Agent, ToolCall } from "ag-ui-wasm";
import { phaseLabel } from "../shared/format.js";
import { isEmpty, parsed } from "../shared/json.js";
import { hasArguments, toolView, type ToolView } from "../shared/tool-views.js";
import { h, icon, maybe, say, set, slot, type View } from "./dom.js";
import { jsonView } from "./json-view.js";
import { toolComponent } from "./tool-component.js";

export function toolCard(agent: Agent, call: ToolCall): View<ToolCall> {
  const name = h("span", { class: "tool-name" });
  const phase = h("span", { class: "phase", "data-testid": "tool-phase" });
  const [viewSlot, argsSlot, resultSlot, approvalSlot] = [slot(), slot(), slot(), slot()];
  const data = h("details", { class: "raw", "data-testid": "tool-data" }, h("summary", {}, "Data"), argsSlot, resultSlot);
  const node = h(
    "section",
    { class: "card tool", "data-testid": "tool-call" },
    h("div", { class: "tool-head" }, icon("tool"), name, phase),
    viewSlot,
    data,
    approvalSlot,
  );
  const component = maybe<ToolView>(viewSlot, toolComponent);
  const args = maybe<ToolCall>(argsSlot, argsView);
  const approval = maybe<ToolCall>(approvalSlot, (held) => approvalView(agent, held));
  const result = maybe<ToolCall>(resultSlot, resultView);

  let folded: boolean | undefined;
  const update = (next: ToolCall): void => {
    set(node, "data-name", next.name);
    set(node, "data-status", next.status);
    set(node, "data-phase", next.phase);
    set(node, "aria-label", `Tool ${next.name}`);
    say(name, next.name);
    say(phase, phaseLabel(next));
    const view = toolView(next);
    const answered = next.result !== undefined || next.error !== undefined;
    component(view);
    // Somebody may have opened it: only a change of what it stands for folds it.
    if (folded !== (view !== undefined)) data.open = view === undefined;
    folded = view !== undefined;
    data.hidden = !hasArguments(next) && !answered;
    args(hasArguments(next) ? next : undefined);
    result(answered ? next : undefined);
    approval(next.phase === "awaiting-approval" ? next : undefined);
  };
  update(call);
  return { node, update };
}

function argsView(call: ToolCall): View<ToolCall> {
  const text = h("code", { class: "json" });
  const json = jsonView(undefined);
  const update = ({ args, argsText }: ToolCall): void => {
    const unreadable = isEmpty(args);
    text.hidden = !unreadable;
    json.node.toggleAttribute("hidden", unreadable);
    say(text, unreadable ? argsText : "");
    json.update(unreadable ? undefined : args);
  };
  update(call);
  return { node: h("div", { class: "tool-args", "data-testid": "tool-args" }, text, json.node), update };
}

function resultView(call: ToolCall): View<ToolCall> {
  const caption = h("span", { class: "caption" });
  const json = jsonView(undefined);
  const update = ({ result, error }: ToolCall): void => {
    say(caption, error === undefined ? "Result" : "Error");
    json.update(parsed(error ?? result));
  };
  update(call);
  return { node: h("div", { class: "tool-result", "data-testid": "tool-result" }, caption, json.node), update };
}

/** The user decides whether the call runs. */
function approvalView(agent: Agent, { id, name }: ToolCall): View<ToolCall> {
  const reason = h("input", {
    type: "text",
    dir: "auto",
    "aria-label": `Reason to deny ${name}, optional`,
    placeholder: "Reason (optional)",
    "data-testid": "tool-reason",
  });
  const approve = { "aria-label": `Approve ${name}`, "data-testid": "tool-approve", onclick: () => agent.approve(id) };
  const deny = (event: Event): void => {
    event.preventDefault();
    agent.deny(id, reason.value.trim() || undefined);
  };
  const node = h(
    "form",
    { class: "approval", "data-testid": "approval", onsubmit: deny },
    h("button", { type: "button", class: "button main", ...approve }, "Approve"),
    h("button", { type: "submit", class: "button", "aria-label": `Deny ${name}`, "data-testid": "tool-deny" }, "Deny"),
    reason,
  );
  return { node, update() {} };
}

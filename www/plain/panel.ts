import type { Agent, AgentSnapshot, Subagent } from "ag-ui-wasm";
import { contract } from "../shared/contract.js";
import { count, duration } from "../shared/format.js";
import { isEmpty } from "../shared/json.js";
import type { Notice } from "../shared/notices.js";
import { queryBar } from "../shared/tools.js";
import { h } from "./dom.js";
import { jsonView } from "./json-view.js";

interface Panel {
  readonly node: HTMLElement;
  update(): void;
  log(notices: readonly Notice[]): void;
  dispose(): void;
}

/** The state of the run. Each part is drawn again when its part of the snapshot is another object. */
export function panel(agent: Agent): Panel {
  const none = h("p", { class: "none" }, "Nothing shared yet.");
  const json = jsonView(undefined);
  const state = h("div", { "data-testid": "state" }, none, json.node);
  const query = queryView();
  const fields = contractView();
  const steps = section("Steps");
  const agents = section("Subagents");
  const usage = section("Tokens");
  const notices = section("Notices");
  agents.node.className = "agents";
  const node = h(
    "aside",
    { class: "panel", id: "panel", tabindex: 0, "aria-label": "Details of the run", "data-testid": "panel" },
    h("section", {}, h("h2", {}, "State"), state),
    query.node,
    steps.node,
    agents.node,
    fields.node,
    usage.node,
    notices.node,
  );

  let seen: Partial<AgentSnapshot> = {};
  return {
    node,
    update() {
      const snapshot = agent.getSnapshot();
      if (snapshot.state !== seen.state) {
        const empty = isEmpty(snapshot.state);
        none.hidden = !empty;
        json.node.toggleAttribute("hidden", empty);
        json.update(snapshot.state);
      }
      if (snapshot.steps !== seen.steps) steps.show("steps", snapshot.steps.map(step));
      if (snapshot.subagents !== seen.subagents) agents.show("", snapshot.subagents.map(subagent));
      if (snapshot.usage !== seen.usage) usage.show("usage", snapshot.usage.map(tokens));
      seen = snapshot;
    },
    log(list) {
      notices.show("log", list.map(notice));
    },
    dispose() {
      query.dispose();
      fields.dispose();
    },
  };
}

/** A section that follows something other than the agent. */
interface Followed {
  readonly node: HTMLElement;
  dispose(): void;
}

/** The query that a tool has put into the search bar. */
function queryView(): Followed {
  const { node } = section("Query bar");
  const dispose = queryBar.subscribe((asked) => {
    node.hidden = asked === undefined;
    node.replaceChildren(
      h("h2", {}, "Query bar"),
      h("p", { class: "query", "data-testid": "query" }, h("code", {}, asked?.query ?? ""), ` ${asked?.language ?? ""}`),
    );
  });
  return { node, dispose };
}

/** The fields of the ngaf contract. */
function contractView(): Followed {
  const json = jsonView(undefined);
  const node = h("section", { hidden: true }, h("h2", {}, "Contract"), h("div", { "data-testid": "contract" }, json.node));
  const dispose = contract.subscribe((fields) => {
    node.hidden = fields === undefined;
    json.update(fields);
  });
  return { node, dispose };
}

function section(title: string): { node: HTMLElement; show(name: string, items: readonly Element[]): void } {
  const node = h("section", { hidden: true });
  return {
    node,
    show(name, items) {
      node.hidden = items.length === 0;
      node.replaceChildren(h("h2", {}, title), h("ul", { class: name }, ...items));
    },
  };
}

const mark = (status: string): Element => h("span", { class: "mark", "data-status": status });

function step({ name, status, durationMs }: AgentSnapshot["steps"][number]): Element {
  const time = durationMs === undefined ? status : duration(durationMs);
  return h("li", { "data-testid": "step", "data-status": status }, mark(status), ` ${name} `, h("span", {}, time));
}

function subagent({ name, description, status, error, children }: Subagent): Element {
  const about = error ?? description;
  return h(
    "li",
    { "data-testid": "subagent", "data-status": status },
    h("div", { class: "agent" }, mark(status), ` ${name} `, h("span", { class: "unseen" }, status)),
    ...(about === undefined ? [] : [h("p", { class: error === undefined ? "" : "bad" }, about)]),
    ...(children.length === 0 ? [] : [h("ul", {}, ...children.map(subagent))]),
  );
}

function tokens({ provider, model, inputTokens, outputTokens }: AgentSnapshot["usage"][number]): Element {
  return h(
    "li",
    { "data-testid": "usage" },
    h("span", {}, model ?? "Model", h("small", {}, provider ?? "")),
    h("span", {}, `${count(inputTokens ?? 0)} in, ${count(outputTokens ?? 0)} out`),
  );
}

function notice({ level, title, text }: Notice): Element {
  return h("li", { "data-level": level }, h("b", {}, title), ...(text === "" ? [] : [h("small", {}, text)]));
}

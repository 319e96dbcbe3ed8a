/** The chat without a framework: `subscribe`, `getSnapshot`, and elements that are kept up to date. */
import { createAgent } from "ag-ui-wasm";
import { announce } from "../shared/announce.js";
import { listenForEscape } from "../shared/composer.js";
import { FEATURED, loadScenarios, type Scenario } from "../shared/endpoint.js";
import { Notices } from "../shared/notices.js";
import { byId, wide } from "../shared/page.js";
import { RowList, type Row } from "../shared/rows.js";
import { followTail } from "../shared/tail.js";
import { welcome } from "../shared/welcome.js";
import { cards } from "./cards.js";
import { composer } from "./composer.js";
import { h, icon, list, maybe, say, set, slot } from "./dom.js";
import { panel } from "./panel.js";
import { rowView, waitingView } from "./row.js";
import { toasts } from "./toasts.js";

// The agent asks for its address before every request, so a change of scenario keeps the conversation.
const agent = createAgent({ url: () => foot.url() });
const notices = new Notices();
const rowList = new RowList();

const address = h("code", { "data-testid": "address" });
const foot = composer(agent, () => say(address, foot.url()));
const after = cards(agent);
const side = panel(agent);
const suggestions = h("div", { class: "suggestions" });
const greeting = h("div", { class: "welcome" }, h("h2", {}, welcome.title), h("p", {}, welcome.text), suggestions);
const messages = h("div", { role: "log", "aria-live": "off", "aria-label": "Messages", "data-testid": "messages" });
const rows = list<Row>(messages, ({ key }) => key, rowView);
const waitingSlot = slot();
const waiting = maybe<true>(waitingSlot, () => waitingView("waiting"));

const content = h("div", { class: "content" }, greeting, messages, waitingSlot, after.node);
const viewport = h(
  "div",
  { class: "viewport", tabindex: 0, role: "region", "aria-label": "Conversation", "data-testid": "viewport" },
  content,
);
const jump = h(
  "button",
  { type: "button", class: "button jump", "data-testid": "jump", hidden: true, onclick: () => tail.jump() },
  icon("down"),
  " Jump to latest",
);
const restart = h("button", { type: "button", class: "button", "data-testid": "new" }, icon("plus"), " New chat");
const toggle = h(
  "button",
  {
    type: "button",
    class: "icon-button",
    "data-testid": "panel-toggle",
    "aria-label": "Details of the run",
    "aria-controls": "panel",
    onclick: () => openPanel(side.node.hasAttribute("hidden")),
  },
  icon("panel"),
);
const chat = h(
  "main",
  { class: "chat", "data-testid": "chat", "data-framework": "plain" },
  h("div", { class: "toolbar" }, h("h1", { class: "unseen" }, "Chat"), h("p", { class: "where" }, h("span", { class: "dot" }), address), restart, toggle),
  viewport,
  h("div", { class: "foot" }, jump, foot.node),
);
const tail = followTail(viewport, content, (following) => (jump.hidden = following));

byId("app").append(chat, side.node, toasts(notices));
openPanel(wide());
agent.subscribe(update);
notices.subscribe(side.log);
notices.listen(agent);
announce(agent, byId("announcer"));
listenForEscape(() => void agent.stop());
restart.addEventListener("click", () => {
  agent.reset();
  notices.clear();
  byId("input").focus();
});
update();
offer(await loadScenarios());

function update(): void {
  const snapshot = agent.getSnapshot();
  const shown = rowList.read(snapshot.messages, snapshot.toolCalls, snapshot.subagents);
  set(chat, "data-status", snapshot.status);
  greeting.hidden = shown.length > 0;
  rows(shown);
  waiting(snapshot.status === "running" && shown.at(-1)?.message.role === "user" ? true : undefined);
  after.update();
  side.update();
  foot.update();
}

function openPanel(open: boolean): void {
  side.node.hidden = !open;
  set(toggle, "aria-expanded", String(open));
}

function offer(scenarios: readonly Scenario[]): void {
  foot.offer(scenarios);
  suggestions.append(
    ...FEATURED.flatMap((name) => scenarios.find((scenario) => scenario.name === name) ?? []).map(({ name, title, about, prompt }) => {
      const start = (): void => {
        foot.choose(name);
        void agent.submit(prompt);
      };
      return h("button", { type: "button", "data-testid": "suggestion", onclick: start }, h("b", {}, title), h("span", {}, about));
    }),
  );
}

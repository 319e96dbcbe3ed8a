import type { Agent, AgentSnapshot, QueuedSubmit } from "ag-ui-wasm";
import { listenForFiles, type Attachment } from "ag-ui-wasm/attachments";
import { fit, sends } from "../shared/composer.js";
import type { Scenario } from "../shared/endpoint.js";
import { files, waitsFor } from "../shared/files.js";
import { statusLine } from "../shared/format.js";
import { textOf } from "../shared/rows.js";
import { h, icon, list, maybe, say, set, slot, type View } from "./dom.js";
import { filesView } from "./files.js";
import { picker, type Choice } from "./picker.js";

/** The field, the picker and what stands around them. */
export interface Composer {
  readonly node: Element;
  choose(name: string): void;
  offer(scenarios: readonly Scenario[]): void;
  update(): void;
  /** Takes pictures, also those that are dropped on the chat around it. Returns what ends that. */
  takeFiles(chat: HTMLElement): () => void;
}

/** @param onAddress called with the address to ask, whenever it has changed */
export function composer(agent: Agent, choice: Choice, onAddress: (url: string) => void): Composer {
  const field = h("textarea", {
    id: "input",
    rows: 1,
    dir: "auto",
    "aria-label": "Message",
    "data-testid": "input",
    oninput: () => fit(field),
    onkeydown: (event: KeyboardEvent) => sends(event) && send(event),
  });
  field.value = files.draft;
  const destination = picker(choice, () => {
    field.placeholder = destination.prompt() ?? "Write to the agent";
    onAddress(destination.url());
  });
  const pick = h("input", { class: "unseen", "aria-label": "Add pictures", "data-testid": "pick" });
  const [filesSlot, queueSlot] = [slot(), slot()];
  const showFiles = maybe<readonly Attachment[]>(filesSlot, filesView);
  const queue = maybe<readonly QueuedSubmit[]>(queueSlot, queueView);
  const buttons = actions(agent);
  const line = statusBar();

  const pickLabel = h("label", { class: "icon-button pick" }, pick, icon("picture"));
  const controls = h("div", { class: "controls" }, pickLabel, ...destination.nodes, buttons.node);
  const node = h(
    "form",
    { class: "composer", "data-testid": "composer", onsubmit: (event: Event) => send(event) },
    queueSlot,
    h("div", { class: "field" }, filesSlot, field, controls),
    line.node,
  );

  function send(event: Event): void {
    event.preventDefault();
    const words = field.value.trim() || destination.prompt() || (files.items.length > 0 ? "" : undefined);
    if (words === undefined || destination.url() === "") return;
    field.value = "";
    fit(field);
    void agent.submit({ message: words, parts: files });
  }
  return {
    node,
    choose: destination.choose,
    offer: (scenarios) => (destination.offer(scenarios), fit(field)),
    takeFiles(chat) {
      const show = (): void => showFiles(files.items.length > 0 ? files.items : undefined);
      const onDragging = (dragging: boolean): void => set(chat, "data-dragging", dragging);
      const offs = [files.subscribe(show), listenForFiles(files, { input: pick, drop: chat, paste: field, onDragging })];
      show();
      return () => offs.forEach((off) => off());
    },
    update() {
      const snapshot = agent.getSnapshot();
      queue(snapshot.queue.length > 0 ? snapshot.queue : undefined);
      buttons.update(snapshot);
      line.update(snapshot);
    },
  };
}

/** The buttons that stop the run and send a message. */
function actions(agent: Agent): View<AgentSnapshot> {
  const stopSlot = slot();
  const stop = maybe<true>(stopSlot, () => ({
    node: h("button", { type: "button", class: "button", "data-testid": "stop", onclick: () => void agent.stop() }, icon("stop"), " Stop"),
    update() {},
  }));
  const send = h("button", { type: "submit", class: "button main send", "data-testid": "send" }, icon("send"));
  return {
    node: h("div", { class: "actions" }, stopSlot, send),
    update({ isLoading }) {
      stop(isLoading ? true : undefined);
      set(send, "aria-label", isLoading ? "Send next" : "Send");
    },
  };
}

/** The line below the field: the status of the agent, and the keys. */
function statusBar(): View<AgentSnapshot> {
  const status = h("span", { role: "status", "data-testid": "status" });
  const keys = h("span", { class: "keys" });
  keys.innerHTML = "<kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> new line, <kbd>Esc</kbd> stops";
  return { node: h("div", { class: "line" }, status, keys), update: (snapshot) => say(status, statusLine(snapshot)) };
}

function queueView(queue: readonly QueuedSubmit[]): View<readonly QueuedSubmit[]> {
  const node = h("ol", { class: "queue", "aria-label": "Waiting to be sent", "data-testid": "queue" });
  const update = list<QueuedSubmit>(node, ({ id }) => id, (queued) => {
    const words = h("span", { dir: "auto" });
    const state = h("span");
    const show = (next: QueuedSubmit): void => {
      say(words, next.messages.map(textOf).join(" "));
      say(state, waitsFor(next));
    };
    show(queued);
    return { node: h("li", { "data-testid": "queued" }, words, state), update: show };
  });
  update(queue);
  return { node, update };
}

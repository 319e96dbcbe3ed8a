// The inspector in its shadow root: what it shows of an agent or a recording while it is open.

import type { Agent, AgentSnapshot } from "../../api/types.js";
import { readLog, writeLog } from "../model/file.js";
import { createLog, type LogLimits } from "../model/log.js";
import { redactRecording } from "../model/redact.js";
import { watch } from "../model/watch.js";
import { count } from "../model/text.js";
import { actions } from "./actions.js";
import { createAnnouncer } from "./announce.js";
import type { Dock } from "./dock.js";
import { button, h, rove, say, set } from "./dom.js";
import { network, tools, warnings } from "./panels.js";
import { snapshotPanel } from "./snapshot.js";
import { timeline } from "./timeline.js";

/** How a log is exported. */
export interface ExportOptions {
  /** Masks what people and servers have written. Default: false. */
  readonly redact?: boolean | undefined;
}

/** Control over the inspector's place, which its element has. */
export interface DockControl {
  /** Moves it there; absent: it stands where the page has put it. */
  readonly dock?: ((dock: Dock) => void) | undefined;
  readonly close?: (() => void) | undefined;
}

/** An inspector that is open. */
export interface Inspector {
  readonly node: HTMLElement;
  /** Looks at this agent from now on. */
  look(agent: Agent | undefined): void;
  export(options?: ExportOptions): string;
  import(recording: string): void;
  focus(): void;
  /** Gives back all that it holds. */
  close(): void;
}

/** Opens an inspector. */
export function openInspector(limits: LogLimits, place: DockControl): Inspector {
  const log = createLog(limits);
  const announcer = createAnnouncer();
  let agent: Agent | undefined;
  let imported: AgentSnapshot | undefined;
  let offs: (() => void)[] = [];
  let frame: { readonly view: Window; readonly id: number } | undefined;
  let [begun, closed] = [false, false];

  const snapshot = (): AgentSnapshot | undefined => agent?.getSnapshot() ?? imported;
  const lines = timeline(log, announcer.tell, () => schedule());
  const snapshots = snapshotPanel(() => agent, (at) => at !== undefined && lines.show(at), announcer.tell);
  const parts = [network(log), tools(), snapshots, warnings(log)] as const;
  const panels = [lines, ...parts];
  const names = ["Timeline", "Network", "Tools", "Snapshot", "Warnings"];
  let current = 0;

  const state = h("span");
  const status = h("div", { class: "status", role: "group", "aria-label": "Agent" }, h("span", { class: "dot" }), state);
  const tabs = names.map((name, index) =>
    button(name, () => turnTo(index), { role: "tab", id: `tab-${index}`, "aria-controls": `panel-${index}`, "aria-selected": String(index === 0) })
  );
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "Views" }, ...tabs);
  const bodies = panels.map(({ node }, index) =>
    h("div", { class: "tab", role: "tabpanel", id: `panel-${index}`, "aria-labelledby": `tab-${index}`, hidden: index !== 0 }, node)
  );
  const head = h("div", { class: "head" }, status, bar);
  const node = h("div", { class: "frame" }, head, ...bodies, announcer.node);
  rove(bar, "button", (tab) => tab.click());

  const turnTo = (index: number): void => {
    current = index;
    for (const [i, tab] of tabs.entries()) {
      set(tab, "aria-selected", String(i === index));
      bodies[i]!.hidden = i !== index;
    }
    schedule();
  };
  function schedule(): void {
    // The first time, there is nothing to draw in yet.
    if (closed || !begun) return;
    const view = node.ownerDocument.defaultView ?? window;
    if (frame?.view === view) return;
    // A window that was left stops drawing.
    frame?.view.cancelAnimationFrame(frame.id);
    frame = { view, id: view.requestAnimationFrame(draw) };
  }
  const draw = (): void => {
    frame = undefined;
    if (closed) return;
    const now = snapshot();
    const more = current === 0 ? lines.update() : (parts[current - 1]!.update(now), false);
    set(status, "data-status", now?.status);
    say(state, now ? (now.isLoading ? `running, ${now.connection.phase}` : now.outcome ?? now.status) : "no agent");
    if (more) schedule();
  };

  bar.after(actions({
    clear: () => (log.clear(), lines.focus()),
    export: (options) => api.export(options),
    import: (recording) => api.import(recording),
    failed: (error) => {
      log.add({ error: { kind: "unsupported", message: error instanceof Error ? error.message : String(error) } }, Date.now());
      announcer.tell("The file is no recording");
    },
    told: announcer.tell,
    thread: () => snapshot()?.threadId ?? "agent",
    dock: place.dock,
  }));
  if (place.close) head.append(button("✕", place.close, { class: "close", "aria-label": "Close the inspector" }));

  node.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const typing = target instanceof Element && target.matches('input[type="search"]');
    // To the page, it would look as if nobody typed.
    if (typing) event.stopPropagation();
    if (key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      turnTo(0);
      lines.search();
    } else if (key === "Escape") {
      const handled = current === 0 && lines.escape();
      if (!handled && !place.close) return;
      // The page may stop the run at Escape.
      event.stopPropagation();
      event.preventDefault();
      if (!handled) place.close?.();
    }
  });
  const off = log.subscribe(schedule);

  const forget = (): void => {
    for (const one of offs.splice(0)) one();
  };
  const api: Inspector = {
    node,
    look: (next) => {
      if (next === agent) return;
      forget();
      agent = next;
      imported = undefined;
      if (next) {
        offs = [watch(next, log), next.subscribe(schedule), next.on("finish", ({ outcome }) => announcer.tell(`Run ended: ${outcome}`))];
      }
      schedule();
    },
    export: ({ redact: masked } = {}) => {
      const text = writeLog(log.entries, snapshot());
      return masked ? redactRecording(text) : text;
    },
    import: (recording) => {
      // As a whole, before anything is thrown away.
      const trial = createLog(limits);
      const shown = readLog(recording, trial);
      forget();
      agent = undefined;
      log.clear();
      readLog(recording, log);
      imported = shown;
      turnTo(0);
      announcer.tell(`Imported ${count(log.events)} events`);
    },
    focus: () => {
      schedule();
      lines.focus();
    },
    close: () => {
      closed = true;
      forget();
      off();
      lines.close();
      announcer.close();
      frame?.view.cancelAnimationFrame(frame.id);
      agent = undefined;
      log.clear();
    },
  };
  begun = true;
  schedule();
  return api;
}

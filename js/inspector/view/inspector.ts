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
import { button, h, say, set } from "./dom.js";
import { createFrames } from "./frames.js";
import { network, tools, warnings } from "./panels.js";
import { snapshotPanel } from "./snapshot.js";
import { createTabs } from "./tabs.js";
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
  const frames = createFrames(() => node.ownerDocument.defaultView ?? window, () => draw());

  const snapshot = (): AgentSnapshot | undefined => agent?.getSnapshot() ?? imported;
  const lines = timeline(log, announcer.announce, frames.schedule);
  const snapshots = snapshotPanel(() => agent, (at) => at !== undefined && lines.show(at), announcer.announce);
  const panels = { Timeline: lines, Network: network(log), Tools: tools(), Snapshot: snapshots, Warnings: warnings(log) };
  const tabs = createTabs(panels, frames.schedule);

  const state = h("span");
  const status = h("div", { class: "status", role: "group", "aria-label": "Agent" }, h("span", { class: "dot" }), state);
  const draw = (): void => {
    const now = snapshot();
    set(status, "data-status", now?.status);
    say(state, now ? (now.isLoading ? `running, ${now.connection.phase}` : now.outcome ?? now.status) : "no agent");
    if (tabs.current.update(now)) frames.schedule();
  };

  const bar = actions({
    clear: () => (log.clear(), lines.focus()),
    export: (options) => api.export(options),
    import: (recording) => api.import(recording),
    failed: (error) => {
      log.add({ error: { kind: "unsupported", message: error instanceof Error ? error.message : String(error) } }, Date.now());
      announcer.announce("The file is no recording");
    },
    announce: announcer.announce,
    thread: () => snapshot()?.threadId ?? "agent",
    dock: place.dock,
  });
  const close = place.close && button("✕", place.close, { class: "close", "aria-label": "Close the inspector" });
  const head = h("div", { class: "head" }, status, tabs.bar, bar, ...(close ? [close] : []));
  const node = h("div", { class: "frame" }, head, ...tabs.bodies, announcer.node);
  listenForKeys(node, {
    search: () => {
      tabs.turnTo("Timeline");
      lines.search();
    },
    escape: () => {
      const handled = tabs.current === lines && lines.escape();
      if (!handled) place.close?.();
      return handled || !!place.close;
    },
  });
  const off = log.subscribe(frames.schedule);

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
        offs = [watch(next, log), next.subscribe(frames.schedule), next.on("finish", ({ outcome }) => announcer.announce(`Run ended: ${outcome}`))];
      }
      frames.schedule();
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
      tabs.turnTo("Timeline");
      announcer.announce(`Imported ${count(log.events)} events`);
    },
    focus: () => {
      frames.schedule();
      lines.focus();
    },
    close: () => {
      frames.close();
      forget();
      off();
      lines.close();
      announcer.close();
      agent = undefined;
      log.clear();
    },
  };
  frames.begin();
  return api;
}

/** Listens for `/` and Escape. `escape` returns whether there was something to close. */
function listenForKeys(node: HTMLElement, { search, escape }: { search(): void; escape(): boolean }): void {
  node.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const typing = target instanceof Element && target.matches('input[type="search"]');
    // To the page, it would look as if nobody typed.
    if (typing) event.stopPropagation();
    if (key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search();
    } else if (key === "Escape" && escape()) {
      // The page may stop the run at Escape.
      event.stopPropagation();
      event.preventDefault();
    }
  });
}

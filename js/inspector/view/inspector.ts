// The inspector in its shadow root: what it shows of an agent or a recording while it is open.

import type { Agent, AgentSnapshot } from "../../api/types.js";
import { reasonOf } from "../../base/failure.js";
import { Log, type LogLimits } from "../model/log.js";
import { createSubject } from "../model/subject.js";
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

/** Control over the inspector's place, which its element has. */
export interface DockControl {
  /** Moves it there; absent: it stands where the page has put it. */
  readonly dock?: ((dock: Dock) => void) | undefined;
  readonly close?: (() => void) | undefined;
}

/** An inspector that is open. */
export type Inspector = ReturnType<typeof openInspector>;

/** Opens an inspector. */
export function openInspector(limits: LogLimits, place: DockControl) {
  const log = new Log(limits);
  const { announce, ...announcer } = createAnnouncer();
  const frames = createFrames(() => node.ownerDocument.defaultView ?? window, () => {
    const { snapshot } = subject;
    status.show(snapshot);
    if (tabs.current.update(snapshot)) frames.schedule();
  });
  const subject = createSubject(log, limits, frames.schedule, (outcome) => announce(`Run ended: ${outcome}`));
  const status = createStatus();
  const events = timeline(log, announce, frames.schedule);
  const snapshots = snapshotPanel(() => subject.agent, (at) => at !== undefined && events.show(at), announce);
  const tabs = createTabs({ Timeline: events, Network: network(log), Tools: tools(), Snapshot: snapshots, Warnings: warnings(log) }, frames.schedule);

  const importLog = (recording: string): void => {
    subject.import(recording);
    tabs.turnTo("Timeline");
    announce(`Imported ${count(log.events)} events`);
  };
  const bar = actions({
    clear: () => (log.clear(), events.focus()),
    export: subject.export,
    import: importLog,
    failed: (error) => {
      log.add({ error: { kind: "unsupported", message: reasonOf(error) } }, Date.now());
      announce("The file is no recording");
    },
    announce,
    thread: () => subject.snapshot?.threadId ?? "agent",
    dock: place.dock,
  });
  const close = place.close ? [button("✕", place.close, { class: "close", "aria-label": "Close the inspector" })] : [];
  const node = h("div", { class: "frame" }, h("div", { class: "head" }, status.node, tabs.bar, bar, ...close), ...tabs.bodies, announcer.node);
  listenForKeys(node, {
    search: () => (tabs.turnTo("Timeline"), events.search()),
    escape: () => {
      if (tabs.current === events && events.escape()) return true;
      place.close?.();
      return !!place.close;
    },
  });
  const off = log.subscribe(frames.schedule);
  frames.begin();
  return {
    node,
    /** Looks at this agent from now on. */
    look: (agent: Agent | undefined): void => {
      if (subject.watch(agent)) frames.schedule();
    },
    export: subject.export,
    import: importLog,
    focus: (): void => (frames.schedule(), events.focus()),
    /** Gives back all that it holds. */
    close: (): void => {
      for (const part of [frames, subject, events, announcer]) part.close();
      off();
      log.clear();
    },
  };
}

/** The line that says how the agent is. */
function createStatus(): { readonly node: HTMLElement; show(snapshot: AgentSnapshot | undefined): void } {
  const text = h("span");
  const node = h("div", { class: "status", role: "group", "aria-label": "Agent" }, h("span", { class: "dot" }), text);
  return {
    node,
    show: (snapshot) => {
      set(node, "data-status", snapshot?.status);
      say(text, snapshot ? (snapshot.isLoading ? `running, ${snapshot.connection.phase}` : snapshot.outcome ?? snapshot.status) : "no agent");
    },
  };
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

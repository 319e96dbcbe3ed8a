// An agent, made of its parts: what is shown (view.ts), its runs (runs.ts), what is edited by hand (edits.ts), its saves
// (saves.ts), the line of its transport (kept-line.ts), and the link to its core (js/core/link.ts, or js/worker/link.ts). Each
// part owns its state; what each may ask of another is said here.

import type { Agent, AgentOptions, AgentSnapshot } from "../api/types.js";
import type { SavedAgent } from "../api/saving.js";
import { createEmitter } from "../base/emitter.js";
import { toJson, unsupported } from "../base/failure.js";
import { createWaker } from "../base/wake.js";
import type { Client, Link } from "../core/client.js";
import { createLink } from "../core/link.js";
import type { Core } from "../core/loader.js";
import { needsFull } from "../core/modules.js";
import { portTo } from "../core/port.js";
import { refusal } from "../snapshot/save.js";
import { createSource } from "./beside.js";
import { checkOptions } from "./check.js";
import { createEdits, idOf } from "./edits.js";
import { createGuard } from "./guard.js";
import { createHistory } from "./history.js";
import type { KeptLine } from "./kept-line.js";
import { withPreset } from "./preset.js";
import { createRuns } from "./runs.js";
import { createSaves } from "./saves.js";
import type { Self } from "./self.js";
import { toSettings } from "./settings.js";
import { createView } from "./view.js";

/**
 * An agent over a core in this page that is loaded when it is first needed. The entries of the package differ in the source only.
 *
 * @internal
 */
export function createAgentWith<State>(load: () => Promise<Core>, given: AgentOptions<State>): Agent<State> {
  return createAgentOver(() => load().then(portTo), given, createLink);
}

/**
 * An agent whose core is at a place that `core` gives. `linked` makes the link to it.
 *
 * @internal
 */
export function createAgentOver<State, Place>(
  core: () => Promise<Place>,
  given: AgentOptions<State>,
  linked: (client: Client<State, Place>) => Link<State>,
): Agent<State> {
  given = withPreset(given);
  // Mistakes are reported where they are made.
  checkOptions(given);
  if (given.worker) throw unsupported("worker", 'worker: make the agent with createAgent() of "ag-ui-wasm/worker"');
  let current = given;
  let gone = false;
  const options = (): AgentOptions<State> => current;
  const disposed = (): boolean => gone;
  const emitter = createEmitter(options);
  const view = createView(given, ({ connection }) => {
    wait(connection.phase === "reconnecting");
    saves.changed();
  });
  const { read, bare } = view;
  const publish = (core: AgentSnapshot<State>): void => {
    const next = line?.connected(core) ?? core;
    // Not before everything that has come with this is reported.
    if (!next.isLoading) queueMicrotask(() => (saves.rest(), line?.listen()));
    view.publish(next);
  };
  const settings = toSettings(given as AgentOptions, view.threadId, () => parts()!.toNetwork(given));
  const history = createHistory<State>(settings.maxHistory);
  const alive = (): void => {
    if (gone) throw unsupported("disposed", "The agent has been disposed of");
  };
  const act = (): void => {
    alive();
    view.refuse();
    saves.use(true);
  };

  const source = createSource(core, {
    find: (name) => runs.tool(name),
    agent: () => agent as unknown as Agent,
    refusal: () => saves.refusal(),
    settle: (json) => void link.now((session) => session.settleCall(json)),
    hold: (json) => void link.now((session) => session.hold(json)),
  });
  const { parts } = source;
  const full = needsFull(given);
  const link = linked({
    source: async () => {
      const core = source.load();
      // Whether it comes or not, the save comes first.
      core.catch(() => {});
      await saves.ready();
      return core;
    },
    notify: given.notify ?? undefined,
    settings,
    emitter,
    parts,
    empty: () => view.empty(),
    refused: (error) => emitter.emit("error", refusal(error)),
    save: (...save) => saves.write(...save),
    request: (...run) => parts()!.toRequest(self, full, ...run),
    stopRemote: (runId) => parts()!.tellOfStop(self, runId),
    resumes: () => !!current.resume,
    // A run over a connection that is kept has ended when it says so.
    ending: () => !line?.current && !bare().isLoading && bare().connection.phase !== "closed",
    read: bare,
    checkpoint: history.add,
    publish,
  });

  const self: Self<State> = {
    ...{ options, read, disposed, settings, emitter, history, view, link, alive, act },
    get line() {
      return line;
    },
    keepLine: () => (line ??= parts()!.createKeptLine(self, () => publish(bare()))),
    get runs() {
      return runs;
    },
    get saves() {
      return saves;
    },
  };
  let line: KeptLine<State> | undefined;
  const runs = createRuns(self);
  const saves = createSaves(given, self);
  const wait = createWaker(() => {
    link.now((session) => session.online());
    line?.current?.online();
  });

  /** What a person decides about a call. The core may have to come first. */
  const decide = (method: "settleCall" | "deny", json: string): void => {
    act();
    link.act((session) => session[method](json));
  };

  const dispose = (): void => {
    if (gone) return;
    // Before the session ends, which knows more than what is left of it.
    saves.dispose();
    view.holder()?.cancel(view);
    gone = true;
    link.dispose();
    line?.current?.close();
    history.clear();
    wait(false);
    emitter.close();
    view.close();
    runs.forget();
  };

  const methods: Omit<Agent<State>, typeof Symbol.dispose> = {
    subscribe: (listener) => {
      if (gone) return () => {};
      const off = view.subscribe(listener);
      saves.use(false);
      // Somebody looks: have the core there when the first message goes out. Not on a server, which never asks it.
      if (inPage()) void link.load();
      return off;
    },
    getSnapshot: read,
    flush: () => link.flush(),
    getServerSnapshot: () => view.first,
    ...runs.methods,
    stop: async () => link.stop(),
    connect: async () => {
      act();
      await source.beside();
      alive();
      await self.keepLine().connect();
    },
    disconnect: async () => {
      alive();
      line?.leave();
      await link.now((session) => session.disconnect());
      line?.current?.close();
    },
    // The core says what is wrong with it.
    addToolResult: (given) => decide("settleCall", toJson({ toolCallId: given?.toolCallId, result: given?.result, error: given?.error })),
    approve: (...given: readonly unknown[]) => {
      act();
      // What the person has looked at: the core runs nothing else. It may have to come first.
      const { toolCalls } = read();
      const approve = (): void => parts()!.approve(self, parts()!.calls, toolCalls, given);
      if (parts()) approve();
      else link.act(approve);
    },
    deny: (toolCallId, reason) => decide("deny", toJson({ toolCallId, reason })),
    ...createEdits(self, parts),
    get history() {
      return history.list;
    },
    at: (checkpoint) => history.at(idOf(checkpoint)),
    save: (): SavedAgent => JSON.parse(link.save()),
    reset: () => {
      act();
      view.holder()?.cancel(view);
      const hear = history.clear();
      const { messages, state } = view.first;
      const json = [toJson(messages), toJson(state)] as const;
      // Until the core has heard of it, checkpoints of the runs that it has ended may come.
      link.reset(
        {
          fold: ({ threadId }) => view.empty(threadId),
          apply: (session) => {
            session.reset();
            session.setMessages(json[0]);
            session.setState(json[1]);
          },
        },
        hear,
      );
      saves.renew();
    },
    dispose,
    guard: createGuard(self),
    send: (event) => {
      alive();
      const sent = parts()?.send(self, event);
      if (sent) return sent;
      // Nothing is open before it comes.
      throw unsupported("not-sent", "send() needs an open connection");
    },
    on: (name, listener, filter) => {
      const off = emitter.on(name, listener, filter);
      link.listen();
      return () => {
        off();
        link.listen();
      };
    },
    events: emitter.events,
    setOptions: (next) => {
      if (gone) return;
      const all = withPreset(next);
      checkOptions(all);
      current = all;
      link.listen();
    },
  };
  const agent = methods as Agent<State>;
  // Older engines have no such symbol.
  if (Symbol.dispose) agent[Symbol.dispose] = dispose;

  saves.begin();
  if (inPage()) source.begin();
  return agent;
}

/** Whether somebody looks: a server that renders never asks the core, and loads none. */
const inPage = (): boolean => typeof document === "object";

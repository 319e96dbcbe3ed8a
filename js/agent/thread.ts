// A thread in this page: what is shown, the link to its core, its runs, its saves, its connection. Agents are views of it: those
// that have one store share one thread (js/thread/registry.ts), every other agent has its own.

import type { AgentOptions, AgentSnapshot, PageTool, Tool } from "../api/types.js";
import { unsupported } from "../base/failure.js";
import type { LinkClient, Link } from "../core/client.js";
import { loading, type Inflate } from "../core/loader.js";
import { toPolicy } from "../core/policy.js";
import { refusal } from "../snapshot/save.js";
import { createSource, type CoreSource } from "./core-source.js";
import type { History } from "./history.js";
import { createJobs, type Jobs } from "./jobs.js";
import type { AgentChannel } from "./channel.js";
import { createMembers, type Member, type Members, type Voice } from "../thread/members.js";
import { createRemote, type Remote } from "./remote.js";
import { createSaves } from "./saves.js";
import type { Saves } from "../api/saves.js";
import { createShown, type Shown } from "./shown.js";

/** A thread, as its agents and its parts see it. */
export interface Thread<State> {
  /** Of the agent that has asked last, as they are now. */
  options(): AgentOptions<State>;
  /** Returns the snapshot. */
  read(): AgentSnapshot<State>;
  disposed(): boolean;
  /** Hangs up, and saves. */
  dispose(): void;
  /** Throws once it is disposed of, or that agent of it is. */
  alive(gone?: boolean): void;
  /** The policy of its guard: JSON text. */
  guard: string | undefined;
  /** All agents hear of it. */
  readonly emitter: Voice;
  readonly members: Members<State>;
  /** Checkpoints, which come with the core. */
  readonly history: History<State> | undefined;
  readonly shown: Shown<State>;
  readonly link: Link<State>;
  readonly source: Pick<CoreSource<unknown>, "loadParts" | "parts">;
  /** Of a transport that keeps one, once it is needed. */
  readonly channel: AgentChannel<State> | undefined;
  /** The same, made if there is none yet. Its code is a chunk of its own. */
  openChannel(): Promise<AgentChannel<State>>;
  readonly jobs: Jobs<State>;
  readonly saves: Saves;
  /** The thread at the agent's server. */
  readonly remote: Remote<State>;
  /** Another agent of it. */
  join(member: Member<State>): void;
  /** Tools that came with a submit. The results of their calls may come long after. */
  readonly submitTools: Map<string, Tool | PageTool>;
  /** Somebody looks at one of them. */
  arrive(): void;
  /** One of them is no longer looked at. */
  released(member: Member<State>): void;
  /** One of them is over. After the last one nothing goes on. */
  leave(member: Member<State>): void;
}

/** Makes the link to the core that is at a place of this kind. */
export type Linked<State, Place> = (client: LinkClient<State, Place>) => Link<State>;

/** A thread of no agent yet, which begins with what the first one gives. */
export function createThread<State, Place>(
  core: (inflate: Inflate) => Promise<Place>,
  initial: AgentOptions<State>,
  first: AgentSnapshot<State>,
  linked: Linked<State, Place>,
): Thread<State> {
  const members = createMembers<State>();
  let begun = false;
  let over = false;
  let channel: AgentChannel<State> | undefined;
  const { emitter } = members;
  const shown = createShown(initial, first, ({ connection }) => {
    source.parts()?.wait(connection.phase === "reconnecting");
    saves.changed();
    members.changed();
  });
  const { read } = shown;

  // The last snapshot of the core, of which not all is shown.
  let confirmed = read();
  const publish = (update: AgentSnapshot<State>): void => {
    confirmed = update;
    const next = remote.shown(channel?.connected(update) ?? update);
    // Not before everything that has come with this is reported.
    if (!next.isLoading) queueMicrotask(() => (saves.rest(), channel?.listen()));
    shown.publish(next);
  };
  const republish = (): void => publish(confirmed);

  const source = createSource(core, ({ createOwn }) => createOwn(thread, initial), !!initial.schemas);

  const link = linked({
    source: async () => {
      const place = source.load();
      // Whether it comes or not, the save comes first.
      place.catch(() => {});
      await loading(saves.ready);
      await remote.begin();
      return place;
    },
    ...{ options: initial, cover: shown.cover },
    emitter,
    notify: (run, ...event) => {
      if (event[0] === "finish") saves.ended();
      members.notify(run?.by as Member<State> | undefined, ...event);
    },
    parts: source.parts,
    empty: shown.empty,
    refused: (error) => emitter.emit("error", refusal(error)),
    save: (...save) => saves.write(...save),
    resumes: () => !!thread.options().resume,
    // A run over a connection that is kept has ended when it says so.
    ending: () => !channel?.current && !confirmed.isLoading && confirmed.connection.phase !== "closed",
    read: () => confirmed,
    publish,
  });
  const dispose = (): void => {
    if (over) return;
    // Before the session ends, which knows more than what is left of it.
    saves.dispose();
    over = true;
    link.dispose();
    channel?.current?.close();
    source.parts()?.history.clear();
    source.parts()?.wait(false);
    remote.thread?.dispose();
  };

  const parts = { dispose, emitter, members, shown, link, source, read } as const;
  const thread: Thread<State> = {
    ...parts,
    submitTools: new Map(),
    guard: initial.guard === undefined ? undefined : toPolicy(initial.guard),
    options: () => members.requester().options(),
    disposed: () => over,
    alive: (gone = over) => {
      if (gone) throw unsupported("disposed", "The agent has been disposed of");
    },
    get history() {
      return source.parts()?.history as History<State> | undefined;
    },
    get channel() {
      return channel;
    },
    openChannel: () =>
      loading(async () => {
        const made = await (await source.loadParts()).openChannel(thread, republish);
        return (channel ??= made);
      }),
    get jobs() {
      return jobs;
    },
    get saves() {
      return saves;
    },
    get remote() {
      return remote;
    },
    join: (member) => {
      members.join(member);
      if (begun) return link.listen();
      begun = true;
      saves.begin();
      if (inPage()) source.begin();
    },
    arrive: () => {
      members.arrived();
      saves.use();
      void remote.ready;
      // Somebody looks: have the core there when the first message goes out. Not on a server, which never asks it.
      if (inPage()) void link.load();
    },
    released: (member) => void (initial.persist && members.release(member, saves.alone)),
    leave: (member) => {
      if (!members.present().some((other) => other !== member)) dispose();
      members.leave(member);
    },
  };
  const jobs = createJobs(thread);
  const saves = createSaves(initial, thread);
  const remote: Remote<State> = createRemote(
    () => (begun ? thread.options() : initial),
    async () => (await source.loadParts()).openRemote(thread, () => confirmed, republish),
    republish,
  );
  return thread;
}

/** Whether somebody looks: a server that renders never asks the core, and loads none. */
const inPage = (): boolean => typeof document === "object";

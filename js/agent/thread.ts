// A thread in this page: what is shown, the link to its core, its runs, its saves, its connection. Agents are views of it: those
// that have one store share one thread (js/thread/registry.ts), every other agent has its own.

import type { AgentOptions, AgentSnapshot, PageTool, Tool } from "../api/types.js";
import { unsupported } from "../base/failure.js";
import type { LinkClient } from "../core/client.js";
import type { Link } from "../core/link.js";
import { loading, type Inflate } from "../core/loader.js";
import { copyPolicy } from "../core/policy.js";
import { refusal } from "../snapshot/save.js";
import { createSource, type CoreSource } from "./core-source.js";
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
  /** A copy of the policy of its guard: JSON text. */
  guard: string | undefined;
  /** All agents hear of it. */
  readonly emitter: Voice;
  readonly members: Members<State>;
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

/** The parts of a thread are made one after the other, and ask each other only later. */
type Making<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** A thread of no agent yet, which begins with what the first one gives. */
export function createThread<State, Place>(
  core: (inflate: Inflate) => Promise<Place>,
  initial: AgentOptions<State>,
  first: AgentSnapshot<State>,
  linked: Linked<State, Place>,
): Thread<State> {
  const members = createMembers<State>();
  const { emitter } = members;
  const source = createSource(core, ({ createOwn }) => createOwn(thread, initial), !!initial.schemas);
  const view = (confirmed: AgentSnapshot<State>): AgentSnapshot<State> => {
    const next = thread.remote.shown(thread.channel?.connected(confirmed) ?? confirmed);
    // Not before everything that has come with this is reported.
    if (!next.isLoading) queueMicrotask(() => (thread.channel?.listen(), thread.saves.rest()));
    return next;
  };
  const shown = createShown(initial, first, view, ({ connection }) => {
    source.parts()?.wait(connection.phase === "reconnecting");
    thread.saves.changed();
    members.changed();
  });
  let over = false;

  const thread = {
    ...{ emitter, members, shown, source },
    read: shown.read,
    submitTools: new Map(),
    guard: initial.guard === undefined ? undefined : copyPolicy(initial.guard),
    options: () => members.requester().options(),
    disposed: () => over,
    alive: (gone = over) => {
      if (gone) throw unsupported("disposed", "The agent has been disposed of");
    },
    dispose: () => {
      if (over) return;
      // Before the session ends, which knows more than what is left of it.
      thread.saves.dispose();
      over = true;
      thread.link.dispose();
      thread.channel?.current?.close();
      source.parts()?.history.clear();
      source.parts()?.wait(false);
      thread.remote.thread?.dispose();
    },
    openChannel: () =>
      loading(async () => {
        const made = await (await source.loadParts()).openChannel(thread);
        return (thread.channel ??= made);
      }),
  } as unknown as Making<Thread<State>>;
  thread.link = linked(clientOf(thread, source, initial));
  thread.jobs = createJobs(thread);
  thread.saves = createSaves(initial, thread);
  thread.remote = createRemote(thread, first.thread, async () => (await source.loadParts()).openRemote(thread));
  return Object.assign(thread, createPresence(thread, source, !!initial.persist));
}

/** Coming and going of agents. */
const createPresence = <State>(
  thread: Thread<State>,
  source: CoreSource<unknown>,
  stored: boolean,
  begun = false,
): Pick<Thread<State>, "join" | "arrive" | "released" | "leave"> => ({
  join: (member) => {
    thread.members.join(member);
    if (begun) return thread.link.live()?.listen();
    begun = true;
    thread.saves.begin();
    if (inPage()) source.begin();
  },
  arrive: () => {
    thread.members.arrived();
    thread.saves.use();
    void thread.remote.ready();
    // Somebody looks: have the core there when the first message goes out. Not on a server, which never asks it.
    if (inPage()) void thread.link.load();
  },
  released: (member) => void (stored && thread.members.release(member, thread.saves.alone)),
  leave: (member) => {
    if (!thread.members.present().some((other) => other !== member)) thread.dispose();
    thread.members.leave(member);
  },
});

/** The thread as its link sees it. */
const clientOf = <State, Place>(
  thread: Thread<State>,
  source: CoreSource<Place>,
  options: AgentOptions<State>,
  { confirmed: read, publish, cover, empty } = thread.shown,
): LinkClient<State, Place> => ({
  source: async () => {
    const place = source.load();
    // Whether it comes or not, the save comes first.
    place.catch(() => {});
    await thread.saves.ready();
    await thread.remote.begin();
    return place;
  },
  ...{ options, read, publish, cover, empty, emitter: thread.emitter, parts: source.parts },
  notify: (run, ...event) => {
    if (event[0] === "finish") thread.saves.ended();
    thread.members.notify(run?.by as Member<State> | undefined, ...event);
  },
  refused: (error) => thread.emitter.emit("error", refusal(error)),
  save: (...save) => thread.saves.write(...save),
  quarantine: (json) => thread.saves.quarantine(json),
  resumes: () => !!thread.options().resume,
  ending: () => !read().isLoading && read().connection.phase !== "closed",
});

/** Whether somebody looks: a server that renders never asks the core, and loads none. */
export const inPage = (): boolean => typeof document === "object";

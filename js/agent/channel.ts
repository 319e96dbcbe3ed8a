// The channel of an agent: a connection that outlives its runs, where the transport keeps one open (js/network/channel.ts). What comes
// over it without being asked for is a run as well.

import type { Channel } from "../api/channel.js";
import type { AgentOptions, AgentSnapshot } from "../api/types.js";
import type { ChunkKit } from "./chunks.js";
import type { Thread } from "./thread.js";

/** The channel of an agent, which its transport makes once it is needed. */
export type AgentChannel<State> = ReturnType<typeof createAgentChannel<State>>;

/** The channel of an agent. */
export function createAgentChannel<State>(kit: ChunkKit, self: Thread<State>) {
  const { options, disposed } = self;
  /** The thread waits for its store. */
  const isAway = (): boolean => self.link.shared.home.at === "awaited";
  // Somebody has asked to listen.
  let listening = false;

  /** Takes what has come without being asked for, as a run that says nothing to the server. */
  const listen = (): void => {
    const channel = kept.current();
    if (!channel || disposed() || self.link.busy()) return;
    channel.rest();
    const unread = channel.unread();
    if (!unread) return;
    const input = kit.toRunInput(options());
    const text = kit.toJson({ ...input, messages: [], ifBusy: "drop", unasked: unread.continues ? "continues" : "begins" });
    self.jobs.start({ id: input.runId, ifBusy: "drop", quiet: !unread.hasText, method: "submit", json: text }).catch(() => {});
  };

  const kept = createKept(kit, self, listen);

  return {
    /** The channel, once it was made. */
    get current(): Channel | undefined {
      return kept.current();
    },
    /** Makes it, unless that is done. */
    make: kept.make,
    listen,
    /** The snapshot with the connection as the channel has it, which stays open where the core's is closed. */
    connected: (next: AgentSnapshot<State>): AgentSnapshot<State> => {
      const channel = kept.current();
      if (!channel) return next;
      const { lastEventId } = next.connection;
      const connection = { ...channel.state(), ...(lastEventId !== undefined && { lastEventId }) };
      return JSON.stringify(connection) === JSON.stringify(next.connection) ? next : { ...next, connection };
    },
    connect: async (): Promise<void> => {
      if (!options().transport?.keep) {
        const message = "connect() needs a transport whose connection is kept open: webSocket or eventSource with keepOpen";
        throw kit.unsupported("keep-open", message);
      }
      listening = true;
      let made: Channel;
      // Another tab may have the store by the time that the code is there.
      do {
        await self.saves.ready();
        self.alive();
        if (self.guard) {
          // `send` asks the guard, which a session has.
          await self.link.load();
          self.alive();
          self.link.apply(kit.act("guardCounters"));
        }
        made = await kept.make();
        self.alive();
      } while (isAway());
      if (listening) await made.connect(true);
    },
    /** Connects again if somebody has asked to listen. */
    reconnect: (): void => {
      const connect = (made: Channel): unknown => listening && !disposed() && !isAway() && made.connect(true);
      if (listening) kept.make().then(connect).catch(() => {});
    },
    /** Nobody listens from now on. */
    leave: (): void => void (listening = false),
  };
}

/** The channel that the transport makes, once. If that fails, the next call makes it. */
function createKept<State>(kit: ChunkKit, { options, read, shown, disposed, link, emitter }: Thread<State>, unread: () => void) {
  let channel: Channel | undefined;
  let making: Promise<Channel> | undefined;
  const create = async (): Promise<Channel> => (channel = await options().transport!.keep!.create({
    source: () => options().transport?.keep,
    options: () => options() as AgentOptions,
    run: () => {
      const { threadId, runId = "" } = read();
      return { threadId, runId };
    },
    unread,
    overtaken: () => read().queue.some(({ runId }) => [...link.shared.runs].some(({ id, hasty }) => hasty && id === runId)),
    changed: () => disposed() || shown.show(),
    failed: (error) => disposed() || emitter.emit("error", error),
    kit,
  }));
  return {
    current: () => channel,
    make: (): Promise<Channel> => (making ??= create().catch((cause: unknown) => {
      making = undefined;
      throw kit.internal("The code of a kept connection could not be loaded", cause);
    })),
  };
}

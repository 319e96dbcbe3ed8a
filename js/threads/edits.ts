// Edits of threads by a person: shown at once, then requested from the server.

import { unsupported } from "../base/failure.js";
import { uuid } from "../base/uuid.js";
import { changing, merging, removing, type Change } from "./changes.js";
import { toError, type Ask } from "./request.js";
import type { AgentError } from "../api/error.js";
import type { ServerRequest } from "../api/server.js";
import type { ThreadInfo, Threads, ThreadsSource } from "../api/threads.js";
import type { Board } from "./board.js";

/** The methods of a list that change threads. */
export function createEdits(board: Board, ask: Ask, source: Partial<ThreadsSource>): Pick<Threads, "create" | "rename" | "archive" | "delete" | "update"> {
  const change = createChanger(board, ask);
  return {
    create: async (thread = {}) => {
      const now = Date.now();
      const made: ThreadInfo = { createdAt: now, updatedAt: now, ...thread, threadId: thread.threadId ?? uuid() };
      const { create } = source;
      let result = made;
      await change(merging(made), "The new thread", create && ((request) => create(made, request)), (answer) => {
        // A server may choose the id.
        result = { ...made, ...answer, threadId: answer.threadId || made.threadId };
        if (!create) board.local.add(made.threadId);
        return [merging(result)];
      });
      return result;
    },
    rename: async (threadId, title) => {
      const { rename } = source;
      if (!rename) throw missing("rename");
      await change(changing(threadId, { title }), "The thread's title", (request) => rename(threadId, title, request));
    },
    archive: async (threadId, archived = true) => {
      const { archive } = source;
      if (!archive) throw missing("archive");
      await change(changing(threadId, { archived }), "The thread's archiving", (request) => archive(threadId, archived, request));
    },
    delete: async (threadId) => {
      const remove = source.delete;
      if (!remove) throw missing("delete");
      // An answer says nothing about a thread that is gone; that it was gone before is no refusal.
      await change(removing(threadId), "The thread's deletion", async (request) => {
        await remove(threadId, request).catch((cause: unknown) => {
          if (![404, 410].includes(toError(cause, "").status ?? 0)) throw cause;
        });
      });
    },
    update: (thread) => {
      const noted = merging(thread);
      board.end(noted, noted);
    },
  };
}

const missing = (name: string): AgentError => unsupported("threads", `This list of threads has no function "${name}"`);

/** A function that shows a change, asks the server, and keeps what is confirmed of it or takes it back. */
function createChanger(board: Board, ask: Ask) {
  // Changes of one thread go to the server one after the other.
  const turns = new Map<string, Promise<unknown>>();

  return async (
    shown: Change,
    doing: string,
    action?: (request: ServerRequest) => Promise<unknown>,
    confirmed = (answer: Partial<ThreadInfo>): Change[] => [shown, changing(shown.threadId, answer)],
  ): Promise<void> => {
    const { threadId } = shown;
    const before = turns.get(threadId);
    board.begin(shown);
    // A failure of the change before is reported to its own caller.
    const turn = (async () => {
      await before?.catch(() => {});
      return action && ask(doing, action);
    })();
    turns.set(threadId, turn);
    try {
      const answer = await turn;
      board.end(shown, ...confirmed(typeof answer === "object" && answer && !(answer instanceof Response) ? answer : {}));
    } catch (cause) {
      const error = toError(cause, doing);
      board.end(shown);
      board.report({ error });
      throw error;
    } finally {
      if (turns.get(threadId) === turn) turns.delete(threadId);
    }
  };
}

import { useThreads } from "ag-ui-wasm/threads/react";
import type { ThreadInfo } from "ag-ui-wasm/threads";
import { useState, type KeyboardEvent } from "react";
import { forget, threads, titleOf } from "../shared/stored.js";

/** A failure is shown as the list's error. */
const quiet = (): void => {};

/** The list of threads: open one, begin one, rename it, delete it. */
export function Sidebar({ open, onOpen }: { open: string; onOpen: (threadId: string) => void }) {
  const list = useThreads(threads);
  const { hasMore, isLoadingMore, pending, error } = list;
  const start = (): void => {
    const threadId = crypto.randomUUID();
    onOpen(threadId);
    list.create({ threadId }).catch(quiet);
  };
  return (
    <nav className="threads" aria-label="Threads" data-testid="threads" data-status={list.status}>
      <button type="button" className="button" data-testid="thread-new" onClick={start}>
        <span className="icon" data-icon="plus" /> New thread
      </button>
      <ul>
        {list.threads.map((thread) => (
          <ThreadRow
            key={thread.threadId}
            thread={thread}
            current={thread.threadId === open}
            pending={pending.includes(thread.threadId)}
            onOpen={onOpen}
          />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="button" data-testid="thread-more" disabled={isLoadingMore} onClick={() => void list.loadMore()}>
          More
        </button>
      )}
      {error && (
        <p className="threads-error" role="alert" data-testid="threads-error">
          {error.message} <button type="button" className="button" onClick={() => void list.load()}>Load again</button>
        </p>
      )}
    </nav>
  );
}

/** A thread in the list. */
function ThreadRow({ thread, current, pending, onOpen }: { thread: ThreadInfo; current: boolean; pending: boolean; onOpen: (threadId: string) => void }) {
  const [editing, setEditing] = useState(false);
  const { threadId } = thread;
  const title = titleOf(thread);
  const remove = (): void => {
    if (current) onOpen(crypto.randomUUID());
    threads.delete(threadId).then(() => forget(threadId), quiet);
  };
  return (
    <li data-testid="thread" data-running={thread.running === true} data-pending={pending}>
      {editing && <TitleField thread={thread} onEnd={() => setEditing(false)} />}
      {!editing && (
        <button type="button" className="thread" aria-current={current} data-testid="thread-open" onClick={() => onOpen(threadId)}>
          {title}
        </button>
      )}
      <button type="button" aria-label={`Rename ${title}`} data-testid="thread-rename" onClick={() => setEditing(true)}>
        <span className="icon" data-icon="edit" />
      </button>
      <button type="button" aria-label={`Delete ${title}`} data-testid="thread-delete" onClick={remove}>
        <span className="icon" data-icon="close" />
      </button>
    </li>
  );
}

/** The field in which a thread is renamed. */
function TitleField({ thread, onEnd }: { thread: ThreadInfo; onEnd: () => void }) {
  const onKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void => {
    if (key !== "Enter" && key !== "Escape") return;
    if (key === "Enter") threads.rename(thread.threadId, currentTarget.value).catch(quiet);
    onEnd();
  };
  return <input autoFocus aria-label="Title" data-testid="thread-title" defaultValue={thread.title} onBlur={onEnd} onKeyDown={onKeyDown} />;
}

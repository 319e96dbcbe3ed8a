import { useThreads } from "ag-ui-wasm/threads/react";
import { useState } from "react";
import { forget, threads, titleOf } from "../shared/stored.js";

/** The list of threads: open one, begin one, rename it, delete it. */
export function Sidebar({ open, onOpen }: { open: string; onOpen: (threadId: string) => void }) {
  const { threads: list, hasMore, isLoadingMore, pending, error, status, load, loadMore, create, rename, delete: remove } = useThreads(threads);
  const [renamed, setRenamed] = useState<string>();
  const quiet = (): void => {}; // what fails is shown as the list's error
  const start = (): void => {
    const threadId = crypto.randomUUID();
    onOpen(threadId);
    create({ threadId }).catch(quiet);
  };
  return (
    <nav className="threads" aria-label="Threads" data-testid="threads" data-status={status}>
      <button type="button" className="button" data-testid="thread-new" onClick={start}>
        <span className="icon" data-icon="plus" /> New thread
      </button>
      <ul>
        {list.map((thread) => (
          <li key={thread.threadId} data-testid="thread" data-running={thread.running === true} data-pending={pending.includes(thread.threadId)}>
            {renamed === thread.threadId ?
              (
                <input
                  autoFocus
                  aria-label="Title"
                  data-testid="thread-title"
                  defaultValue={thread.title}
                  onBlur={() => setRenamed(undefined)}
                  onKeyDown={(event) => {
                    if (event.key !== "Enter" && event.key !== "Escape")
                      return;
                    if (event.key === "Enter")
                      rename(thread.threadId, event.currentTarget.value).catch(quiet);
                    setRenamed(undefined);
                  }}
                />
              ) :
              (
                <button
                  type="button"
                  className="thread"
                  aria-current={thread.threadId === open}
                  data-testid="thread-open"
                  onClick={() => onOpen(thread.threadId)}
                >
                  {titleOf(thread)}
                </button>
              )}
            <button
              type="button"
              aria-label={`Rename ${titleOf(thread)}`}
              data-testid="thread-rename"
              onClick={() =>
                setRenamed(thread.threadId)}
            >
              <span className="icon" data-icon="edit" />
            </button>
            <button
              type="button"
              aria-label={`Delete ${titleOf(thread)}`}
              data-testid="thread-delete"
              onClick={() => {
                if (thread.threadId === open)
                  onOpen(crypto.randomUUID());
                remove(thread.threadId).then(() =>
                  forget(thread.threadId), quiet);
              }}
            >
              <span className="icon" data-icon="close" />
            </button>
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="button" data-testid="thread-more" disabled={isLoadingMore} onClick={() => void loadMore()}>
          More
        </button>
      )}
      {error && (
        <p className="threads-error" role="alert" data-testid="threads-error">
          {error.message} <button type="button" className="button" onClick={() => void load()}>Load again</button>
        </p>
      )}
    </nav>
  );
}

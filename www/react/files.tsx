import type { Message } from "ag-ui-wasm";
import type { UseAttachments } from "ag-ui-wasm/attachments/react";
import { picturesOf, stateOf } from "../shared/files.js";

/** The pictures of the composer. */
export function Files({ files: { items, retry, remove } }: { files: UseAttachments }) {
  if (items.length === 0) return null;
  return (
    <ul className="files" aria-label="Pictures to send" data-testid="files">
      {items.map((item) => (
        <li key={item.id} data-testid="file" data-status={item.status}>
          {item.previewUrl !== undefined && <img src={item.previewUrl} alt="" />}
          <b dir="auto">{item.name}</b>
          <span data-testid="file-state">{stateOf(item)}</span>
          {item.error === "upload" && (
            <button type="button" className="button" data-testid="file-retry" onClick={() => retry(item.id)}>
              Try again
            </button>
          )}
          <button type="button" className="icon-button" data-testid="file-remove" aria-label={`Remove ${item.name}`} onClick={() => remove(item.id)}>
            <span className="icon" data-icon="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The button that opens the picker of files. */
export function PickFiles({ files: { inputProps } }: { files: UseAttachments }) {
  return (
    <label className="icon-button pick">
      <input {...inputProps} className="unseen" aria-label="Add pictures" data-testid="pick" />
      <span className="icon" data-icon="picture" />
    </label>
  );
}

/** The pictures of a message. */
export function Pictures({ message }: { message: Message }) {
  const pictures = picturesOf(message);
  if (pictures.length === 0) return null;
  return (
    <div className="pictures">
      {pictures.map(({ src, name }, index) => <img key={index} src={src} alt={name} data-testid="picture" />)}
    </div>
  );
}

import type { QueuedSubmit } from "ag-ui-wasm";
import type { UseAttachments } from "ag-ui-wasm/attachments/react";
import type { UseAgent } from "ag-ui-wasm/react";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { fit, sends } from "../shared/composer.js";
import { OTHER, type Scenario } from "../shared/endpoint.js";
import { waitsFor } from "../shared/files.js";
import { statusLine } from "../shared/format.js";
import { textOf } from "../shared/rows.js";
import { Files, PickFiles } from "./files.js";

/** The choice of the agent to write to: a scenario, or another address. */
interface Choosing {
  scenarios: readonly Scenario[];
  choice: string;
  /** The chosen one, once it is known. */
  scenario: Scenario | undefined;
  address: string;
  onChoice: (choice: string) => void;
  onAddress: (address: string) => void;
}

export function Composer(props: Choosing & { chat: UseAgent; files: UseAttachments }) {
  const { chat, files, scenario, address } = props;
  const [text, setText] = useState(files.draft);
  const field = useRef<HTMLTextAreaElement>(null);
  const prompt = scenario?.prompt;
  useEffect(() => fit(field.current!), [text]);

  const send = (event?: FormEvent): void => {
    event?.preventDefault();
    const words = text.trim() || prompt || (files.items.length > 0 ? "" : undefined);
    if (words === undefined || (scenario === undefined && address.trim() === "")) return;
    setText("");
    void chat.submit({ message: words, parts: files });
  };

  return (
    <form className="composer" data-testid="composer" onSubmit={send}>
      {chat.queue.length > 0 && <Queue queue={chat.queue} />}
      <div className="field">
        <Files files={files} />
        <textarea
          ref={field}
          id="input"
          rows={1}
          dir="auto"
          aria-label="Message"
          placeholder={prompt ?? "Write to the agent"}
          data-testid="input"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onPaste={files.onPaste}
          onKeyDown={(event) => {
            if (!sends(event.nativeEvent)) return;
            event.preventDefault();
            send();
          }}
        />
        <div className="controls">
          <PickFiles files={files} />
          <Picker {...props} />
          <Actions chat={chat} />
        </div>
      </div>
      <div className="line">
        <span role="status" data-testid="status">
          {statusLine(chat)}
        </span>
        <span className="keys">
          <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> new line, <kbd>Esc</kbd> stops
        </span>
      </div>
    </form>
  );
}

/** The buttons that stop the run and send a message. */
function Actions({ chat }: { chat: UseAgent }) {
  return (
    <div className="actions">
      {chat.isLoading && (
        <button type="button" className="button" data-testid="stop" onClick={() => void chat.stop()}>
          <span className="icon" data-icon="stop" /> Stop
        </button>
      )}
      <button type="submit" className="button main send" data-testid="send" aria-label={chat.isLoading ? "Send next" : "Send"}>
        <span className="icon" data-icon="send" />
      </button>
    </div>
  );
}

function Picker({ scenarios, choice, scenario, address, onChoice, onAddress }: Choosing) {
  return (
    <>
      <select aria-label="Agent" data-testid="scenario" value={scenario?.name ?? choice} onChange={(event) => onChoice(event.target.value)}>
        {scenarios.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
        <option value={OTHER}>Another address</option>
      </select>
      {choice === OTHER && (
        <input
          type="text"
          inputMode="url"
          aria-label="Address of an AG-UI agent"
          placeholder="https://"
          data-testid="url"
          value={address}
          onChange={(event) => onAddress(event.target.value)}
        />
      )}
    </>
  );
}

function Queue({ queue }: { queue: readonly QueuedSubmit[] }) {
  return (
    <ol className="queue" aria-label="Waiting to be sent" data-testid="queue">
      {queue.map((queued) => (
        <li key={queued.id} data-testid="queued">
          <span dir="auto">{queued.messages.map(textOf).join(" ")}</span>
          <span>{waitsFor(queued)}</span>
        </li>
      ))}
    </ol>
  );
}

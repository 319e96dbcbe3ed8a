import { messageKey, useAgent } from "ag-ui-wasm/react";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import "./style.css";

function Chat() {
  const { messages, isLoading, error, submit, stop, retry } = useAgent({ url: "/agent" });
  const [text, setText] = useState("");
  const send = (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void submit(text);
    setText("");
  };
  return (
    <main>
      <h1>A Python agent</h1>
      <ol aria-live="polite">
        {messages.map((message) => (
          <li key={messageKey(message)} className={message.role}>{typeof message.content === "string" && message.content}</li>
        ))}
      </ol>
      {error && <p role="alert">{error.message} {error.retryable && <button onClick={() => retry()}>Try again</button>}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        {isLoading ? <button type="button" onClick={stop}>Stop</button> : <button>Send</button>}
      </form>
    </main>
  );
}

createRoot(document.querySelector("#root")).render(<StrictMode><Chat /></StrictMode>);

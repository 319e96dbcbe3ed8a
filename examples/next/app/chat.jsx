"use client";

import { messageKey, useAgent } from "ag-ui-wasm/react";
import { useState } from "react";

export function Chat() {
  const { messages, isLoading, error, submit, stop } = useAgent();
  const [text, setText] = useState("");
  const send = (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void submit(text);
    setText("");
  };
  return (
    <>
      <ol aria-live="polite">
        {messages.map((message) => (
          <li key={messageKey(message)} className={message.role}>{typeof message.content === "string" && message.content}</li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        {isLoading ? <button type="button" onClick={stop}>Stop</button> : <button>Send</button>}
      </form>
    </>
  );
}

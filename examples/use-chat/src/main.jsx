// `useChat` of the AI SDK over an AG-UI agent, whose thread is there again after a reload.

import { useChat } from "@ai-sdk/react";
import { createAgent, localStorageStore } from "ag-ui-wasm";
import { loadUIMessages, toChatTransport } from "ag-ui-wasm/ai-sdk";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import "./style.css";

const store = localStorageStore("chat");
const agent = createAgent({ url: "/agent", threadId: "chat", persist: store });
const transport = toChatTransport(agent);

function Chat({ restored }) {
  const { messages, sendMessage, regenerate, status, error, stop } = useChat({ messages: restored, transport, resume: true });
  const [text, setText] = useState("");
  const send = (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    void sendMessage({ text });
    setText("");
  };
  return (
    <main>
      <h1>useChat</h1>
      <ol aria-live="polite">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>{parts.map((part) => (part.type === "text" ? part.text : ""))}</li>
        ))}
      </ol>
      {error && <p role="alert">{error.message} <button onClick={() => regenerate()}>Try again</button></p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        {status === "streaming" || status === "submitted" ? <button type="button" onClick={stop}>Stop</button> : <button>Send</button>}
      </form>
    </main>
  );
}

const restored = await loadUIMessages(agent, store);
createRoot(document.querySelector("#root")).render(<StrictMode><Chat restored={restored} /></StrictMode>);

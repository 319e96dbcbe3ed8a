// A page of React whose answers are rendered as AI Elements do it: with Streamdown.

import { useChat } from "@ai-sdk/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Streamdown } from "streamdown";
import { actions, chatOptions, current, lineOf } from "./chat.js";

const Part = ({ part }) => (part.type === "text" ? <Streamdown>{part.text}</Streamdown> : <code>{lineOf(part)}</code>);

function Page({ options }) {
  const chat = (current.chat = useChat({ ...options, resume: true }));
  const { messages, status, error, sendMessage, stop } = chat;
  const [text, setText] = useState("");
  const send = (event) => {
    event.preventDefault();
    void sendMessage({ text });
    setText("");
  };
  return (
    <form onSubmit={send}>
      {messages.map(({ id, role, parts }) => (
        <section key={id} data-role={role}>{parts.map((part, at) => <Part key={at} part={part} />)}</section>
      ))}
      <p id="status">{status}</p>
      <p id="error">{error?.message}</p>
      <input id="say" value={text} onChange={(event) => setText(event.target.value)} />
      <button id="stop" type="button" onClick={stop}>stop</button>
      {Object.entries(actions).map(([name, act]) => <button key={name} id={name} type="button" onClick={() => act(chat)}>{name}</button>)}
    </form>
  );
}

createRoot(document.querySelector("#page")).render(<Page options={await chatOptions()} />);

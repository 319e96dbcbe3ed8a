// An agent of Chio over sockets and sources in the test's hands.

import { afterEach, test } from "node:test";
import { load, real, until } from "../lib.mjs";
import { Socket, Source } from "./chio-sockets.mjs";

export { Socket, Source };

const { createAgent, webSocket } = await load("index");

export const skip = !real && "needs the built core";

let count = 0;
export const event = (event_type, classification, more) => ({
  event_id: `e${++count}`,
  timestamp: 1744993921,
  agent_id: "a",
  session_id: "s1",
  event_type,
  classification,
  ...more,
});
export const chat = { component_type: "chat-window", component_id: "main" };
export const say = (text) => event("text_stream", "display", { target: chat, payload: { text } });
export const done = () => event("lifecycle", "destroy", { target: chat, payload: { action: "closed" } });
export const toast = () => event("notification", "alert", { target: { component_type: "toast" }, payload: { title: "Hi" } });

export let agent;
afterEach(() => {
  agent?.dispose();
  Socket.all = [];
  Source.all = [];
});

export const fast = { attempts: 3, baseMs: 1, minMs: 0, maxMs: 2 };
/** Makes it the agent of the test, which disposes of it. */
export const adopt = (given) => void (agent = given);
export const make = (transport, more = {}) => {
  const heard = { finish: [], errors: [], warnings: [], custom: [] };
  agent = createAgent({
    transport,
    dialect: "chio",
    threadId: "s1",
    notify: "sync",
    retry: fast,
    onFinish: ({ outcome }) => heard.finish.push(outcome),
    onError: ({ kind }) => heard.errors.push(kind),
    onWarning: ({ code }) => heard.warnings.push(code),
    ...more,
  });
  agent.on("custom", ({ name }) => heard.custom.push(name));
  return heard;
};
export const overSocket = (more, keepOpen = true) => make(webSocket({ url: "wss://host/ag-ui?session=s1", WebSocket: Socket, keepOpen }), more);
export const socketOf = async (number) => {
  await until(() => Socket.all.length >= number, `socket ${number}`);
  const socket = Socket.all[number - 1];
  socket.open();
  return socket;
};
export const texts = () => agent.getSnapshot().messages.map(({ role, content }) => `${role}: ${content}`);
export const idle = () => until(() => !agent.getSnapshot().isLoading, "an idle agent");

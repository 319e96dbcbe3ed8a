// WebDriver BiDi: commands and events over one WebSocket, beside the classic session.

import { WebSocket } from "ws";

/**
 * @typedef {object} Bidi
 * @property {(method: string, params: object) => Promise<any>} send
 * @property {(event: string, listener: (params: any) => void) => void} on
 * @property {() => void} close
 */

/** @param {string} url the session's capability `webSocketUrl` @returns {Promise<Bidi>} */
export async function connectBidi(url) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });

  /** @type {Map<number, { resolve(value: any): void, reject(error: Error): void }>} */
  const waiting = new Map();
  /** @type {Map<string, (params: any) => void>} */
  const listeners = new Map();
  let lastId = 0;

  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.type === "event") {
      listeners.get(message.method)?.(message.params);
      return;
    }
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === "error") caller?.reject(new Error(`${message.error}: ${message.message}`));
    else caller?.resolve(message.result);
  });
  socket.on("close", () => {
    for (const caller of waiting.values()) caller.reject(new Error("The BiDi connection was closed."));
    waiting.clear();
  });

  return {
    send(method, params) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
    on: (event, listener) => void listeners.set(event, listener),
    close: () => socket.terminate(),
  };
}

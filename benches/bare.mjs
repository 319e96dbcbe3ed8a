// Row 1 without the platform's streams: the reads of an answer, one after the other, to the floor's loop and to the core.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { processorTime } from "./measure.mjs";

const packed = new URL("../pkg/", import.meta.url);

/** @param {readonly Uint8Array[]} reads @param {string} expected @returns {() => Promise<number>} */
export function bareFloor(reads, expected) {
  return async () => {
    const begin = processorTime();
    const decoder = new TextDecoder();
    let [buffer, text] = ["", ""];
    for (const read of reads) {
      buffer += decoder.decode(read, { stream: true });
      const frames = buffer.split("\n\n");
      buffer = frames.pop() ?? "";
      for (const frame of frames) {
        const event = JSON.parse(frame.slice(6));
        if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
      }
    }
    const spent = processorTime() - begin;
    assert.ok(text === expected);
    return spent;
  };
}

/** @param {readonly Uint8Array[]} reads @param {string} expected @returns {Promise<() => Promise<number>>} */
export async function bareCore(reads, expected) {
  const glue = await import(new URL("glue/core.js", packed).href);
  await glue.default({ module_or_path: readFileSync(new URL("core.wasm", packed)) });
  const options = JSON.stringify({ threadId: "t", history: 0, graceMs: 0 });
  const none = () => undefined;
  const response = () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
  const input = JSON.stringify({ runId: "r", messages: [], tools: [], context: [], forwardedProps: {} });
  return () =>
    new Promise((resolve, reject) => {
      /** Reads a stream as `js/core/read.ts` does. @param {unknown} _ @param {any} body @param {WebAssembly.Memory} memory */
      const receive = (_, body, memory) => {
        const begin = processorTime();
        let room = new Uint8Array(0);
        for (const read of reads) {
          if (room.length < read.length) room = new Uint8Array(memory.buffer, body.room(read.length), read.length);
          room.set(read);
          body.read(read.length, 1);
        }
        const patch = JSON.parse(session.takePatch());
        const spent = processorTime() - begin;
        body.free();
        session.call("dispose");
        if (JSON.stringify(patch).includes(JSON.stringify(expected))) resolve(spent);
        else reject(new Error("The core made another text of it."));
      };
      const told = { changed: none, settled: none, custom: none, event: none, warning: none, execute: none, abandon: none, hold: none, stopRemote: none };
      const request = async () => ({ url: "http://agent.test/" });
      const fetch = async () => ({ status: 200, contentType: "text/event-stream", reader: response().body?.getReader() });
      /** @param {unknown} promise @param {(value: unknown, failed: boolean) => void} callback */
      const settle = (promise, callback) => void Promise.resolve(promise).then((value) => callback(value, false));
      const session = new glue.Session(options, undefined, undefined, {
        ...told,
        request,
        fetch,
        settle,
        receive,
        wake: none,
      });
      session.call("submit", input);
    });
}

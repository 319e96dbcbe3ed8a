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
  const input = JSON.stringify({ runId: "r", messages: [], tools: [], context: [], forwardedProps: {} });
  return async () => {
    const session = new glue.CoreSession(options, undefined, undefined);
    /** The effects that wait, as the page reads them. */
    const effects = () => {
      const all = [];
      for (let text; (text = session.effect()) !== undefined;) all.push(JSON.parse(text.split("\n", 1)[0] ?? ""));
      return all;
    };
    session.call("submit", input);
    const [, request] = effects().find(([name]) => name === "open");
    session.head(request, 200, "text/event-stream");
    effects();
    const begin = processorTime();
    let room = new Uint8Array(0);
    // As `js/core/driver.ts` does.
    for (const read of reads) {
      if (room.length < read.length) room = session.room(read.length);
      room.set(read);
      if (session.read(request, read.length, 1) > 1) effects();
    }
    const patch = JSON.parse(session.takePatch());
    const spent = processorTime() - begin;
    session.free();
    assert.ok(JSON.stringify(patch).includes(JSON.stringify(expected)), "The core made another text of it.");
    return spent;
  };
}

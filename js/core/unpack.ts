// The way from the inline bytes to those of a module. It comes beside the core (js/agent/live.ts).

import { compiling } from "./compiling.js";
import type { Inflate } from "./loader.js";

/** Returns the bytes of a module from base64 of raw deflate, sorted or as they are. */
export const inflate: Inflate = (base64) =>
  compiling(async () => {
    const deflated = decode(base64);
    // A Blob's stream would do as well, but under jsdom a Blob has none.
    const inflated = new Response(deflated).body!.pipeThrough(new DecompressionStream("deflate-raw"));
    return unpack(await new Response(inflated).arrayBuffer());
  });

/** The bytes that base64 stands for. A callback for each character would take half as long as all else that happens to the module. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  const native = Uint8Array as { fromBase64?(base64: string): Uint8Array<ArrayBuffer> };
  if (native.fromBase64) return native.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The program that puts the bytes of a module back in order (tools/pack.mjs). */
let unpacker: WebAssembly.Module;

/** Puts them back, by the program that comes with them, or has come with the base that they are added to. */
async function unpack(packed: ArrayBuffer): Promise<BufferSource> {
  const [program = 0, at = 0] = new Uint32Array(packed, 0, 2);
  // A module as it is begins with its name.
  if (program === 0x6d736100) return packed;
  if (program) unpacker = await WebAssembly.compile(new Uint8Array(packed, 8, program));
  const { exports } = await WebAssembly.instantiate(unpacker);
  const { memory, unpack: unfold } = exports as { memory: WebAssembly.Memory; unpack(from: number, to: number): void };
  const sorted = new Uint8Array(packed, at);
  const [size = 0] = new Uint32Array(packed, at, 1);
  const from = memory.grow(Math.ceil((sorted.length + size) / 65536)) * 65536;
  const to = from + sorted.length;
  new Uint8Array(memory.buffer).set(sorted, from);
  unfold(from, to);
  return new Uint8Array(memory.buffer, to, size);
}

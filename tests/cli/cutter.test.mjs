// A body is cut where its frames end, whatever its reads are, and no byte is lost.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { program } from "./server.mjs";

/** @type {{ createCutter(framing: string): { push(bytes: Uint8Array): Uint8Array[], rest(): Uint8Array | undefined }, framingOf(type: string): string }} */
const { createCutter, framingOf } = await import(new URL("cutter.js", pathToFileURL(program)).href);

/** @param {string} framing @param {Uint8Array[]} reads */
function cut(framing, reads) {
  const cutter = createCutter(framing);
  const pieces = reads.flatMap((bytes) => cutter.push(bytes));
  const rest = cutter.rest();
  return (rest ? [...pieces, rest] : pieces).map((piece) => Buffer.from(piece).toString("latin1"));
}

/** In two reads, cut at every byte. @param {Buffer} body */
const everyCut = (body) => Array.from(body, (_, at) => [body.subarray(0, at), body.subarray(at)]);

describe("frames", () => {
  for (const [name, end] of [["LF", "\n"], ["CR LF", "\r\n"], ["CR", "\r"]]) {
    test(`of an event stream whose lines end with ${name}`, () => {
      const frames = ["data: é", "id: 1", "data: b"].map((line) => `${line}${end}${end}`);
      const body = Buffer.from(`${frames.join("")}data: cut`);
      const whole = [...frames, "data: cut"].map((frame) => Buffer.from(frame).toString("latin1"));
      assert.deepEqual(cut("sse", [body]), whole);
      for (const reads of everyCut(body)) {
        const pieces = cut("sse", reads);
        assert.equal(pieces.join(""), body.toString("latin1"));
        // A line feed of its own is no frame.
        assert.equal(pieces.filter((piece) => piece.trim()).length, whole.length, JSON.stringify(pieces));
      }
    });
  }

  test("of the binary framing, and of lines", () => {
    const frame = (/** @type {number[]} */ ...bytes) => [0, 0, 0, bytes.length, ...bytes];
    const body = Buffer.from([...frame(1, 2, 3), ...frame(), ...frame(4), 0, 0]);
    const lines = Buffer.from('{"a":1}\n{"b":2}\nrest');
    for (const reads of everyCut(body)) assert.deepEqual(cut("binary", reads).map(({ length }) => length), [7, 4, 5, 2]);
    for (const reads of everyCut(lines)) assert.deepEqual(cut("lines", reads), ['{"a":1}\n', '{"b":2}\n', "rest"]);
  });

  test("of a body that does not say what it is, as its first character says", () => {
    const list = Buffer.from(' [ {"a":["}",{}]},\n{"b":"\\"{"} ]\n');
    const lines = Buffer.from('\n{"a":1}\n{"b":2}\n');
    const stream = Buffer.from("data: [1]\n\ndata: {}\n\n");
    for (const reads of everyCut(list)) assert.deepEqual(cut("unknown", reads), [" [ ", '{"a":["}",{}]}', ",\n", '{"b":"\\"{"}', " ]\n"]);
    for (const reads of everyCut(lines)) assert.deepEqual(cut("unknown", reads).join("").trim().split("\n"), ['{"a":1}', '{"b":2}']);
    for (const reads of everyCut(stream)) assert.deepEqual(cut("unknown", reads), ["data: [1]\n\n", "data: {}\n\n"]);
  });

  test("of many megabytes do not wait for their end", () => {
    const pieces = cut("sse", Array.from({ length: 64 }, () => Buffer.alloc(16 * 1024, "x")));
    assert.ok(pieces.length > 8 && pieces.join("").length === 2 ** 20, `${pieces.length}`);
  });

  test("are told apart by the content type", () => {
    const types = ["text/event-stream; charset=utf-8", "Application/vnd.ag-ui.event+proto", "application/x-ndjson", "text/html", ""];
    assert.deepEqual(types.map(framingOf), ["sse", "binary", "lines", "unknown", "unknown"]);
  });
});

// Row 8: what a page loads, ours and the neighbors', bundled and minified the same way.

import { brotliCompressSync, gzipSync } from "node:zlib";
import { measure } from "../tools/size.mjs";
import { bundle } from "./peers.mjs";
import { kilobytes, number } from "./report.mjs";

/** @typedef {import("./report.mjs").Line} Line */

const neighbors = {
  "AI SDK React": 'export { useChat } from "@ai-sdk/react";',
  "TanStack React": 'export { useChat, fetchServerSentEvents } from "@tanstack/ai-react";',
  "@ag-ui/client": 'export { HttpAgent } from "@ag-ui/client";',
};

/** @returns {AsyncGenerator<Line>} */
export async function* size() {
  const { wasm, entries } = await measure();
  const others = await Promise.all(
    Object.entries(neighbors).map(async ([name, contents]) => {
      const bytes = await bundle(contents, { external: ["react", "react-dom"] });
      return { name, min: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
    }),
  );
  const react = entries["react.js"];
  if (!react) throw new Error("There is no react.js.");
  const smallest = Math.min(...others.map(({ gzip }) => gzip));
  for (const [work, kind] of /** @type {const} */ ([["gzip", "gzip"], ["brotli", "brotli"]])) {
    yield {
      row: 8,
      work: `ag-ui-wasm/react with all it loads, ${work}`,
      ours: kilobytes(react.together[kind]),
      other: others.map((other) => `${other.name} ${kilobytes(other[kind])}`).join(", "),
      ratio: kind === "gzip" ? number(react.together.gzip / smallest) : "",
      target: kind === "gzip" ? "≤ 57 kB" : "",
      met: kind === "gzip" ? react.together.gzip <= 57_000 : undefined,
      data: kind === "gzip" ? { wasm, entries, others } : undefined,
    };
  }
  yield {
    row: 8,
    work: "of it the WebAssembly, gzip and brotli",
    ours: `${kilobytes(wasm.gzip)}, ${kilobytes(wasm.brotli)}`,
    other: "",
    ratio: "",
    target: "",
    met: undefined,
  };
}

// The chunks that a page loads later, as a bundler with splitting makes them.

import assert from "node:assert/strict";
import { build } from "esbuild";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { folder } from "../lib.mjs";

describe("the chunks of an entry", () => {
  for (const entry of ["index.js", "slim.js", "react.js", "svelte.js", "worker.js"]) {
    it(`${entry}: one that comes later imports nothing but what the page has, so no bundler preloads for it`, async () => {
      const absWorkingDir = fileURLToPath(folder);
      const { metafile } = await build({
        ...{ absWorkingDir, entryPoints: [entry], outdir: "chunks", bundle: true, splitting: true, metafile: true, write: false },
        ...{ format: "esm", logLevel: "error", external: ["react", "svelte", "svelte/*"] },
      });
      const { outputs } = metafile;
      /** A file, with all that it imports at once. */
      const whole = (name, found = new Set([name])) => {
        for (const { path, kind } of outputs[name].imports) {
          if (kind === "import-statement" && path in outputs && !found.has(path)) whole(path, found.add(path));
        }
        return found;
      };
      const names = Object.keys(outputs);
      const first = whole(names.find((name) => outputs[name].entryPoint === entry));
      const later = names.filter((name) => outputs[name].entryPoint && !first.has(name));
      assert.ok(later.length > 2);
      for (const name of later) assert.deepEqual([...whole(name)].filter((other) => other !== name && !first.has(other)), [], name);
    });
  }
});

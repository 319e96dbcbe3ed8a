// Components of Svelte in bundles of tests.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { compile } from "svelte/compiler";

/** A plugin of esbuild that compiles them for "client" or "server". Their warnings are failures. */
export const components = (generate) => ({
  name: "svelte",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js, warnings } = compile(await readFile(path, "utf8"), { generate, filename: path, runes: true });
      assert.deepEqual(warnings.map(({ code }) => code), []);
      return { contents: js.code };
    }),
});

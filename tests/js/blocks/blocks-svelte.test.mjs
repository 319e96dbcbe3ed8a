import { readFile } from "node:fs/promises";
import { after } from "node:test";
import { compile } from "svelte/compiler";
import { bundled } from "../bundle.mjs";
import { openPage } from "../page.mjs";

const svelte = {
  name: "svelte",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => ({
      contents: compile(await readFile(path, "utf8"), { generate: "client", filename: path, runes: true }).js.code,
    })),
};

after(openPage());
const { suite } = await bundled("blocks/blocks-svelte-scenarios.mjs", "blocks-svelte", { plugins: [svelte], conditions: ["browser", "svelte"] });
suite();

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { compile } from "svelte/compiler";
import { bundled } from "../bundle.mjs";
import { openPage } from "../page.mjs";

const components = (generate) => ({
  name: "svelte",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js, warnings } = compile(await readFile(path, "utf8"), { generate, filename: path, runes: true });
      assert.deepEqual(warnings.map(({ code }) => code), []);
      return { contents: js.code };
    }),
});

it("renders on a server", async () => {
  const { page } = await bundled("bindings/svelte-server.mjs", "svelte-server", { plugins: [components("server")] });
  const { body, sessions } = await page();
  assert.match(body, /idle\s+1:[\s\S]*welcome/);
  assert.equal(sessions, 0);
});

openPage();

const { suite } = await bundled("bindings/svelte-scenarios.mjs", "svelte", {
  plugins: [components("client")],
  conditions: ["browser", "svelte"],
});
suite();

import assert from "node:assert/strict";
import { it } from "node:test";
import { bundled } from "../bundle.mjs";
import { components } from "../components.mjs";
import { openPage } from "../page.mjs";

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

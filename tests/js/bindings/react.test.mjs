import { build } from "esbuild";
import assert from "node:assert/strict";
import { it } from "node:test";
import { bundled, names } from "../bundle.mjs";
import { openPage } from "../page.mjs";

const closePage = openPage();
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

for (const [major, alias] of [
  [18, { react: "react18", "react-dom": "react-dom18" }],
  [19, {}],
]) {
  const { suite } = await bundled("bindings/react-scenarios.mjs", `react${major}`, { alias });
  suite(major, closePage);
}

/** The modules that end up in a page that imports this. */
async function inputs(contents) {
  const { metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    external: ["react"],
    alias: names,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput ? name : []));
}

it("useAgentSelector alone brings no WebAssembly with it, useAgent does", async () => {
  const code = (name) => `import { ${name} } from "ag-ui-wasm/react"; console.log(${name})`;
  assert.ok(!(await inputs(code("useAgentSelector"))).some((name) => name.includes("glue/")));
  assert.ok((await inputs(code("useAgent"))).some((name) => name.endsWith("glue/bytes.js")));
});

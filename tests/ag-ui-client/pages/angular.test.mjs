// The Angular example, compiled beforehand as `ng build` does it: its template against the package's types, without the compiler in the page.
// The compiler asks for a newer Node than some that it runs with, so it is not a part of the workshop's own modules.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { at } from "../../../tools/paths.mjs";
import { install } from "../../packaging/consumer.mjs";
import { openBrowser } from "../../webdriver/client.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));
const engine = process.env.ENGINE ?? "chromium";
const skip = (engine !== "chromium" && "one engine is enough") ||
  !existsSync(join(here, "node_modules/@angular/compiler-cli")) && "npm ci --prefix tests/ag-ui-client/pages installs its modules";
const place = join(here, ".angular");
after(() => rmSync(place, { recursive: true, force: true }));

const compilerOptions = {
  ...{
    target: "ES2022",
    module: "ES2022",
    moduleResolution: "bundler",
    lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable", "ESNext.Disposable"],
    types: [],
  },
  ...{ strict: true, experimentalDecorators: true, useDefineForClassFields: false, noEmitOnError: true, outDir: "out", rootDir: "src" },
};

test("the Angular example is compiled beforehand with strict templates, and answers without the compiler", { skip }, async () => {
  const { folder } = await install({}, place);
  const source = readFileSync(at("examples/angular/src/main.ts"), "utf8").replace(/^import "(@angular\/compiler|\.\/style\.css)";\n/gm, "");
  mkdirSync(join(folder, "src"));
  const main = join(folder, "src/main.ts");
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, angularCompilerOptions: { strictTemplates: true }, files: [main] }));
  const ngc = () =>
    promisify(execFile)(process.execPath, [join(here, "node_modules/@angular/compiler-cli/bundles/src/bin/ngc.js"), "-p", folder], { cwd: folder });

  writeFileSync(main, source.replace("message.role", "message.rule"));
  await assert.rejects(ngc(), /Property 'rule' does not exist/, "a template is checked against the types of the binding");
  writeFileSync(main, source);
  await ngc();

  // Angular's libraries are published half compiled; the rest is done as the page is bundled.
  const [{ transformAsync }, { createEs2015LinkerPlugin }] = await Promise.all([
    import("@babel/core"),
    import(join(here, "node_modules/@angular/compiler-cli/bundles/linker/babel/index.js")),
  ]);
  const silent = { debug() {}, info() {}, warn() {}, error() {}, level: 3 };
  const linker = createEs2015LinkerPlugin({
    fileSystem: { resolve: join, exists: () => false, dirname: String, relative: String, readFile: () => "" },
    logger: silent,
    sourceMapping: false,
    linkerJitMode: false,
  });
  const linked = {
    name: "linker",
    setup: (/** @type {import("esbuild").PluginBuild} */ { onLoad }) =>
      onLoad({ filter: /@angular\/.*\.mjs$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        if (!text.includes("ɵɵngDeclare")) return { contents: text };
        return { contents: (await transformAsync(text, { filename: path, plugins: [linker], configFile: false, babelrc: false, compact: false }))?.code ?? "" };
      }),
  };
  await build({
    entryPoints: [join(folder, "out/main.js")],
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: join(folder, "dist"),
    minify: true,
    plugins: [linked],
    logLevel: "error",
  });

  const { agent } = await import(at("examples/angular/agent.js"));
  const page = '<!doctype html><title>Angular</title><link rel="icon" href="data:,"><app-root></app-root><script type="module" src="/main.js"></script>';
  const server = createServer(async (request, response) => {
    if (request.url === "/agent") return agent(request, response);
    const script = request.url !== "/";
    response.writeHead(200, { "content-type": script ? "text/javascript" : "text/html" }).end(
      script ? await readFile(join(folder, "dist", String(request.url))) : page,
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const browser = await openBrowser(engine);
  try {
    await browser.goto(`http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/`);
    await browser.fill("input", "the question");
    await browser.press("Enter");
    await browser.waitFor(() => document.body.innerText.includes("You said: the question"), { message: "the answer" });
    assert.deepEqual(await browser.consoleErrors(), []);
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
});

// `npm run site`: a static folder with the landing page, docs/, the API made from the types, a page for each code, the demo and a
// playground. It can be served from anywhere, below any path.
//
//   npm run site -- --base /ag-ui-wasm/ --out public        by default / and .tools/site/dist

import "./node-version.mjs";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { at, packageFolder } from "./paths.mjs";
import { isMain, main, run, step } from "./run.mjs";
import { ensureNodeModules } from "./setup.mjs";
import { codePages, landing } from "./site/pages.mjs";
import { recording } from "./site/recording.mjs";

const home = "tools/site";
const pages = at(".tools/site/pages");
const program = (/** @type {string} */ path) => at(home, "node_modules", path);

/**
 * Builds the site. Needs nothing but a clone.
 *
 * @param {{ base?: string, out?: string }} [options]  the path that it is served from, with slashes around it, and where it goes
 * @returns {Promise<string>} the folder
 */
export async function buildSite({ base = "/", out = at(".tools/site/dist") } = {}) {
  await build();
  await ensureNodeModules(home);
  rmSync(pages, { recursive: true, force: true });
  for (const file of readdirSync(at("docs"), { recursive: true, encoding: "utf8" })) {
    if (/\.(md|png)$/.test(file) && !file.startsWith("decisions")) copy(at("docs", file), file);
  }
  for (const file of ["CHANGELOG.md", "SECURITY.md"]) copy(at(file), file.toLowerCase());
  write("index.md", landing());
  for (const [file, text] of Object.entries(codePages())) write(file, text);
  write("playground.md", readFileSync(at(home, "playground.md"), "utf8"));
  cpSync(at(home, "config.mjs"), join(pages, ".vitepress/config.mjs"));
  for (const file of ["theme.js", "theme.css"]) cpSync(at(home, file), join(pages, ".vitepress/theme", file === "theme.js" ? "index.js" : file));
  cpSync(at(home, "live-chat.vue"), join(pages, ".vitepress/theme/live-chat.vue"));
  writeFileSync(join(pages, ".vitepress/theme/recording.js"), `export const recording = ${JSON.stringify(recording())};\n`);
  cpSync(at("www/public/icon.svg"), join(pages, "public/icon.svg"));
  cpSync(at(home, "playground.vue"), join(pages, ".vitepress/playground.vue"));
  // The pages import Vue, from where they stand.
  symlinkSync(at(home, "node_modules"), join(pages, "node_modules"), "junction");
  await step(
    "Making the API reference",
    () => run("node", [program("typedoc/bin/typedoc"), "--options", at(home, "typedoc.mjs"), "--out", join(pages, "api")], { log: "site-api", cwd: at(home) }),
  );
  await step(
    "Building the demo without a server",
    () =>
      run("node", [at("node_modules/vite/bin/vite.js"), "build", at("www"), "--mode", "site", "--logLevel", "warn", "--outDir", join(pages, "public/demo")], {
        log: "site-demo",
        cwd: at("www"),
      }),
  );
  await step(
    "Building the site",
    () =>
      run("node", [program("vitepress/bin/vitepress.js"), "build", pages, "--base", base, "--outDir", out], {
        log: "site",
        cwd: at(home),
        env: { AG_UI_WASM: packageFolder, SITE_BASE: base },
      }),
  );
  return out;
}

/** Docs link to each other as they do in the repository; what stands beside docs/ is on the same floor here. */
function copy(/** @type {string} */ from, /** @type {string} */ to) {
  if (!to.endsWith(".md")) return cpSync(from, join(pages, to));
  write(
    to,
    readFileSync(from, "utf8").replaceAll("../CHANGELOG.md", "changelog.md").replaceAll("../SECURITY.md", "security-policy.md").replaceAll("](docs/", "]("),
  );
}

function write(/** @type {string} */ name, /** @type {string} */ text) {
  const file = join(pages, name === "security.md" && text.startsWith("# Security policy") ? "security-policy.md" : name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { base: { type: "string" }, out: { type: "string" } } });
    const out = await buildSite({ ...(values.base && { base: values.base }), ...(values.out && { out: resolve(values.out) }) });
    console.log(`The site is in ${out}`);
  });
}

// `npm run release`: checks everything that a release needs, and publishes the package with provenance.
//
//   npm run release -- --dry-run       checks and lists, publishes nothing
//   npm run release -- --built         the package is built already

import "./node-version.mjs";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { at, packageFolder } from "./paths.mjs";
import { Failure, isMain, main } from "./run.mjs";

/** The largest tarball: what it was with the presets of servers, the examples and the guides, and 2%. In bytes. */
export const tarballLimit = 2_350_000;

/** The files that every release has, besides the modules. */
const needed = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE-MIT",
  "LICENSE-APACHE",
  "SECURITY.md",
  "THIRD-PARTY-LICENSES.txt",
  "index.js",
  "index.d.ts",
  "index.js.map",
  "core.wasm",
  "full.wasm",
  "ag-ui-wasm.min.js",
  "cli/index.js",
];

/** The files that no release has. */
const strange = /(^|\/)(\.|node_modules\/|tests?\/|js\/|src\/)|(?<!\.d)\.ts$|\.tsx$|\.tgz$|\.log$/;
/** Leftovers in the folder of an example, whose sources are published. */
const left = /(^|\/)(\.|node_modules\/|dist\/)|\.tgz$|\.log$/;

/**
 * @typedef {object} Release
 * @property {string} crate  the version of Cargo.toml
 * @property {string} lock  that of Cargo.lock
 * @property {Record<string, any>} manifest  package.json of the package
 * @property {string} repository  that of Cargo.toml
 * @property {string} changelog
 * @property {string[]} tags  of git, on the commit that is released
 * @property {boolean} clean  nothing is uncommitted
 * @property {{ path: string, size: number }[]} files
 * @property {number} size  of the tarball
 * @property {string[]} tooLarge  what exceeds tools/size-limits.json
 */

/**
 * The faults of a release. `pending` are things that are done last, and are no failure of a dry run.
 *
 * @param {Release} release
 * @returns {{ wrong: string[], pending: string[] }}
 */
export function problems({ crate, lock, manifest, repository, changelog, tags, clean, files, size, tooLarge }) {
  const { version } = manifest;
  const paths = files.map(({ path }) => path);
  const [, , state] = changelog.match(/^## (\S+) \((.+)\)$/m) ?? [];
  const newest = changelog.match(/^## (\S+)/m)?.[1];
  const named = Object.values({ bin: manifest.bin?.["ag-ui-wasm"], unpkg: manifest.unpkg, jsdelivr: manifest.jsdelivr, ...targets(manifest.exports ?? {}) });
  const lost = [...needed, ...named.map((path) => String(path).replace(/^\.\//, ""))].filter((path) => !paths.includes(path));
  return {
    wrong: [
      !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) && `package.json has the version ${version}: expected a semantic version`,
      crate !== version && `Cargo.toml has the version ${crate}, package.json ${version}: run npm run build`,
      lock !== crate && `Cargo.lock has the version ${lock}, Cargo.toml ${crate}: run cargo check`,
      newest !== version && `CHANGELOG.md begins with ${newest}: expected ${version}`,
      manifest.repository?.url !== `git+${repository}.git` && `package.json names the repository ${manifest.repository?.url}, Cargo.toml ${repository}`,
      ...["homepage", "bugs", "license", "description"].map((field) => !manifest[field] && `package.json has no ${field}`),
      manifest.private && "package.json is private",
      (manifest.dependencies || manifest.scripts) && "package.json has dependencies or scripts: the package has none",
      ...[...new Set(lost)].map((path) => `the tarball lacks ${path}`),
      ...paths.filter((path) => (path.startsWith("examples/") ? left : strange).test(path)).map((path) => `the tarball has ${path}`),
      size > tarballLimit && `the tarball has ${size} bytes: its limit is ${tarballLimit}`,
      ...tooLarge,
    ].filter((line) => typeof line === "string"),
    pending: [
      !/^\d{4}-\d\d-\d\d$/.test(state ?? "") && `CHANGELOG.md says "${state}" of ${newest}: expected the date of the release`,
      !clean && "git has changes that are not committed",
      !tags.includes(`v${version}`) && `the commit has no tag v${version}`,
    ].filter((line) => typeof line === "string"),
  };
}

/** The files that exports name. @param {Record<string, any>} exports @returns {Record<string, string>} */
function targets(exports) {
  return Object.fromEntries(
    Object.entries(exports).flatMap((
      [name, target],
    ) => (typeof target === "string" ? [[name, target]] : Object.entries(target).map(([kind, file]) => [`${name} ${kind}`, file]))),
  );
}

/** @returns {Promise<Release>} what the package and the repository have now */
export async function inspect() {
  const version = (/** @type {string} */ file, /** @type {RegExp} */ pattern) => readFileSync(at(file), "utf8").match(pattern)?.[1] ?? "";
  const { printSizes } = await import("./size.mjs");
  const { files, size } = pack();
  return {
    crate: version("Cargo.toml", /^version = "(.+)"$/m),
    lock: version("Cargo.lock", /^name = "ag-ui-wasm"\nversion = "(.+)"$/m),
    repository: version("Cargo.toml", /^repository = "(.+)"$/m),
    manifest: JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")),
    changelog: readFileSync(at("CHANGELOG.md"), "utf8"),
    tags: git("tag", "--points-at", "HEAD").split("\n"),
    clean: git("status", "--porcelain") === "",
    files,
    size,
    tooLarge: await printSizes(),
  };
}

/** The files that `npm pack` would take. @returns {{ files: { path: string, size: number }[], size: number }} */
function pack() {
  const [packed] = Object.values(JSON.parse(npm("pack", "--dry-run", "--json")));
  return packed;
}

/** @param {string[]} args */
const npm = (...args) =>
  execFileSync("npm", args, {
    cwd: packageFolder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26,
    shell: process.platform === "win32",
  });

/** @param {string[]} args */
function git(...args) {
  try {
    return execFileSync("git", args, { cwd: at(), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "unknown";
  }
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false }, built: { type: "boolean", default: false } } });
    const dry = values["dry-run"];
    if (!values.built) {
      const { build } = await import("./build.mjs");
      await build();
    }
    if (!existsSync(join(packageFolder, "package.json"))) throw new Failure("There is no package: run npm run build.");
    const release = await inspect();
    const { wrong, pending } = problems(release);
    for (const { path, size } of release.files) console.log(`${String(size).padStart(9)}  ${path}`);
    console.log(`${release.files.length} files, ${release.size} bytes packed (at most ${tarballLimit})`);
    const failures = dry ? wrong : [...wrong, ...pending];
    if (failures.length > 0) throw new Failure(`ag-ui-wasm ${release.manifest.version} cannot be released:\n${failures.map((line) => `- ${line}`).join("\n")}`);
    for (const line of pending) console.log(`before the release: ${line}`);
    const args = ["publish", "--provenance", "--access", "public"];
    if (dry) console.log(`dry run: npm ${args.join(" ")}`);
    else execFileSync("npm", args, { cwd: packageFolder, stdio: "inherit", shell: process.platform === "win32" });
  });
}

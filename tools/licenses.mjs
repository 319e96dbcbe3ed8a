// The licenses of all that the WebAssembly modules are made of: the crates that they depend on, with the texts that stand beside
// their sources in cargo's registry, and Rust's standard library. A license that is not on the list stops the build.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { at } from "./paths.mjs";
import { Failure, run } from "./run.mjs";

/** Licenses that ask for no more than their notice. The first that a crate offers is taken. */
const ALLOWED = ["MIT", "Zlib", "Unicode-3.0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"];

/** @typedef {{ name: string, version: string, license: string | null, manifest_path: string, id: string }} Package */
/** @typedef {{ id: string, deps: { pkg: string, dep_kinds: { kind: string | null }[] }[] }} Node */

/** The text that the package has as THIRD-PARTY-LICENSES.txt. */
export async function licenses() {
  /** @type {Map<string, string[]>} crates by the text of their license */
  const crates = new Map();
  for (const crate of await dependencies()) {
    const terms = chosen(crate.license, crate.name);
    const title = `${crate.name} ${crate.version} (${terms.join(" AND ")})`;
    const text = texts(crate, terms);
    crates.set(text, [...(crates.get(text) ?? []), title]);
  }
  const parts = [...crates].map(([text, names]) => `${names.join("\n")}\n\n${text}`);
  const head = "core.wasm and full.wasm contain code of these crates, or code that these crates have generated, under these terms.";
  return [head, ...parts, readFileSync(at("tools/licenses/rust.txt"), "utf8").trim()].join(`\n\n${"-".repeat(80)}\n\n`) + "\n";
}

/** @returns {Promise<Package[]>} what the modules depend on, macros included, in the order of their names */
export async function dependencies() {
  const args = ["metadata", "--locked", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown"];
  const output = await run("cargo", args, { log: "build-licenses" });
  const { packages, resolve } = JSON.parse(output.slice(output.indexOf('{"packages"')));
  /** @type {Map<string, Node>} */
  const nodes = new Map(resolve.nodes.map((/** @type {Node} */ node) => [node.id, node]));
  const found = new Set([resolve.root]);
  for (const id of found) {
    for (const { pkg, dep_kinds } of nodes.get(id)?.deps ?? []) {
      if (dep_kinds.some(({ kind }) => kind === null)) found.add(pkg);
    }
  }
  found.delete(resolve.root);
  return packages.filter((/** @type {Package} */ { id }) => found.has(id)).sort((
    /** @type {Package} */ a,
    /** @type {Package} */ b,
  ) => (a.name < b.name ? -1 : 1));
}

/**
 * The licenses that are taken of those that an SPDX expression offers.
 *
 * @param {string | null} expression @param {string} crate
 * @returns {string[]}
 */
export function chosen(expression, crate) {
  // Old manifests have a slash for OR. None has parentheses within parentheses.
  const factors = (expression ?? "").replaceAll("/", " OR ").split(/ AND (?![^(]*\))/);
  return factors.map((factor) => {
    const offered = factor.replace(/^\((.*)\)$/, "$1").split(" OR ").map((name) => name.trim());
    const license = ALLOWED.find((name) => offered.includes(name));
    if (license) return license;
    throw new Failure(`${crate} has the license "${expression}", which is not on the list of tools/licenses.mjs.`);
  });
}

/**
 * @param {Package} crate @param {string[]} terms
 * @returns {string}
 */
function texts({ name, manifest_path }, terms) {
  const folder = dirname(manifest_path);
  const files = readdirSync(folder).filter((file) => /^(LICEN[CS]E|COPYING|UNLICENSE|NOTICE)/i.test(file));
  const suffix = /** @type {Record<string, RegExp>} */ ({ MIT: /mit/i, "Apache-2.0": /apache/i, "Unicode-3.0": /unicode/i, Zlib: /zlib/i });
  const found = terms.map((term) => {
    const own = files.find((file) => suffix[term]?.test(file)) ?? files.find((file) => /^LICEN[CS]E(\.\w+)?$/i.test(file));
    if (own) return own;
    throw new Failure(`${name} has no file with the text of ${term}: ${folder}`);
  });
  const notices = files.filter((file) => /^NOTICE/i.test(file));
  return [...new Set([...found, ...notices])].map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()).join("\n\n");
}

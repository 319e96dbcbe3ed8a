// The documents that are published with the package: the README, its pages and its picture, and the examples.

import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { at } from "./paths.mjs";

/** They measure or explain the repository. */
const ofTheRepository = ["performance.md"];

const files = (/** @type {string} */ folder, /** @type {RegExp} */ names) =>
  readdirSync(at(folder)).filter((name) => names.test(name) && !ofTheRepository.includes(name)).map((name) => `${folder}/${name}`);

/** Decisions are for those who change the code. */
const folders = readdirSync(at("docs"), { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "decisions").map(({ name }) =>
  `docs/${name}`
);

/** The README, and the pages that it leads to. */
export const pages = ["README.md", ...["docs", ...folders].flatMap((folder) => files(folder, /\.md$/))];

/** The files that `npx ag-ui-wasm new` copies. */
const examples = readdirSync(at("examples"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/node_modules|\.next|\.svelte-kit|[\\/]dist([\\/]|$)|__pycache__/.test(entry.parentPath) && !entry.name.startsWith("."))
  .map((entry) => relative(at(), join(entry.parentPath, entry.name)).replaceAll("\\", "/"));

export const documents = [...pages, ...files("docs", /\.png$/), "LICENSE-MIT", "LICENSE-APACHE", "SECURITY.md", "CHANGELOG.md", ...examples];

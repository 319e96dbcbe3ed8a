// Names and links in the documents exist.
//
//   node --test tests/readme/links.test.mjs       needs a built package

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { packageFolder, root } from "../packaging/consumer.mjs";
import { documents, read } from "./documents.mjs";

test("every file and folder that CONTRIBUTING names is there", () => {
  const text = read("CONTRIBUTING.md").replaceAll(/^```.*?^```$/gms, "");
  const names = [...text.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] ?? "").filter((name) => /^(\.?\w[\w-]*\/|[\w-]+\.\w+$)/.test(name));
  // A file may be named by its end; what git ignores need not be there.
  const ends = ["mod.rs", "glue/bytes.js", "index.json", "package.json", "allowed-differences.json"];
  const made = read(".gitignore");
  // An entry of the package looks like a file.
  const missing = names.filter((name) =>
    !name.startsWith("ag-ui-wasm/") && !ends.includes(name) && !made.includes(name.split("/")[0] ?? "") && !existsSync(join(root, name))
  );
  assert.deepEqual(missing, []);
  assert.ok(names.length > 30, `${names.length} names`);
});

test("the package has these documents, and what they link to", () => {
  for (const name of documents) {
    const text = read(name);
    assert.equal(readFileSync(join(packageFolder, name), "utf8"), text, name);
    const prose = text.replaceAll(/^```.*?^```$/gms, "");
    const links = [...prose.matchAll(/\]\(([^)]*)\)|(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? match[2] ?? "");
    const files = links.filter((link) => !/^(https?:|#)/.test(link)).map((link) => join(dirname(name), link.replace(/#.*/, "")));
    assert.deepEqual(files.filter((file) => !existsSync(join(packageFolder, file))), [], name);
  }
});

test("every heading that a link names is there", () => {
  const headings = (/** @type {string} */ name) =>
    [...read(name).replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)].map(({ 1: text = "" }) =>
      text.toLowerCase().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    );
  for (const name of documents) {
    const prose = read(name).replaceAll(/^```.*?^```$/gms, "");
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#]*)#([^)]*)\)/g)];
    const missing = links.filter(([, file, heading = ""]) => !headings(file ? join(dirname(name), file) : name).includes(heading));
    assert.deepEqual(missing.map(([link]) => link), [], name);
  }
});

test("the README is short, and leads to every page", () => {
  const readme = read("README.md");
  assert.ok(readme.split("\n").length <= 200);
  const pages = documents.filter((name) => /^docs\/[^/]*$/.test(name));
  assert.deepEqual(pages.filter((name) => !readme.includes(`](${name})`)), []);
});

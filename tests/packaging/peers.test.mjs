// Libraries beside the package: an entry needs its own and no other. One that is missing, or of another major version, is named.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build } from "esbuild";
import { install, packageFolder } from "./consumer.mjs";

const { exports, peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));

/** The peers that an entry imports, by the end of its name. The AI SDK's and A2UI's are types alone. @param {string} entry */
function peersOf(entry) {
  if (entry === "./ag-ui-client") return ["rxjs", "@ag-ui/core"];
  if (entry === "./assistant-ui") return ["@assistant-ui/react", "react"];
  // An attachment of Svelte is a function.
  if (entry === "./blocks/svelte") return [];
  const framework = /(?:^|\/)(react|svelte|vue|angular)$/.exec(entry)?.[1];
  return framework ? [framework === "angular" ? "@angular/core" : framework] : [];
}

const entries = Object.keys(exports).filter((entry) => !/\.(wasm|json)$/.test(entry));
const nameOf = (/** @type {string} */ entry) => `ag-ui-wasm${entry.slice(1)}`;

describe("peers", () => {
  /** @type {import("./consumer.mjs").Consumer} */
  let consumer;
  before(async () => {
    consumer = await install();
  });
  after(() => consumer?.remove());

  /** Puts a module without exports in place of a peer, of that version. @param {string} peer @param {string} version */
  function place(peer, version) {
    consumer.write(
      `node_modules/${peer}/package.json`,
      JSON.stringify({ name: peer, version, type: "module", exports: { ".": "./index.js", "./*": "./index.js" } }),
    );
    consumer.write(`node_modules/${peer}/index.js`, "export {};");
  }

  /** Node's error when it imports the entry; nothing where there is none. @param {string} entry */
  async function complaint(entry) {
    const script = consumer.write(
      "peer.mjs",
      `await import(${
        JSON.stringify(nameOf(entry))
      }).then(() => console.log(""), (error) => console.log(error.code ?? error.name, error.message.replaceAll("\\n", " ")));`,
    );
    return consumer.node(script);
  }

  test("each library that an entry imports is a peer, and optional", () => {
    const used = new Set(entries.flatMap(peersOf));
    assert.deepEqual([...used, "ai"].sort(), Object.keys(peerDependencies).sort());
    assert.ok(Object.keys(peerDependencies).every((peer) => peerDependenciesMeta[peer].optional));
  });

  for (const entry of entries.filter((entry) => !/worker-/.test(entry))) {
    const peers = peersOf(entry);
    test(`${nameOf(entry)} ${peers.length ? `names ${peers.join(" or ")} where it is missing, or has not what it needs` : "needs none"}`, async () => {
      if (!peers.length) return assert.equal(await complaint(entry), "");
      const named = new RegExp(peers.map((peer) => `'${peer}(/\\w+)?'`).join("|"));
      const missing = await complaint(entry);
      assert.match(missing, /^ERR_MODULE_NOT_FOUND Cannot find package/);
      assert.match(missing, named);
      // Bundlers stop, and name it as well.
      await assert.rejects(
        build({
          stdin: { contents: `import * as all from ${JSON.stringify(nameOf(entry))}; console.log(all)`, resolveDir: consumer.folder },
          bundle: true,
          write: false,
          format: "esm",
          logLevel: "silent",
        }),
        (/** @type {any} */ { errors }) => errors.every((/** @type {any} */ { text }) => peers.some((peer) => text.startsWith(`Could not resolve "${peer}`))),
      );
      try {
        for (const peer of peers) place(peer, "0.0.1");
        const other = await complaint(entry);
        assert.match(other, named);
        assert.match(other, /^SyntaxError .*does not provide an export named/);
      } finally {
        for (const peer of peers) rmSync(join(consumer.folder, "node_modules", peer), { recursive: true, force: true });
      }
    });
  }
});

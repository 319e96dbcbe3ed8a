// The recordings of tests/fixtures/corpus.

import { readFileSync, readdirSync } from "node:fs";

const folder = new URL("../fixtures/corpus/", import.meta.url);

/**
 * @typedef {object} Fixture
 * @property {string} name  `<server>/<name>`
 * @property {Uint8Array} body
 * @property {number} status
 * @property {string} contentType
 * @property {boolean} cut  the connection broke after the last byte
 * @property {Record<string, any>} request  `{}` where the request was not JSON
 * @property {Record<string, any>} expected
 */

/** @returns {Generator<Fixture>} */
export function* fixtures() {
  for (const server of readdirSync(folder).sort()) {
    const read = (/** @type {string} */ file) => readFileSync(new URL(`${server}/${file}`, folder));
    for (const [name, entry] of Object.entries(JSON.parse(read("index.json").toString()))) {
      yield {
        name: `${server}/${name}`,
        body: new Uint8Array(read(entry.file)),
        status: entry.status,
        contentType: entry.contentType ?? "",
        cut: entry.cut ?? false,
        request: parse(read(`${name}.request.json`).toString()),
        expected: JSON.parse(read(`${name}.expected.json`).toString()),
      };
    }
  }
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

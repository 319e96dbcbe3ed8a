// The documents that are published, and their blocks of code.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "../../tools/documents.mjs";
import { root } from "../packaging/consumer.mjs";

/** @typedef {{ language: string, code: string }} Block */

/** @param {string[]} path @returns {string} */
export const read = (...path) => readFileSync(join(root, ...path), "utf8");

/** The README, and what it leads to. */
export const documents = pages;

/** @param {string} name @returns {Block[]} */
export const blocks = (name) => [...read(name).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: code = "" }) => ({ language, code }));

/** The part of a document under a heading. @param {string} name @param {string} heading */
export const section = (name, heading) => read(name).split(/^##? /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";

// The rules of docs/rules.md as a table for the inspector, so that their text stands once.

import { readFileSync } from "node:fs";
import { at } from "./paths.mjs";

/** @typedef {{ tags: string[], codes: string[], asks: string, becomes: string }} Rule */

/** Headings of the columns, and what they are to a rule. */
const columns = /** @type {const} */ ({
  asks: ["what it asks for", "what was odd", "what is wrong"],
  becomes: ["tolerant", "how it is handled", "what happens"],
});

/** @returns {Rule[]} the rows that have a rule or a code */
export function rules(text = readFileSync(at("docs/rules.md"), "utf8")) {
  return tables(text).flatMap(([head = [], , ...rows]) => {
    const column = (/** @type {readonly string[]} */ names) => head.findIndex((name) => names.includes(name));
    const [rule, code, asks, becomes, strict] = [column(["rule"]), column(["code"]), column(columns.asks), column(columns.becomes), column(["strict"])];
    if (code < 0 || asks < 0) return [];
    return rows.map((cells) => ({
      tags: rule < 0 ? [] : tagsOf(cells[rule] ?? ""),
      codes: [...(cells[code] ?? "").matchAll(/`([\w-]+)`/g)].map((match) => match[1] ?? ""),
      asks: plain(cells[asks] ?? ""),
      becomes: plain((cells[becomes] === "the same" ? cells[strict] : cells[becomes]) ?? ""),
    })).filter(({ tags, codes }) => tags.length > 0 || codes.length > 0);
  });
}

/** The module that the package has of them. */
export const rulesModule = () => `export const rules = ${JSON.stringify(rules())};\n`;

/** Each table as lists of cells. @param {string} text */
function tables(text) {
  return text.split(/\n(?!\|)/).flatMap((part) => {
    const lines = part.split("\n").filter((line) => line.startsWith("|"));
    return lines.length > 2 ? [lines.map((line) => line.slice(1, line.lastIndexOf("|")).split("|").map((cell) => cell.trim()))] : [];
  });
}

/** `V6–V8` stands for three. @param {string} cell */
function tagsOf(cell) {
  return cell.split(",").flatMap((part) => {
    const [, letter = "", first, last = first] = /^\s*([A-Z])(\d+)(?:–[A-Z]?(\d+))?\s*$/.exec(part) ?? [];
    return first === undefined ? [] : Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${letter}${Number(first) + i}`);
  });
}

/** Markdown as plain text. @param {string} text */
const plain = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "").trim();

// The rules of docs/rules.md, one by one.

import { readFileSync } from "node:fs";

const text = readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8");

/** `V6–V8` are three. @param {string} cell @returns {string[]} */
const tags = (cell) =>
  cell.split(", ").flatMap((part) => {
    const [, letter, first, last = first] = /^([A-Z])(\d+)(?:–[A-Z](\d+))?$/.exec(part) ?? [];
    return letter ? Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${letter}${Number(first) + at}`) : [];
  });

/** Each rule with each of its codes, as "V11 not-open"; codes of no rule alone; rules without a code alone. */
export const rules = text
  .split(/\n\n+/)
  .filter((block) => block.startsWith("|"))
  .flatMap((block) => {
    const [head = [], , ...rows] = block.split("\n").map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
    const [rule, code] = [head.indexOf("rule"), head.indexOf("code")];
    return rows.flatMap((cells) => {
      const codes = [...((cells[code] ?? "").matchAll(/`([\w-]+)`/g))].map((match) => match[1]);
      const found = tags(cells[rule] ?? "");
      if (found.length === 0) return codes;
      return found.flatMap((tag) => (codes.length > 0 ? codes.map((code) => `${tag} ${code}`) : [tag]));
    });
  });

// The pages of the site that are not in docs/: the landing page, and one for each code of an error or a warning.

import { readFileSync } from "node:fs";
import { at } from "../paths.mjs";

const read = (/** @type {string} */ name) => readFileSync(at(name), "utf8");
const cells = (/** @type {string} */ row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());

/** The figures of the first page: the row of docs/performance.md, which neighbor of it, and what a visitor calls it. */
const chosen = [
  ["20,000 deltas, empty thread, 1 a read", "@ag-ui/client", "An answer of 20,000 tokens"],
  ["the same, 500 messages", "@ag-ui/client", "One token in a thread of 500 messages"],
  [
    "an answer in Markdown, 20,000 deltas at 2,000/s, 500 messages, React: the main thread is busy",
    "AI SDK",
    "An answer in Markdown, laid out and painted by React",
  ],
  ["a burst of 2,000 deltas in one read: done in", "AI SDK", "A burst of 2,000 tokens"],
];

/** A few figures, all in one direction. Never typed by hand: docs/performance.md has them from a measurement. */
function figures() {
  const [, table = ""] = /<!-- figures -->([^]*?)<!-- \/figures -->/.exec(read("docs/performance.md")) ?? [];
  const rows = table.split("\n").filter((line) => /^\| \d+ \|/.test(line)).map(cells);
  return [
    ...["| work | ag-ui-wasm | beside it | times faster |", "| --- | ---: | ---: | ---: |"],
    ...chosen.map(([work, neighbor, title]) => {
      const [, , ours, all = "", ratio = ""] = rows.find((row) => row[1] === work && row[3]?.includes(`${neighbor} `)) ?? [];
      const theirs = all.split(", ").find((one) => one.startsWith(`${neighbor} `));
      const times = Number(/^[\d.,]+/.exec(ratio)?.[0].replaceAll(",", ""));
      if (!theirs || !(times > 1)) throw new Error(`docs/performance.md has no figure for "${work}" beside ${neighbor}`);
      return `| ${title} | ${ours} | ${theirs} | ${times >= 10 ? Math.round(times).toLocaleString("en") : times.toFixed(1)} |`;
    }),
  ].join("\n");
}

export function landing() {
  const promises = [...read("README.md").matchAll(/^- \*\*(.+?)\*\*: ([^]*?)(?=\n- |\n\n)/gm)].map(([, title, details = ""]) => ({
    title,
    details: `${details[0]?.toUpperCase()}${details.slice(1)}`.replaceAll(/\s+/g, " ").replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/[`"]/g, ""),
  }));
  return `---
layout: home
hero:
  name: ag-ui-wasm
  text: The agent streams. Your page stays smooth.
  tagline: A browser client for agents that speak AG-UI. A Rust core in WebAssembly, one immutable snapshot, bindings for React, Svelte, Vue and Angular.
  actions:
    - { theme: brand, text: Get started, link: /tutorial }
    - { theme: alt, text: Live demo, link: ./demo/index.html, target: _self }
    - { theme: alt, text: Playground, link: /playground }
features:
${promises.map(({ title, details }) => `  - { title: ${JSON.stringify(title)}, details: ${JSON.stringify(details)} }`).join("\n")}
---

## Beside its neighbors

${figures()}

[All measurements](performance.md), also those that a neighbor wins, and [what each does better](comparison.md).
`;
}

/** The codes of a row, by page. A row of errors.md has other words as well, so it counts for codes that are known by then. */
const codesOf = {
  "guides/troubleshooting": (/** @type {string} */ row) =>
    [...(cells(row)[0] ?? "").matchAll(/(?:^|warning |code |, )(`[^`]*`)/g)].map(([, code]) => code).join(),
  rules: (/** @type {string} */ row) => cells(row)[2] ?? "",
  errors: (/** @type {string} */ row) => row,
};

/** By file name: a page for each code, with every row of the docs that has it. @returns {Record<string, string>} */
export function codePages() {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const [page, codes] of Object.entries(codesOf)) {
    const folder = page.replace(/[^/]+$/, "");
    /** @type {string[]} */
    let head = [];
    for (const line of read(`docs/${page}.md`).split("\n")) {
      if (!line.startsWith("|")) head = [];
      else if (head.length < 2) head.push(line);
      else {
        for (const [, code = ""] of codes(line).matchAll(/`([a-z][a-z0-9]*(?:-[a-z]+)*)`/g)) {
          if (page === "errors" && !found.has(code)) continue;
          const table = [...head, line].join("\n").replaceAll(/\]\((?!http|\.\.)([^)]+)\)/g, `](../${folder}$1)`);
          found.set(code, (found.get(code) ?? new Set()).add(`From [${page.slice(folder.length)}](../${page}.md):\n\n${table}\n`));
        }
      }
    }
  }
  return Object.fromEntries([...found].map(([code, tables]) => [`codes/${code}.md`, `# \`${code}\`\n\n${[...tables].join("\n")}`]));
}

// The table: one line a figure, on the terminal and in Markdown.

/**
 * @typedef {object} Line
 * @property {number} row  in the list of targets, docs/performance.md
 * @property {string} work
 * @property {string} ours
 * @property {string} other  the best neighbor, or the floor, with its name
 * @property {string} ratio
 * @property {string} target
 * @property {boolean | undefined} met  undefined: there is nothing to be met
 * @property {unknown} [data]  what the line was made of
 */

const head = ["", "work", "ours", "best neighbor or floor", "ratio", "target", "met"];

/** @param {Line} line */
const cells = ({ row, work, ours, other, ratio, target, met }) => [String(row), work, ours, other, ratio, target, met === undefined ? "" : met ? "yes" : "no"];

/** @param {readonly Line[]} lines */
export function text(lines) {
  const rows = [head, ...lines.map(cells)];
  const widths = head.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const print = (/** @type {string[]} */ row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd();
  return [print(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.slice(1).map(print)].join("\n");
}

/** @param {readonly Line[]} lines */
export function markdown(lines) {
  const rows = [head, head.map((_, at) => (at < 2 ? "---" : at === 6 ? ":---:" : "---:")), ...lines.map(cells)];
  return rows.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

/** @param {number} value @param {number} [digits]  that count */
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  const whole = value >= 10 ** (digits - 1);
  return whole ? Math.round(value).toLocaleString("en") : value.toFixed(Math.max(0, digits - 1 - Math.max(0, Math.floor(Math.log10(Math.max(value, 0.001))))));
}

/** @param {number} ms */
export const time = (ms) => (ms >= 1000 ? `${number(ms / 1000)} s` : ms >= 1 ? `${number(ms)} ms` : `${number(ms * 1000)} µs`);

/** @param {import("./measure.mjs").Measured} measured @param {(value: number) => string} [show] */
export const spread = ({ median, low, high }, show = (value) => number(value)) => `${show(median)} (${show(low)}–${show(high)})`;

/** @param {number} bytes */
export const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

// A verdict as text for people, as JSON and as JUnit.

import { asksOf } from "./rules.js";
import type { FramingReport, Official, Timing, Verdict, Violation } from "./verdict.js";

export function toText({ report, unjudged, notes }: Verdict): string {
  const { url, violations, timing, framing, official } = report;
  const heading = unjudged !== undefined ? `✗ could not be judged: ${unjudged}` : violations.length > 0 ? `✗ ${counted(violations.length, "violation")}` : "✓ no violation";
  return [
    url,
    heading,
    ...violations.map(violationText),
    ...notes.map((note) => `  ${note}`),
    "",
    ...(framing.status === null ? [] : [`timing    ${timingText(timing)}`, `framing   ${framingText(framing)}`, ...framing.hints.map((hint) => `          ${hint}`)]),
    ...(official && framing.status !== null ? [`official  ${officialText(official)}`] : []),
    "",
  ].join("\n");
}

function violationText({ rule, code, eventType, offset, expected, turn }: Violation): string {
  const where = [`turn ${turn}`, offset !== null && `byte ${offset}`].filter(Boolean).join(", ");
  const asks = asksOf(rule, code);
  return [`  ${where}: ${[rule, code, eventType].filter(Boolean).join("  ")}`, `    ${expected}`, ...(asks ? [`    ${rule ?? code}: ${asks}`] : [])].join("\n");
}

function timingText({ firstEventMs, firstTokenMs, longestGapMs, totalMs }: Timing): string {
  const times = { "first event": firstEventMs, "first token": firstTokenMs, "longest gap": longestGapMs, total: totalMs };
  return Object.entries(times)
    .filter(([, ms]) => ms !== null)
    .map(([name, ms]) => `${name} ${ms} ms`)
    .join(", ");
}

function framingText({ status, contentType, frames, bytes, reads, lineEnds, flush, comments, compression }: FramingReport): string {
  return [
    `${status} ${contentType ?? "without a content type"}`,
    counted(frames, "frame"),
    counted(bytes, "byte"),
    counted(reads, "read"),
    lineEnds && lineEnds.toUpperCase(),
    flush === "at-once" ? "at once" : flush,
    comments > 0 && counted(comments, "comment"),
    compression,
  ]
    .filter(Boolean)
    .join(", ");
}

function officialText({ client, by, fails, turn, offset, rule, message }: Official): string {
  const name = by === "client" ? client : `${client} (by the strict rules of this package)`;
  if (!fails) return `${name} reads it`;
  const where = [turn !== null && `turn ${turn}`, offset !== null && `byte ${offset}`, rule].filter(Boolean).join(", ");
  return `${name} fails${where && ` at ${where}`}: ${message}`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

export function toJson({ report }: Verdict): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** A test case for the server, and one for each violation. */
export function toJunit({ report, unjudged }: Verdict): string {
  const { url, violations, timing } = report;
  const seconds = timing.totalMs / 1000;
  const cases = [
    `<testcase classname="ag-ui" name="${xml(url)} is judged" time="${seconds}">${unjudged === undefined ? "" : `<error message="${xml(unjudged)}"/>`}</testcase>`,
    ...violations.map((violation) => {
      const { rule, code, eventType, offset, turn, expected } = violation;
      const name = [rule, code, eventType].filter(Boolean).join(" ");
      const where = `turn ${turn}${offset === null ? "" : `, byte ${offset}`}`;
      return `<testcase classname="ag-ui" name="${xml(`${name} (${where})`)}"><failure message="${xml(expected)}" type="${xml(code)}"/></testcase>`;
    }),
  ];
  const errors = unjudged === undefined ? 0 : 1;
  const suite = `<testsuite name="ag-ui-wasm check" tests="${cases.length}" failures="${violations.length}" errors="${errors}" time="${seconds}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suite}\n${cases.join("\n")}\n</testsuite>\n</testsuites>\n`;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;" };

/** Without the characters that XML does not have. */
function xml(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, "\ufffd").replace(/[&<>"\n]/g, (character) => escapes[character]!);
}

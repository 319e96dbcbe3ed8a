// A verdict as text for people, as JSON, as JUnit and as SARIF.

import { asksOf } from "./rules.js";
import type { FramingReport, Official, Timing, Verdict, Violation } from "./verdict.js";

/** The name and version of the package. */
export interface Program {
  readonly version: string;
  readonly homepage: string;
}

export function toText({ report, unjudged, notes }: Verdict): string {
  const { url, violations, timing, framing, official } = report;
  const heading = unjudged !== undefined
    ? `✗ could not be judged: ${unjudged}`
    : violations.length > 0
    ? `✗ ${counted(violations.length, "violation")}`
    : "✓ no violation";
  const answered = framing.status !== null;
  return [
    url,
    heading,
    ...grouped(violations).map(groupText),
    ...notes.map((note) => `  ${note}`),
    "",
    ...(answered && timing.firstEventMs !== null ? [`timing    ${timingText(timing)}`] : []),
    ...(answered ? [`framing   ${framingText(framing)}`, ...framing.hints.map((hint) => `          ${hint}`)] : []),
    ...(official && answered ? [`official  ${officialText(official)}`] : []),
    "",
  ].join("\n");
}

/** Violations of one rule by one type of event are said once, where the first one is. */
function grouped(violations: readonly Violation[]): Violation[][] {
  const groups = new Map<string, Violation[]>();
  for (const violation of violations) {
    const name = [violation.rule, violation.code, violation.eventType].join(" ");
    const group = groups.get(name);
    if (group) group.push(violation);
    else groups.set(name, [violation]);
  }
  return [...groups.values()];
}

function groupText(group: readonly Violation[]): string {
  const [{ rule, code, eventType, expected }, last] = [group[0]!, group[group.length - 1]!];
  const asks = asksOf(rule, code);
  const more = group.length > 1 && `    and ${group.length - 1} more, the last at ${placeOf(last)}`;
  return [
    `  ${placeOf(group[0]!)}: ${[rule, code, eventType].filter(Boolean).join("  ")}`,
    `    ${expected}`,
    asks && `    ${rule ?? code}: ${asks}`,
    more,
  ]
    .filter(Boolean)
    .join("\n");
}

function placeOf({ turn, offset, line }: Violation): string {
  return [line !== undefined && `line ${line}`, `turn ${turn}`, offset !== null && `byte ${offset}`].filter(Boolean).join(", ");
}

function timingText({ turns, totalMs, ...times }: Timing): string {
  const names = { firstEventMs: "first event", firstTokenMs: "first token", longestGapMs: "longest gap" } as const;
  const parts = (Object.keys(names) as (keyof typeof names)[]).map((name) => {
    const ms = times[name];
    const of = turns.length > 1 && turns.find((turn) => turn[name] === ms);
    return ms !== null && `${names[name]} ${ms} ms${of ? ` (turn ${of.turn})` : ""}`;
  });
  return [...parts, `total ${totalMs} ms`].filter(Boolean).join(", ");
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
    `<testcase classname="ag-ui" name="${xml(url)} is judged" time="${seconds}">${
      unjudged === undefined ? "" : `<error message="${xml(unjudged)}"/>`
    }</testcase>`,
    ...violations.map((violation) => {
      const { rule, code, eventType, expected } = violation;
      const name = [rule, code, eventType].filter(Boolean).join(" ");
      return `<testcase classname="ag-ui" name="${xml(`${name} (${placeOf(violation)})`)}"><failure message="${xml(expected)}" type="${
        xml(code)
      }"/></testcase>`;
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

/** SARIF 2.1.0: a result for each violation. A place in a file is its line, a place in a response its byte. */
export function toSarif({ report, unjudged }: Verdict, { version, homepage }: Program): string {
  const { url, violations } = report;
  const ids = [...new Set(violations.map(({ rule, code }) => rule ?? code))];
  const page = homepage.replace(/#.*/, "");
  const rules = ids.map((id) => {
    const { rule, code } = violations.find((violation) => (violation.rule ?? violation.code) === id)!;
    return { id, shortDescription: { text: asksOf(rule, code) ?? id }, helpUri: `${page}/blob/main/docs/rules.md` };
  });
  const results = violations.map((violation) => {
    const { rule, code, expected, line, offset, turn } = violation;
    const region = line === undefined ? offset !== null && { byteOffset: offset } : { startLine: line };
    return {
      ruleId: rule ?? code,
      ruleIndex: ids.indexOf(rule ?? code),
      level: "error",
      message: { text: `${code}: ${expected} (${placeOf(violation)})` },
      locations: [{
        physicalLocation: { artifactLocation: { uri: encodeURI(url) }, ...(region && { region }) },
        logicalLocations: [{ fullyQualifiedName: `turn ${turn}` }],
      }],
    };
  });
  const failed = unjudged !== undefined && { toolExecutionNotifications: [{ level: "error", message: { text: unjudged } }] };
  const run = {
    tool: { driver: { name: "ag-ui-wasm check", version, informationUri: page, rules } },
    invocations: [{ executionSuccessful: unjudged === undefined, ...failed }],
    results,
  };
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

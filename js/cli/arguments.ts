// Parses the command line.

import { parseArgs } from "node:util";
import type { AgentOptions } from "../api/types.js";
import type { NewCommand } from "./new.js";
import type { ReplayOptions } from "./replay.js";

export const usage = `Usage: ag-ui-wasm check URL [options]      judge an AG-UI server
       ag-ui-wasm check FILE [options]     judge a recording, or a saved response; "-" reads it from standard input
       ag-ui-wasm replay FILE [options]    serve a recording as an AG-UI server
       ag-ui-wasm new EXAMPLE FOLDER       copy an example; without arguments, list them

check
  --prompt TEXT            what the user says (default: "Hello")
  --script FILE            turns with messages, tools, state, stop and resume (JSON, see docs/check.md)
  --header "NAME: VALUE"   a header of the requests; may be repeated, is never recorded
  --dialect NAME           agent-os, chio, hector, ngaf or open-search
  --binary                 ask for the binary framing
  --timeout SECONDS        for each turn (default: 60)
  --record FILE            write what was answered (JSON Lines)
  --json, --junit, --sarif print that instead of text
  A FILE takes --dialect and these.

replay
  --port NUMBER            default: any free one
  --speed NUMBER           how many times as fast; 0: at once (default: 1)
  --cut NUMBER[bytes|events]   end each answer there
  --fault KIND             drop, split, crlf, status=CODE or delay=MS; may be repeated

  --help, --version

Exit status of check: 0 no violation, 1 violations, 2 the server could not be judged.
`;

/** The command line is wrong. */
export class UsageError extends Error {}

export interface CheckCommand {
  readonly name: "check";
  readonly url: string;
  readonly prompt: string;
  readonly script: string | undefined;
  readonly headers: Record<string, string>;
  readonly dialect: AgentOptions["dialect"];
  readonly binary: boolean;
  readonly timeoutMs: number;
  readonly record: string | undefined;
  readonly format: Format;
}

/** Judges recorded responses of a server. */
export interface CheckFileCommand {
  readonly name: "check-file";
  /** "-": standard input. */
  readonly file: string;
  readonly dialect: AgentOptions["dialect"];
  readonly format: Format;
}

export type Format = "text" | "json" | "junit" | "sarif";

export type Command =
  | CheckCommand
  | CheckFileCommand
  | NewCommand
  | { readonly name: "help" | "version" | "examples" }
  | ({ readonly name: "replay"; readonly file: string } & ReplayOptions);

const dialects = ["agent-os", "chio", "hector", "ngaf", "open-search"] as const;

const checkOptions = {
  prompt: { type: "string" },
  script: { type: "string" },
  header: { type: "string", multiple: true },
  dialect: { type: "string" },
  binary: { type: "boolean" },
  timeout: { type: "string" },
  record: { type: "string" },
  json: { type: "boolean" },
  junit: { type: "boolean" },
  sarif: { type: "boolean" },
} as const;

const replayOptions = {
  port: { type: "string" },
  speed: { type: "string" },
  cut: { type: "string" },
  fault: { type: "string", multiple: true },
} as const;

/** @throws {UsageError} that says what is wrong, and what was expected */
export function readCommand([name, ...args]: readonly string[]): Command {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return { name: "help" };
  if (name === "--version" || name === "-v") return { name: "version" };
  if (args.includes("--help")) return { name: "help" };
  if (name === "check") return readCheck(args);
  if (name === "replay") return readReplay(args);
  if (name === "new") return readNew(args);
  throw new UsageError(`unknown command "${name}": expected check, replay or new`);
}

function readNew(args: string[]): NewCommand | { readonly name: "examples" } {
  const { positionals } = parsed(() => parseArgs({ args, allowPositionals: true }));
  const [example, folder, ...more] = positionals;
  if (example === undefined) return { name: "examples" };
  if (folder === undefined || more.length > 0) throw new UsageError("new expects an EXAMPLE and a FOLDER");
  return { name: "new", example, folder };
}

const formats = ["json", "junit", "sarif"] as const;

function readCheck(args: string[]): CheckCommand | CheckFileCommand {
  const { values, positionals } = parsed(() => parseArgs({ args, options: checkOptions, allowPositionals: true }));
  const { prompt = "Hello", script, header = [], dialect, binary = false, timeout, record } = values;
  const subject = single(positionals, "check expects one URL, FILE or -");
  const [format = "text", second] = formats.filter((name) => values[name]);
  if (second) throw new UsageError(`--${format} and --${second} exclude each other`);
  const known = dialects.find((name) => name === dialect);
  if (dialect !== undefined && !known) throw new UsageError(`unknown dialect "${dialect}": expected ${dialects.join(", ")}`);
  if (!/^https?:\/\//i.test(subject)) {
    const other = (Object.keys(values) as (keyof typeof values)[]).find((name) => name !== "dialect" && name !== format);
    if (other) throw new UsageError(`--${other} is of servers, and "${subject}" is no URL: expected http://… or https://…`);
    return { name: "check-file", file: subject, dialect: known, format };
  }
  if (!URL.canParse(subject)) throw new UsageError(`"${subject}" is no URL: expected http://… or https://…`);
  if (values.prompt !== undefined && script !== undefined) throw new UsageError("--prompt and --script exclude each other");
  return {
    name: "check",
    url: subject,
    prompt,
    script,
    headers: Object.fromEntries(header.map(readHeader)),
    dialect: known,
    binary,
    timeoutMs: number("--timeout", timeout, 60, 0.001) * 1000,
    record,
    format,
  };
}

function readHeader(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
  // The message does not repeat it: it may be a secret.
  if (name === undefined || value === undefined) throw new UsageError('--header expects "Name: value"');
  return [name, value];
}

function readReplay(args: string[]): Command {
  const { values, positionals } = parsed(() => parseArgs({ args, options: replayOptions, allowPositionals: true }));
  const faults = { drop: false, split: false, crlf: false, status: undefined as number | undefined, delayMs: 0 };
  for (const fault of values.fault ?? []) {
    const [kind = "", value] = fault.split("=");
    if (value === undefined && (kind === "drop" || kind === "split" || kind === "crlf")) faults[kind] = true;
    else if (kind === "status") faults.status = number("--fault status", value, NaN, 200, 599);
    else if (kind === "delay") faults.delayMs = number("--fault delay", value, NaN);
    else throw new UsageError(`unknown fault "${fault}": expected drop, split, crlf, status=CODE or delay=MS`);
  }
  const [, count, of = "bytes"] = /^(\d+)(bytes|events)?$/.exec(values.cut ?? "0") ?? [];
  if (count === undefined) throw new UsageError("--cut expects a number of bytes or events, as 200bytes or 3events");
  return {
    name: "replay",
    file: single(positionals, "replay expects one FILE"),
    port: number("--port", values.port, 0, 0, 65535),
    speed: number("--speed", values.speed, 1),
    cut: values.cut === undefined ? undefined : { count: Number(count), of: of as "bytes" | "events" },
    faults,
  };
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function single([value, ...others]: readonly string[], expected: string): string {
  if (value === undefined || others.length > 0) throw new UsageError(expected);
  return value;
}

function number(name: string, text: string | undefined, otherwise: number, least = 0, most = Infinity): number {
  const value = text === undefined || text.trim() === "" ? otherwise : Number(text);
  if (!(value >= least && value <= most))
    throw new UsageError(`${name} expects a number${most < Infinity ? ` from ${least} to ${most}` : ""}, not "${text ?? ""}"`);
  return value;
}

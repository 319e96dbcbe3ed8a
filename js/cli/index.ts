#!/usr/bin/env node
// The program of the package: `npx ag-ui-wasm check URL`, `npx ag-ui-wasm replay FILE`, `npx ag-ui-wasm new EXAMPLE FOLDER`.

import { readFileSync, writeFileSync } from "node:fs";
import { readRecording, writeRecording } from "../recordings/recording.js";
import { readCommand, usage, UsageError, type CheckCommand, type CheckFileCommand, type Command, type Format } from "./arguments.js";
import { check, checkRecorded } from "./check.js";
import { copyExample, exampleNames } from "./new.js";
import { readRecorded } from "./recorded.js";
import { replay } from "./replay.js";
import { toJson, toJunit, toSarif, toText, type Program } from "./report.js";
import { readScript } from "./script.js";
import { toExchanges } from "./tap.js";
import type { Verdict } from "./verdict.js";

const formats = { text: toText, json: toJson, junit: toJunit, sarif: toSarif };

async function run(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      return print(usage, 0);
    case "version":
      return print(`${program().version}\n`, 0);
    case "check":
      return runCheck(command);
    case "check-file":
      return runCheckFile(command);
    case "examples":
      return print(`${exampleNames().join("\n")}\n`, 0);
    case "new":
      return print(copyExample(command), 0);
    case "replay": {
      const { file, ...options } = command;
      const exchanges = readable(file, readRecording);
      if (exchanges.length === 0) throw new UsageError(`${file} is empty: expected a recording`);
      const { url } = await replay(exchanges, options);
      return print(`${url}\n`, 0);
    }
  }
}

async function runCheck({ url, prompt, script: file, record, format, ...options }: CheckCommand): Promise<number> {
  const script = file === undefined ? { turns: [{ message: prompt }] } : readable(file, readScript);
  // Before anything is asked: a recording that cannot be written is found out late otherwise.
  if (record !== undefined) write(record, "");
  const verdict = await check(url, { ...options, script });
  if (record !== undefined) write(record, writeRecording(toExchanges(verdict.turns)));
  return endWith(verdict, format);
}

async function runCheckFile({ file, dialect, format }: CheckFileCommand): Promise<number> {
  const recorded = fromFile(file, () => readRecorded(readFileSync(file === "-" ? 0 : file)));
  if (recorded.exchanges.every(({ parts }) => parts.length === 0)) throw new UsageError(`${file} is empty: expected a recording, or a saved response`);
  return endWith(await checkRecorded(file, recorded, dialect), format);
}

/** Prints the verdict, and ends. */
async function endWith(verdict: Verdict, format: Format): Promise<never> {
  const { unjudged, report } = verdict;
  if (unjudged !== undefined && format !== "text") process.stderr.write(`could not be judged: ${unjudged}\n`);
  await print(formats[format](verdict, program()), 0);
  // A connection that the server holds does not keep the program.
  process.exit(unjudged !== undefined ? 2 : report.violations.length > 0 ? 1 : 0);
}

const program = (): Program => JSON.parse(read(new URL("../package.json", import.meta.url)));

const readable = <Value>(file: string, reader: (text: string) => Value): Value => fromFile(file, () => reader(read(file)));

function fromFile<Value>(file: string, reader: () => Value): Value {
  try {
    return reader();
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

const read = (file: string | URL): string => readFileSync(file, "utf8");

function print(text: string, status: number): Promise<number> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve(status)));
}

try {
  process.exitCode = await run(readCommand(process.argv.slice(2)));
} catch (error) {
  const wrong = error instanceof UsageError;
  process.stderr.write(wrong ? `ag-ui-wasm: ${error.message}\nSee ag-ui-wasm --help.\n` : `ag-ui-wasm: ${(error as Error).stack}\n`);
  process.exitCode = 2;
}

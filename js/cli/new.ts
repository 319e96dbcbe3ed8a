// `new`: copies an example of the package into a folder of the user's.

import { cpSync, existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "./arguments.js";

/** The example to copy, and the folder to make. */
export interface NewCommand {
  readonly name: "new";
  readonly example: string;
  readonly folder: string;
}

const examples = fileURLToPath(new URL("../examples/", import.meta.url));

/** The examples of the package, by name. */
export const exampleNames = (): readonly string[] =>
  readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();

/**
 * Copies an example. A folder that has something in it is left alone.
 *
 * @returns what to type next
 * @throws {UsageError} for an unknown example, or a folder that is not empty
 */
export function copyExample({ example, folder }: NewCommand): string {
  // A name from the list, and never a path.
  if (!exampleNames().includes(example)) throw new UsageError(`unknown example "${example}": expected ${exampleNames().join(", ")}`);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty: expected a new or an empty folder`);
  try {
    cpSync(examples + example, folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`${folder} cannot be written: ${(error as Error).message}`);
  }
  return `The example ${example} is in ${folder}. Next:\n\n  cd ${folder}\n  npm install\n  npm start\n`;
}

// Where things are. Every path is absolute.

import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../", import.meta.url));

/** @param {...string} parts */
export const at = (...parts) => join(root, ...parts);

/** The folder of all that our scripts install and remember. Safe to delete. */
export const toolsFolder = at(".tools");
export const toolsBin = at(".tools/bin");
/** The publishable package. */
export const packageFolder = at("pkg");
/** Screenshots and logs, for people and for CI to keep. */
export const artifacts = at(".artifacts");
export const logs = at(".artifacts/logs");

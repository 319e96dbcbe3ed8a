// Made by tools/rules.mjs of docs/rules.md.

import type { Rule } from "../inspector/model/rules.js";

export const rules: readonly Rule[];

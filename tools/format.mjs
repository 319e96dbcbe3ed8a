// Formats all JavaScript and TypeScript (docs/decisions/0081-a-formatter.md): `npm run format`, or `npm run format -- --check`, which only names the files.

import { createContext } from "@dprint/formatter";
import { getPath } from "@dprint/typescript";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { at } from "./paths.mjs";
import { Failure, main } from "./run.mjs";

const FOLDERS = ["js", "tools", "www", "tests", "benches", "examples"];
const EXTENSIONS = /\.(ts|tsx|mjs|js)$/;

const context = createContext({ lineWidth: 160, indentWidth: 2, newLineKind: "lf" });
context.addPlugin(readFileSync(getPath()), {
  quoteStyle: "preferDouble",
  quoteProps: "preserve",
  semiColons: "prefer",
  useBraces: "maintain",
  singleBodyPosition: "maintain",
  operatorPosition: "maintain",
  "arrowFunction.useParentheses": "force",
  "commentLine.forceSpaceAfterSlashes": false,
  "forOfStatement.preferHanging": true,
  "functionExpression.spaceBeforeParentheses": true,
  "importDeclaration.sortNamedImports": "maintain",
  "exportDeclaration.sortNamedExports": "maintain",
  "module.sortImportDeclarations": "maintain",
  "module.sortExportDeclarations": "maintain",
});

await main(async () => {
  const known = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...FOLDERS], { cwd: at("."), encoding: "utf8" }).split("\n");
  const changed = known.filter((file) => EXTENSIONS.test(file) && existsSync(at(file))).flatMap((file) => {
    const text = readFileSync(at(file), "utf8");
    const formatted = context.formatText({ filePath: at(file), fileText: text });
    return formatted === text ? [] : [{ file, formatted }];
  });
  if (!process.argv.includes("--check")) return changed.forEach(({ file, formatted }) => writeFileSync(at(file), formatted));
  if (changed.length > 0) throw new Failure(`Not formatted; \`npm run format\` does that: ${changed.map(({ file }) => file).join(", ")}`);
});
